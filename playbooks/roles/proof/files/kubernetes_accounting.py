"""Proves the usage report: jobs of a known length and width are run, and the report is held against them.

Argument: the report's command. What is known are the times that Kubernetes itself keeps of the jobs.
"""

import json
import subprocess
import sys
from datetime import datetime

from kubernetes_jobs import HOST, PERSON, Document, Found, ended, gpus_of, items, job, jobs, prove, settings, submitted

METRIC = "accounting.gpu_hours_error"
LENGTH_S = 120


def find() -> Found:
    """Run known jobs, ask the report, compare."""
    said, command = settings(), sys.argv[1]
    there = gpus_of(items("nodes"), said["gpu"])
    if not there:
        return {METRIC: (None, f"no compute host offers {said['gpu']}: nothing to account for")}
    host, gpus = next(iter(there.items()))
    before = hours(command)
    submitted(job("known", f"sleep {LENGTH_S}", image=said["image"], limits={said["gpu"]: str(gpus)}, on={HOST: host}))
    how = ended(["known"], LENGTH_S + 180)["known"]
    if how != "Complete":
        return {METRIC: (None, f"the job ended {how or 'not at all'}")}
    known = seconds(jobs()["known"]) * gpus / 3600
    return {METRIC: error_percent(hours(command) - before, known)}


def seconds(document: Document) -> float:
    """Return how many seconds a Job took according to its status."""
    began, over = (
        datetime.strptime(document["status"][key], "%Y-%m-%dT%H:%M:%S%z") for key in ("startTime", "completionTime")
    )
    return (over - began).total_seconds()


def error_percent(reported: float, known: float) -> tuple[float, str]:
    """Return how far the report is from the known value, in percent of the known value, with a note."""
    return round(abs(reported - known) / known * 100, 2), f"{reported:.4f} GPU hours reported, {known:.4f} known"


def hours(command: str) -> float:
    """Collect, and return what the report says of the proofs' account."""
    subprocess.run([command, "--collect"], check=True)
    said = subprocess.run([command, "--json", "--days", "1"], capture_output=True, text=True, check=True).stdout
    return sum(float(row["gpu_allocated"]) for row in json.loads(said) if row["account"] == PERSON)


if __name__ == "__main__":
    prove((METRIC,), find)
