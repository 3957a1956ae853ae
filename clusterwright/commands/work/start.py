"""Record that work has started.

Example:
    clusterwright start 034@pod-001
    clusterwright start 'H08@*' --at 2026-11-21T08:00+01:00

"""

from clusterwright.commands.acting import Acting
from clusterwright.commands.options import Activities, AtOption
from ledger.decisions import work


def start(
    me: Acting,
    activities: Activities,
    at: AtOption = None,
) -> None:
    me.each(activities, "started", work.start, at=at)
