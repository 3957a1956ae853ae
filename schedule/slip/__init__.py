"""Why a date moved: every minute of slip assigned to one activity and one cause, so that the sum is the slip.

It knows nothing of plans, steps or the ledger. `standing` says how a project stood at two or more dates, `explain` what changed
its finish between them, `concurrent` what else would have. docs/explanation/slip.md has the method, its source, and what it does not do.
"""
