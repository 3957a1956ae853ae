"""Record that work is finished.

It then waits for its sign-off, or is done where it needs none.

Example:
    clusterwright finish 034@pod-001

"""

from clusterwright.commands.acting import Acting
from clusterwright.commands.options import Activities, AtOption
from ledger.decisions import work


def finish(
    me: Acting,
    activities: Activities,
    at: AtOption = None,
) -> None:
    me.each(activities, "finished", work.finish, at=at)
