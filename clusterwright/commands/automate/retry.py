"""Ask the engine to run an activity again.

It runs on the hosts that are not done. Where a playbook needs all its hosts together, it runs on all again.

Example:
    clusterwright retry 034@pod-001

"""

from clusterwright.commands.acting import Acting
from clusterwright.commands.options import Activities
from ledger.subjects.runs.request_decisions import request_retry


def retry(me: Acting, activities: Activities) -> None:
    me.each(activities, "retry asked for", request_retry)
