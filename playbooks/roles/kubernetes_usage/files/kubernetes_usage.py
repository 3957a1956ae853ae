#!/usr/bin/python3
"""Reports use by account and user, in GPU hours: `usage-report [--days N] [--json]`; `usage-report --collect` keeps what there is to see.

Kubernetes forgets a job with its objects. A timer therefore looks at Kueue's Workloads, and keeps a spell for each time that one
was admitted: whose it was, how many GPUs it had, from when until when. A spell without an end goes on until the last look.
"""

import argparse
import json
import subprocess
import sys
from collections import defaultdict
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

KUBECTL = "/var/lib/rancher/rke2/bin/kubectl"
ADMIN = "/etc/rancher/rke2/rke2.yaml"
KEPT = Path("/var/lib/usage-report")
GPUS = ("nvidia.com/gpu", "amd.com/gpu", "google.com/tpu")

Spell = dict[str, Any]


def main() -> None:
    """Collect, or add up and print."""
    parser = argparse.ArgumentParser(description="Report use by account and user, in hours.")
    parser.add_argument("--collect", action="store_true", help="look at the cluster and keep what is seen")
    parser.add_argument("--days", type=int, default=30, help="how far back (default: %(default)s)")
    parser.add_argument("--json", action="store_true", help="as one JSON document")
    options = parser.parse_args()
    now = datetime.now(timezone.utc)  # noqa: UP017  # hosts with Python 3.10
    if options.collect:
        collect(now)
        return
    kept = [spell for path in sorted(KEPT.glob("*.json")) for spell in json.loads(path.read_text()).values()]
    rows = usage(kept, now - timedelta(days=options.days))
    if options.json:
        json.dump(rows, sys.stdout, indent=1)
        return
    print(f"{'account':16} {'user':16} {'GPU h alloc.':>14} {'jobs':>6}")
    for row in rows:
        print(f"{row['account']:16} {row['user']:16} {row['gpu_allocated']:14.3f} {row['jobs']:6}")


def collect(now: datetime) -> None:
    """Look at every Workload, and keep its spell in the file of the month in which it began."""
    command = [KUBECTL, "--kubeconfig", ADMIN, "get", "workloads.kueue.x-k8s.io", "-A", "-o", "json"]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    by_month: dict[str, dict[str, Spell]] = defaultdict(dict)
    for workload in json.loads(said)["items"]:
        if spell := spell_of(workload, now):
            by_month[spell["begin"][:7]][f"{workload['metadata']['uid']} {spell['begin']}"] = spell
    KEPT.mkdir(mode=0o755, exist_ok=True)
    for month, spells in by_month.items():
        path = KEPT / f"{month}.json"
        before = json.loads(path.read_text()) if path.exists() else {}
        beside = path.with_suffix(".new")
        beside.write_text(json.dumps(before | spells))
        beside.replace(path)


def spell_of(workload: dict[str, Any], now: datetime) -> Spell | None:
    """Return the time for which a Workload has been admitted, or None if it was never admitted or is not admitted now."""
    since = {
        c["type"]: c["lastTransitionTime"]
        for c in workload.get("status", {}).get("conditions", ())
        if c["status"] == "True"
    }
    if "Admitted" not in since or "admission" not in workload["status"]:
        return None
    given = [a.get("resourceUsage", {}) for a in workload["status"]["admission"]["podSetAssignments"]]
    return {
        "account": workload["metadata"]["namespace"],
        "user": workload["metadata"].get("labels", {}).get("user", ""),
        "job": workload["metadata"]["uid"],
        "gpus": sum(int(usage.get(gpu, 0)) for usage in given for gpu in GPUS),
        "begin": since["Admitted"],
        "end": since.get("Finished", now.strftime("%Y-%m-%dT%H:%M:%SZ")),
    }


def usage(spells: list[Spell], since: datetime) -> list[dict[str, Any]]:
    """Return a row for each account and user: GPU hours since that time, and the number of jobs that used any."""
    hours: dict[tuple[str, str], float] = defaultdict(float)
    jobs: dict[tuple[str, str], set[str]] = defaultdict(set)
    for spell in spells:
        begin, end = (at(spell[key]) for key in ("begin", "end"))
        seconds = (end - max(begin, since)).total_seconds()
        if seconds > 0:
            whose = (spell["account"], spell["user"])
            hours[whose] += seconds * spell["gpus"] / 3600
            jobs[whose].add(spell["job"])
    return [
        {"account": account, "user": user, "gpu_allocated": total, "jobs": len(jobs[account, user])}
        for (account, user), total in sorted(hours.items())
    ]


def at(text: str) -> datetime:
    """Return a time that the API wrote."""
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%S%z")


if __name__ == "__main__":
    main()
