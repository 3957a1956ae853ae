"""Proves that training goes on from its checkpoint as if nothing had been: one run is left alone, the same run loses a node in the middle.

The scheduler takes the node away at once and queues the job again. Then the loss of every step is held against the other run's.
Arguments: the terms of the runs as JSON, and on how many nodes they run at most.
"""

import json
import subprocess
import sys
import time

from reference_run import Run, Step, losses, why_not_this_job
from slurm_jobs import clear, hosts, queued, report, until

DEVIATION, MINUTES = METRICS = ("restart.loss_deviation", "restart.minutes")
TERMS = {"steps": 120, "checkpoint_every": 20, "dropout": 0.1, "step_s": 0.1, "log_every": 1000}
PATIENCE_S = 900


def main() -> None:
    """Run both, and compare."""
    if why := why_not_this_job():
        return report(dict.fromkeys(METRICS, (None, why)))
    clear()
    there = hosts()
    nodes = min(int(sys.argv[2]), max(len(there) - 1, 1))
    try:
        report(proved({**TERMS, **json.loads(sys.argv[1])}, nodes))
    finally:
        clear()


def proved(terms: dict, nodes: int) -> dict:
    """Return what was found."""
    alone = Run("whole", nodes).begin(terms)
    if failed := alone.end(PATIENCE_S).get("failed"):
        return dict.fromkeys(METRICS, (None, f"the run that is left alone: {failed}"))
    broken = Run("restarted", nodes).begin(terms)
    middle = terms["steps"] // 2
    before = broken.wait_for(lambda curve: bool(curve) and curve[-1].step >= middle, PATIENCE_S)
    there = broken.hosts()
    if not there or before[-1].step >= terms["steps"]:
        return dict.fromkeys(METRICS, (None, "the run was not seen at its middle"))
    killed_at = time.time()
    lose(there[-1], broken)
    outcome = broken.end(PATIENCE_S)
    if failed := outcome.get("failed"):
        return dict.fromkeys(METRICS, (None, f"the run did not go on after {there[-1]} was lost: {failed}"))
    return judged(
        alone.curve(), broken.curve(), killed_at, f"{there[-1]} of {len(there)} lost at step {before[-1].step}"
    )


def lose(node: str, run: Run) -> None:
    """Let the scheduler take a node away from a run, and give it back once the run is no longer there."""
    subprocess.run(["scontrol", "update", f"NodeName={node}", "State=DOWN", "Reason=checkpoint-restart"], check=True)
    try:
        until(lambda: queued(run.job, "%T"), lambda state: state != "RUNNING", 60)
    finally:
        subprocess.run(["scontrol", "update", f"NodeName={node}", "State=RESUME"], check=False)


def judged(whole: list[Step], broken: list[Step], killed_at: float, what: str) -> dict:
    """Return the largest deviation after the restart in percent, and the minutes from the loss to the next step."""
    expected = losses(whole)
    after = [step for step in broken if step.restarts]
    if not after:
        return dict.fromkeys(METRICS, (None, f"{what}; the run did not go on from a checkpoint"))
    apart = {s.step: abs(s.loss - expected[s.step]) / abs(expected[s.step]) * 100 for s in after}
    same = sum(not each for each in apart.values())
    note = f"{what}; resumed at step {after[0].step}; {same} of {len(apart)} losses after it are equal bit for bit"
    return {DEVIATION: (round(max(apart.values()), 6), note), MINUTES: (round((after[0].at - killed_at) / 60, 2), note)}


if __name__ == "__main__":
    main()
