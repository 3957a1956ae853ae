"""Open finished work again.

It begins another attempt, and what rested on it becomes stale.

Example:
    clusterwright reopen 034@pod-001 --reason 'two boards were replaced'

"""

from __future__ import annotations

from clusterwright.commands.acting import take_each
from clusterwright.commands.options import Activities, AsOption, ReasonOption, SiteOption
from ledger.decisions import work


def reopen(
    activities: Activities,
    reason: ReasonOption,
    site: SiteOption = None,
    who: AsOption = None,
) -> None:
    take_each(site, who, None, activities, "open again", work.reopen, reason)
