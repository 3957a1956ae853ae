"""Proves that this node takes jobs, and that others were left alone: runs a job here, and reads when the others' daemons began.

Arguments: this node's name in the scheduler, when the run began, and the names of the nodes that the run is about.
"""

import subprocess
import sys
from collections.abc import Iterable
from datetime import datetime

from slurm_jobs import as_person, ended, report, try_submit


def main() -> None:
    """Run one job on this node; count the daemons elsewhere that are younger than the run."""
    name, began, *joined = sys.argv[1:]
    why = job_fails(name)
    young = restarted(listed(), float(began), set(joined))
    report(
        {
            "scheduler.node_job_failures": (int(bool(why)), why or "a job has run here and is accounted for"),
            "scheduler.others_restarted": (
                None if young is None else len(young),
                "the scheduler does not answer" if young is None else ", ".join(young) or "no daemon elsewhere is new",
            ),
        }
    )


def job_fails(name: str) -> str:
    """Run a job on a node. Return why it did not end well, or an empty text."""
    if not answers("systemctl", "is-active", "munge", "slurmd"):
        return "munge or slurmd does not run"
    submitted = try_submit("hostname", f"--nodelist={name}", "--nodes=1", "--time=1")
    if submitted.returncode != 0:
        return f"sbatch: {submitted.stderr.strip()[:200]}"
    job = submitted.stdout.strip()
    state = ended(job)
    as_person("rm", "-f", f"slurm-{job}.out")
    if state == "COMPLETED":
        return ""
    subprocess.run(["scancel", job], check=False)
    return f"job {state}; the node is {answers('sinfo', '-h', '-N', '-n', name, '-o', '%T %E') or 'not known'}"


def listed() -> list[str]:
    """Return a line for each node of the scheduler."""
    return answers("scontrol", "show", "nodes", "--oneliner").splitlines()


def restarted(nodes: Iterable[str], began: float, joined: set[str]) -> list[str] | None:
    """Return the nodes whose daemon began after the run, without those that it is about. None if no node is listed."""
    started = {}
    for line in nodes:
        values = dict(word.split("=", 1) for word in line.split() if "=" in word)
        started[values["NodeName"]] = values.get("SlurmdStartTime", "None")
    if not started:
        return None
    others = {name: start for name, start in started.items() if name not in joined and start[:1].isdigit()}
    # the scheduler's tools print local time
    return sorted(name for name, start in others.items() if datetime.fromisoformat(start).timestamp() > began)


def answers(*command: str) -> str:
    """Return what a command prints, or an empty text if it is not there or fails."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


if __name__ == "__main__":
    main()
