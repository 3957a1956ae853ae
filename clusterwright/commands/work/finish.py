"""Record that work is finished.

It then waits for its sign-off, or is done where it needs none.

Example:
    clusterwright finish 034@pod-001

"""

from __future__ import annotations

from clusterwright.commands.acting import take_each
from clusterwright.commands.options import Activities, AsOption, AtOption, SiteOption
from ledger.decisions import work


def finish(
    activities: Activities,
    at: AtOption = None,
    site: SiteOption = None,
    who: AsOption = None,
) -> None:
    take_each(site, who, None, activities, "finished", work.finish, at=at)
