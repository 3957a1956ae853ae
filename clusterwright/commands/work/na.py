"""Decide that an activity does not apply.

What comes after it then waits for what comes before it.

Example:
    clusterwright na 105@pod-001 --reason 'the hall has its own containment'

"""

from clusterwright.commands.acting import SigningReport
from clusterwright.commands.options import Activities, ReasonOption
from ledger.subjects.work import decisions as work


def na(
    me: SigningReport,
    activities: Activities,
    reason: ReasonOption,
) -> None:
    me.each(activities, "not applicable", work.na, reason)
