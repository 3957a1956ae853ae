"""Decide that an activity does not apply.

What comes after it then waits for what comes before it.

Example:
    clusterwright na 105@pod-001 --reason 'the hall has its own containment'

"""

from __future__ import annotations

from clusterwright.commands.acting import take_each
from clusterwright.commands.options import Activities, AsOption, ReasonOption, SiteOption
from ledger.decisions import work


def na(
    activities: Activities,
    reason: ReasonOption,
    site: SiteOption = None,
    who: AsOption = None,
) -> None:
    take_each(site, who, None, activities, "not applicable", work.na, reason)
