#!/usr/bin/python3
"""Reports use by account and user: what was allocated, and what of it was used. `usage-report [--days N] [--json]`."""

import argparse
import json
import re
import subprocess
import sys
from collections import defaultdict
from datetime import datetime, timedelta

SECONDS_PER_HOUR = 3600
COLUMNS = ("cpu_allocated", "cpu_used", "gpu_allocated", "jobs")


def main() -> None:
    """Read accounting, add up, print."""
    parser = argparse.ArgumentParser(description="Report use by account and user, in hours.")
    parser.add_argument("--days", type=int, default=30, help="how far back (default: %(default)s)")
    parser.add_argument("--json", action="store_true", help="as one JSON document")
    options = parser.parse_args()
    rows = usage((datetime.now().astimezone() - timedelta(days=options.days)).strftime("%Y-%m-%dT%H:%M:%S"))
    if options.json:
        json.dump(rows, sys.stdout, indent=1)
        return
    print(f"{'account':16} {'user':16} {'CPU h alloc.':>14} {'CPU h used':>12} {'GPU h alloc.':>14} {'jobs':>6}")
    for row in rows:
        print(
            f"{row['account']:16} {row['user']:16} {row['cpu_allocated']:14.3f} {row['cpu_used']:12.3f}"
            f" {row['gpu_allocated']:14.3f} {row['jobs']:6.0f}"
        )


def usage(since: str) -> list[dict]:
    """Return a row for each account and user."""
    columns = "Account,User,ElapsedRaw,AllocCPUS,TotalCPU,AllocTRES"
    command = ["sacct", "-a", "-X", "-n", "-P", "-S", since, "-o", columns]
    # with -X a job's processor time is that of its steps; without steps it is none
    said = subprocess.run(command, capture_output=True, text=True, check=False)
    if said.returncode != 0:
        sys.exit(said.stderr.strip())
    total: dict[tuple[str, str], dict[str, float]] = defaultdict(lambda: dict.fromkeys(COLUMNS, 0.0))
    for line in said.stdout.splitlines():
        account, user, elapsed, processors, used, resources = line.split("|")
        row = total[account, user]
        gpus = re.search(r"gres/gpu=(\d+)", resources)
        row["cpu_allocated"] += int(elapsed) * int(processors or 0) / SECONDS_PER_HOUR
        row["cpu_used"] += seconds(used) / SECONDS_PER_HOUR
        row["gpu_allocated"] += int(elapsed) * int(gpus[1] if gpus else 0) / SECONDS_PER_HOUR
        row["jobs"] += 1
    return [{"account": account, "user": user, **row} for (account, user), row in sorted(total.items())]


def seconds(text: str) -> float:
    """Return the seconds of a duration that Slurm writes as [DD-[HH:]]MM:SS[.mmm]."""
    days, _, rest = text.rpartition("-")
    parts = [float(part) for part in rest.split(":")] if rest else [0.0]
    return float(days or 0) * 86400 + sum(part * 60**power for power, part in enumerate(reversed(parts)))


if __name__ == "__main__":
    main()
