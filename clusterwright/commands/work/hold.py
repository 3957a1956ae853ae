"""Stop an activity until it is resumed.

Example:
    clusterwright hold 034@pod-001 --reason 'no power in row 2'

"""

from __future__ import annotations

from clusterwright.commands.acting import take_each
from clusterwright.commands.options import Activities, AsOption, ReasonOption, SiteOption
from ledger.decisions import work


def hold(
    activities: Activities,
    reason: ReasonOption,
    site: SiteOption = None,
    who: AsOption = None,
) -> None:
    take_each(site, who, None, activities, "on hold", work.hold, reason)
