"""Ask the engine to stop a run.

Example:
    clusterwright cancel 034@pod-001

"""

from clusterwright.commands.acting import Acting
from clusterwright.commands.options import Activities
from ledger.subjects.runs.request_decisions import request_cancel


def cancel(me: Acting, activities: Activities) -> None:
    me.each(activities, "cancellation asked for", request_cancel)
