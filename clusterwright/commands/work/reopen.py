"""Open finished work again.

It begins another attempt, and what rested on it becomes stale.

Example:
    clusterwright reopen 034@pod-001 --reason 'two boards were replaced'

"""

from clusterwright.commands.acting import Reporting
from clusterwright.commands.options import Activities, ReasonOption
from ledger.subjects.work import decisions as work


def reopen(
    me: Reporting,
    activities: Activities,
    reason: ReasonOption,
) -> None:
    me.each(activities, "open again", work.reopen, reason)
