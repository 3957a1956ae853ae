"""Stop an activity until it is resumed.

Example:
    clusterwright hold 034@pod-001 --reason 'no power in row 2'

"""

from clusterwright.commands.acting import Reporting
from clusterwright.commands.options import Activities, ReasonOption
from ledger.subjects.work import decisions as work


def hold(
    me: Reporting,
    activities: Activities,
    reason: ReasonOption,
) -> None:
    me.each(activities, "on hold", work.hold, reason)
