"""What finished activities teach about those that remain: one step type is repeated over pods, so pod 1 teaches the others.

It knows nothing of plans, the catalog or the ledger. `step_types.step_types` reads the prior out of three points, `learn.learn`
weighs it against a history, and `outlook.outlook` returns estimates and risk drivers for `schedule.risk`. Durations are
minutes of work. docs/explanation/learning.md has the model, its sources and what it does not do.
"""
