"""How sure a date is if the crews do not suffice: the samples of `risk`, each levelled in one fixed order of priority.

It knows nothing of plans, steps or the ledger. `running.levelled_samples` is the way in. docs/explanation/risk.md says what the samples
mean.
"""
