"""Let a held activity go on.

Example:
    clusterwright resume 034@pod-001

"""

from clusterwright.commands.acting import Reporting
from clusterwright.commands.options import Activities, ReasonOption
from ledger.subjects.work import decisions as work


def resume(
    me: Reporting,
    activities: Activities,
    reason: ReasonOption = "",
) -> None:
    me.each(activities, "resumed", work.resume, reason)
