"""Proves each way to submit: srun, sbatch and the interface over HTTP, from a log-in host, with the same result by each.

Then it does what a person does first. Argument: address and port of the interface.
"""

import json
import ssl
import sys
import urllib.request

from slurm_jobs import PERSON, as_person, clear, ended, home, report, submit
from user_jobs import first_day


def main() -> None:
    """Submit one job by each way, and count those that do not end well."""
    place = sys.argv[1]
    clear()
    failed = []
    shown = as_person("srun", "--mem-per-cpu=64", "--time=1", "id", "-un")
    if shown.stdout.strip() != PERSON:
        failed.append(f"srun: {shown.stderr.strip()[:200]}")
    if (state := ended(submit("true", "--time=1"))) != "COMPLETED":
        failed.append(f"sbatch: {state}")
    try:
        state = ended(over_http(place))
        if state != "COMPLETED":
            failed.append(f"HTTP: {state}")
    except (OSError, KeyError, ValueError, StopIteration) as error:
        failed.append(f"HTTP: {error}")
    first = first_day()
    clear()
    note = "; ".join(failed) or "srun, sbatch and HTTP from a log-in host; a portal is not among the ways"
    report({"submit.ways_failed": (len(failed), note), **first})


def over_http(place: str) -> str:
    """Submit a job with a token of the proofs' account, and return its number."""
    said = as_person("scontrol", "token", "lifespan=120").stdout
    token = next(line.split("=", 1)[1] for line in said.splitlines() if line.startswith("SLURM_JWT="))
    job = {
        "name": PERSON,
        "current_working_directory": home(),
        "memory_per_cpu": 64,
        "time_limit": 1,
        "environment": {"PATH": "/bin:/usr/bin"},
    }
    request = urllib.request.Request(
        f"https://{place}/slurm/v0.0.38/job/submit",
        data=json.dumps({"script": "#!/bin/sh\ntrue\n", "job": job}).encode(),
        headers={"X-SLURM-USER-NAME": PERSON, "X-SLURM-USER-TOKEN": token, "Content-Type": "application/json"},
    )
    trust = ssl.create_default_context(cafile="/etc/clusterwright/authority.pem")
    with urllib.request.urlopen(request, timeout=30, context=trust) as answer:
        return str(json.load(answer)["job_id"])


if __name__ == "__main__":
    main()
