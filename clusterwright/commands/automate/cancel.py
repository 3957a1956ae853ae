"""Ask the engine to stop a run.

Example:
    clusterwright cancel 034@pod-001

"""

from __future__ import annotations

from clusterwright.commands.acting import take_each
from clusterwright.commands.options import Activities, AsOption, SiteOption
from ledger.decisions.requests import request_cancel


def cancel(activities: Activities, site: SiteOption = None, who: AsOption = None) -> None:
    take_each(site, who, None, activities, "cancellation asked for", request_cancel)
