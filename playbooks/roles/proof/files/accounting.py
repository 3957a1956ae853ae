"""Proves the usage report: jobs of a known length and width are run, and the report is held against them.

Argument: the report's command. Hours of GPUs can only be held against jobs that had GPUs.
"""

import json
import subprocess
import sys
import time

from slurm_jobs import PERSON, a_host, clear, ended, report, submit

LENGTH_S = 20


def main() -> None:
    """Run known jobs, ask the report, compare."""
    clear()
    command = sys.argv[1]
    gpus = gpus_of_a_host()
    before = hours(command)
    options = ("--nodes=1", "--ntasks=1", "--cpus-per-task=1", "--time=2", *((f"--gres=gpu:{gpus}",) if gpus else ()))
    jobs = [submit(f"sleep {LENGTH_S}", *options) for _ in range(2)]
    states = [ended(job) for job in jobs]
    time.sleep(2)
    after = hours(command)
    clear()
    if states != ["COMPLETED", "COMPLETED"]:
        report({"accounting.gpu_hours_error": (None, f"the jobs ended {', '.join(states)}")})
        return
    gained = {what: (after[what] - before[what]) * 3600 for what in after}
    note = f"{len(jobs)} jobs of {LENGTH_S} s: {gained['cpu_allocated']:.0f} s of processor reported"
    if not gpus:
        report({"accounting.gpu_hours_error": (None, f"{note}; {a_host()} has no GPU to account for")})
        return
    known = len(jobs) * LENGTH_S * gpus
    note = f"{note}, {gained['gpu_allocated']:.0f} s of {known} s of GPU"
    report({"accounting.gpu_hours_error": (round(abs(gained["gpu_allocated"] - known) / known * 100, 2), note)})


def hours(command: str) -> dict[str, float]:
    """Return the hours that the report shows for the proofs' account."""
    said = subprocess.run([command, "--json", "--days", "1"], capture_output=True, text=True, check=False)
    if said.returncode != 0:
        raise SystemExit(said.stderr.partition("\n")[0])
    found = [row for row in json.loads(said.stdout) if row["user"] == PERSON]
    return {what: sum(float(row[what]) for row in found) for what in ("cpu_allocated", "cpu_used", "gpu_allocated")}


def gpus_of_a_host() -> int:
    """Return how many GPUs the first compute host has, or 0 if Slurm knows of none."""
    said = subprocess.run(["sinfo", "-h", "-N", "-o", "%G"], capture_output=True, text=True, check=True).stdout
    counted = [
        part.split("(")[0].split(":")[-1]
        for line in said.splitlines()
        for part in line.split(",")
        if part.startswith("gpu")
    ]
    return int(counted[0]) if counted else 0


if __name__ == "__main__":
    main()
