"""Proves that a job starts whole: two jobs that do not fit together are queued at once, and each part says when it began.

A scheduler that gives a job all its hosts has not started it there yet: a daemon that hangs, or a prologue that takes long, starts
no part, while the others work and wait. So parts are believed, and not the queue.
"""

import subprocess
from typing import NamedTuple

from slurm_jobs import PERSON, clear, hosts, in_name, report

METRIC = "gang.partial_starts"
PART = 'echo "begin $(hostname) $(date +%s.%N)"; sleep 4; echo "end $(hostname) $(date +%s.%N)"'
TOGETHER_S = 5.0
PATIENCE_S = 200


class Job(NamedTuple):
    """When each part of a job began and ended, by its host, and what the scheduler said."""

    begun: dict[str, float]
    ended: dict[str, float]
    said: str


def main() -> None:
    """Run both jobs, and count those that started in part, or beside the other."""
    clear()
    there = hosts()
    if len(there) < 2:
        report({METRIC: (None, "one compute host: two jobs cannot share and block")})
        return
    wanted = len(there) // 2 + 1
    terms = ("--qos=normal", "--time=5", "--mem-per-cpu=64", f"--job-name={PERSON}")
    srun = in_name("srun", f"--nodes={wanted}", "--ntasks-per-node=1", "--exclusive", *terms, "sh", "-c", PART)
    running = [subprocess.Popen(srun, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    jobs = [heard(one) for one in running]
    clear()
    report({METRIC: judge(jobs, wanted, len(there))})


def heard(running: "subprocess.Popen[str]") -> Job:
    """Return what the parts of a job said, and why it ended early if it did."""
    try:
        out, errors = running.communicate(timeout=PATIENCE_S)
    except subprocess.TimeoutExpired:
        running.kill()
        out, errors = running.communicate()
        errors += f"\nno end after {PATIENCE_S} s"
    said = [line.split() for line in out.splitlines() if line.startswith(("begin ", "end "))]
    times = [{host: float(at) for word, host, at in said if word == what} for what in ("begin", "end")]
    return Job(times[0], times[1], errors.strip()[-300:] if running.returncode else "")


def judge(jobs: list[Job], wanted: int, there: int) -> tuple[object, str]:
    """Return how many jobs started in part or beside the other, and what was seen; nothing if a job did not start or end."""
    bad = []
    for number, job in enumerate(jobs, 1):
        if not job.begun:
            return None, f"job {number} did not start: {job.said}"
        late = max(job.begun.values()) - min(job.begun.values())
        if len(job.begun) < wanted:
            bad.append(f"job {number} began on {', '.join(sorted(job.begun))} alone, of {wanted} hosts: {job.said}")
        elif late > TOGETHER_S:
            bad.append(
                f"job {number} began on {max(job.begun, key=lambda h: job.begun[h])} {late:.1f} s after the others"
            )
    first, second = jobs
    shared = [
        h
        for h in first.ended
        if h in second.ended and first.begun[h] < second.ended[h] and second.begun[h] < first.ended[h]
    ]
    bad += [f"both ran on {host} at once" for host in sorted(shared)]
    ended = [len(job.ended) for job in jobs]
    if not bad and ended != [wanted, wanted]:
        return None, f"of {wanted} parts each, {ended[0]} and {ended[1]} ended"
    well = f"two jobs of {wanted} of {there} hosts, one after the other, each begun everywhere within {TOGETHER_S:g} s"
    return len(bad), "; ".join(bad) or well


if __name__ == "__main__":
    main()
