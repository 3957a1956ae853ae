"""Proves each way to submit: srun, sbatch and the interface over HTTP, from a log-in host, with the same result by each.

Then it does what a person does first. Argument: address and port of the interface.
"""

import json
import re
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
    headers = {"X-SLURM-USER-NAME": PERSON, "X-SLURM-USER-TOKEN": token, "Accept": "application/json"}
    trust = ssl.create_default_context(cafile="/etc/clusterwright/authority.pem")

    def asked(path: str, body: bytes | None = None) -> str:
        sent = headers | ({"Content-Type": "application/json"} if body else {})
        request = urllib.request.Request(f"https://{place}/{path}", data=body, headers=sent)
        with urllib.request.urlopen(request, timeout=30, context=trust) as answer:
            return str(answer.read().decode())

    version = newest(asked("openapi/v3"))
    body = json.dumps(request_of(version, home())).encode()
    return str(json.loads(asked(f"slurm/v0.0.{version}/job/submit", body))["job_id"])


def newest(specification: str) -> int:
    """Return the newest version of the interface that a release serves. It has two to four, and drops the older ones."""
    served = re.findall(r"/slurm/v0\.0\.(\d+)/", " ".join(json.loads(specification)["paths"]))
    if not served:
        raise ValueError("it names no path of Slurm at /openapi/v3")
    return max(map(int, served))


def request_of(version: int, folder: str) -> dict[str, object]:
    """Return a request for a job. From version 39 on the script is a part of the job, and the environment a list."""
    script = "#!/bin/sh\ntrue\n"
    job = {"name": PERSON, "current_working_directory": folder, "memory_per_cpu": 64, "time_limit": 1}
    if version < 39:
        return {"script": script, "job": job | {"environment": {"PATH": "/bin:/usr/bin"}}}
    return {"job": job | {"script": script, "environment": ["PATH=/bin:/usr/bin"]}}


if __name__ == "__main__":
    main()
