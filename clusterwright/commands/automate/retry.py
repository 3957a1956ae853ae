"""Ask the engine to run an activity again.

Where hosts go in waves, it runs only on those that are not done.

Example:
    clusterwright retry 034@pod-001

"""

from __future__ import annotations

from clusterwright.commands.acting import take_each
from clusterwright.commands.options import Activities, AsOption, SiteOption
from ledger.decisions.requests import request_retry


def retry(activities: Activities, site: SiteOption = None, who: AsOption = None) -> None:
    take_each(site, who, None, activities, "retry asked for", request_retry)
