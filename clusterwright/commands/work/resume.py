"""Let a held activity go on.

Example:
    clusterwright resume 034@pod-001

"""

from __future__ import annotations

from clusterwright.commands.acting import take_each
from clusterwright.commands.options import Activities, AsOption, ReasonOption, SiteOption
from ledger.decisions import work


def resume(
    activities: Activities,
    reason: ReasonOption = "",
    site: SiteOption = None,
    who: AsOption = None,
) -> None:
    take_each(site, who, None, activities, "resumed", work.resume, reason)
