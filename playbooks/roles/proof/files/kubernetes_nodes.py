"""Proves that a compute host that joined takes jobs, and that others were left alone: runs a job there, and reads who became ready anew.

Arguments: the host's name in the cluster, when the run began, and the names of the hosts that the run is about.
"""

import sys
from collections.abc import Iterable
from datetime import datetime

from kubernetes_jobs import HOST, Document, Found, condition, ended, items, job, prove, settings, submitted

METRICS = ("scheduler.node_job_failures", "scheduler.others_restarted")


def find() -> Found:
    """Run one job on the host; count the other hosts that became ready after the run began."""
    host, began, *joined = sys.argv[1:]
    name = f"join-{host}"
    submitted(job(name, "true", image=settings()["image"], on={HOST: host}))
    how = ended([name])[name]
    young = restarted(items("nodes"), float(began), set(joined))
    return {
        METRICS[0]: (int(how != "Complete"), "a job has run here" if how == "Complete" else how or "did not end"),
        METRICS[1]: (len(young), ", ".join(young) or "no host elsewhere became ready anew"),
    }


def restarted(nodes: Iterable[Document], began: float, joined: set[str]) -> list[str]:
    """Return the hosts that became ready after a time, without those that the run is about."""
    since = {node["metadata"]["name"]: condition(node, "Ready") for node in nodes}
    return sorted(
        name
        for name, ready in since.items()
        if name not in joined
        and ready
        and datetime.strptime(ready["lastTransitionTime"], "%Y-%m-%dT%H:%M:%S%z").timestamp() > began
    )


if __name__ == "__main__":
    prove(METRICS, find)
