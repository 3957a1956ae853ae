"""Record that work has started.

Example:
    clusterwright start 034@pod-001
    clusterwright start 'H08@*' --at 2026-11-21T08:00+01:00

"""

from __future__ import annotations

from clusterwright.commands.acting import take_each
from clusterwright.commands.options import Activities, AsOption, AtOption, SiteOption
from ledger.decisions import work


def start(
    activities: Activities,
    at: AtOption = None,
    site: SiteOption = None,
    who: AsOption = None,
) -> None:
    take_each(site, who, None, activities, "started", work.start, at=at)
