"""Proves the cluster: it takes a job, runs one on every compute host that has joined, and one over all of them at once.

Where there are three servers, the first is killed under a job that waits for a host, and the job must start by the others. Before
a compute host has joined, the others must have the job.
Argument: this host's name in the cluster.
"""

import json
import subprocess
import sys
import time
from collections.abc import Iterable

from kubernetes_jobs import (
    HOST,
    PERSON,
    Document,
    Found,
    clear,
    compute_hosts,
    condition,
    ended,
    items,
    job,
    kubectl,
    out_of_reach,
    outcome,
    placed,
    pods,
    prove,
    settings,
    submit,
    submitted,
    until,
)

AT_ONCE = 100
APART = {
    "podAntiAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": [
            {"topologyKey": HOST, "labelSelector": {"matchLabels": {"batch.kubernetes.io/job-name": "all-hosts"}}}
        ]
    }
}
HELD = "proof-failover"
KILL = "/usr/local/bin/rke2-killall.sh"


def find() -> Found:
    """Run the jobs, count failures, and fail over where that is possible."""
    image, there = settings()["image"], compute_hosts(items("nodes"))
    bad = []
    if (taken := submit(job("taken", "true", image=image), dry=True)).returncode != 0:
        bad.append(f"a job is refused: {taken.stderr.strip()[:200]}")
    for first in range(0, len(there), AT_ONCE):
        names = {f"host-{number}": host for number, host in enumerate(there[first : first + AT_ONCE], first)}
        submitted(*(job(name, "true", image=image, on={HOST: host}) for name, host in names.items()))
        bad += [f"{names[name]}: {how or 'did not end'}" for name, how in ended(names).items() if how != "Complete"]
        clear()
    if there:
        submitted(job("all-hosts", "sleep 30", image=image, parts=len(there), affinity=APART))
        at_once = until(lambda: set(placed(pods(), "all-hosts")), lambda found: len(found) == len(there), 120)
        how = ended(["all-hosts"])["all-hosts"]
        if len(at_once) != len(there) or how != "Complete":
            bad.append(f"one job over all: on {len(at_once)} of {len(there)} hosts at once, {how or 'did not end'}")
    tried = f"{len(there)} hosts, and one job over all" if there else "a job is taken; no node has joined yet (H39)"
    failover, note = failed_over(image, sys.argv[1])
    return {
        "scheduler.test_job_failures": (len(bad), "; ".join(bad[:10]) or tried),
        "scheduler.failover_s": (failover, note),
    }


def failed_over(image: str, own: str) -> tuple[float | None, str]:
    """Kill this server while a job waits. Return the seconds until the job has run with the other servers."""
    nodes = items("nodes")
    others = other_servers(nodes, own)
    if len(others) < 2:
        return None, f"{len(others) + 1} servers: the loss of one is outlived by three"
    host = next(iter(compute_hosts(nodes)), None)
    submitted(job("held", "true", image=image, on={HELD: "go"}))
    began = time.monotonic()
    subprocess.run(["systemctl", "stop", "rke2-server"], check=True)
    subprocess.run([KILL], capture_output=True, check=True)
    try:
        taken = until(lambda: ran(others[0], host, began), lambda seconds: seconds is not None, 300)
    finally:
        subprocess.run(["systemctl", "start", "rke2-server"], check=True)
        until(out_of_reach, lambda why: why is None, 300)
        if host is not None:
            kubectl("label", "node", host, f"{HELD}-")
    return (taken, f"{own} killed") if taken is not None else (None, "the waiting job did not run")


def ran(server: str, host: str | None, began: float) -> float | None:
    """Free the host for the waiting job, through another server. Return the seconds until the job has ended well.

    Without a host, return the seconds until that server has the job.
    """
    by_other = ("--server", f"https://{server}:6443")
    if host is not None:
        kubectl("label", "node", host, f"{HELD}=go", "--overwrite", *by_other)
    asked = kubectl("get", "job", "held", "-n", PERSON, "-o", "json", *by_other)
    if asked.returncode != 0 or (host is not None and outcome(json.loads(asked.stdout)) != "Complete"):
        return None
    return round(time.monotonic() - began, 1)


def other_servers(nodes: Iterable[Document], own: str) -> list[str]:
    """Return the addresses of the ready servers other than this one."""
    return [
        next(a["address"] for a in node["status"]["addresses"] if a["type"] == "InternalIP")
        for node in nodes
        if "node-role.kubernetes.io/control-plane" in node["metadata"]["labels"]
        and node["metadata"]["name"] != own
        and condition(node, "Ready")
    ]


if __name__ == "__main__":
    prove(("scheduler.test_job_failures", "scheduler.failover_s"), find)
