"""How sure a date is: samples of a compiled network under uncertain durations, risk drivers and events.

It knows nothing of plans, steps or the ledger. `model.risk_model` checks what is uncertain and prepares it, `running.run`
draws the samples. Durations are minutes, dates whole minutes since the network's origin. docs/explanation/risk.md says how to read
the results, and has the source of each rule.
"""
