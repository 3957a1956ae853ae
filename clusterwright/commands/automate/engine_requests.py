"""What people ask of a running engine: to stop a run, or to run again."""

from clusterwright.commands.acting import Acting
from clusterwright.commands.options import Activities
from ledger.subjects.runs.request_decisions import request_cancel, request_retry


def cancel(me: Acting, activities: Activities) -> None:
    """Ask the engine to stop a run.

    Example:
        clusterwright cancel 034@pod-001

    """
    me.each(activities, "cancellation asked for", request_cancel)


def retry(me: Acting, activities: Activities) -> None:
    """Ask the engine to run an activity again.

    It runs on the hosts that are not done. Where a playbook needs all its hosts together, it runs on all again.

    Example:
        clusterwright retry 034@pod-001

    """
    me.each(activities, "retry asked for", request_retry)
