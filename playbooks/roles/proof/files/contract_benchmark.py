"""Holds a run over all servers against the contract: what of their peak the model uses, and how often the run was interrupted.

A server's peak is what the inventory says, or, where it says nothing, that of a large matrix product on all servers at once. Model FLOPs are
those of the job. Arguments: the terms of the run as JSON, and the peak of a server in TFLOP/s, 0 to measure it.
"""

import json
import re
import subprocess
import sys

from reference_run import Run
from slurm_jobs import clear, hosts, report
from training_scale import slow_together

MFU, INTERRUPTIONS = METRICS = ("training.mfu", "training.interruptions_over_model")
TERMS = {
    "steps": 40,
    "checkpoint_every": 20,
    "log_every": 1000,
    "width": 512,
    "batch": 1024,
    "step_s": 0.0,
    "minutes": 60,
}
# of the 405B run of Llama 3: GPU-hours for each interruption
GPU_HOURS = 50677
SPARE_S = 1800


def main() -> None:
    """Run, and judge."""
    clear()
    terms, peak = {**TERMS, **json.loads(sys.argv[1])}, float(sys.argv[2]) * 1e12
    there = hosts()
    try:
        run = Run("benchmark", len(there)).begin({**terms, "measure_peak": not peak})
        report(judged(run.end(terms["minutes"] * 60 + SPARE_S), peak, accelerators()))
    finally:
        clear()


def accelerators() -> int:
    """Return how many GPUs a server has, by the scheduler; 0 where it has none."""
    said = subprocess.run(["sinfo", "-h", "-o", "%G"], capture_output=True, text=True, check=False).stdout
    found = re.search(r"\bgpu:(?:\w+:)?(\d+)", said)
    return int(found[1]) if found else 0


def judged(outcome: dict, peak: float, gpus: int) -> dict:
    """Return the share of the peak that the model used, and interruptions over what the model run would have had."""
    if "failed" in outcome:
        return dict.fromkeys(METRICS, (None, outcome["failed"]))
    ranks = outcome["ranks"]
    total = peak * len(ranks) or sum(rank["peak_flops"] for rank in ranks)
    rate = outcome["flops"] / outcome["seconds"]
    slow = ", ".join(slow_together(ranks)) or "none"
    of = "as the inventory says" if peak else "measured by a matrix product on all at once"
    note = f"{rate / 1e9:.0f} of {total / 1e9:.0f} GFLOP/s of {len(ranks)} servers ({of}), {outcome['tokens'] / outcome['seconds']:.0f} tokens/s"
    hours = max(gpus, 1) * len(ranks) * outcome["seconds"] / 3600
    counted = f"{outcome['restarts']} interruptions in {hours:.3f} {'GPU' if gpus else 'server'}-hours"
    return {
        MFU: (round(rate / total, 3), f"{note}; slow: {slow}"),
        INTERRUPTIONS: (round(outcome["restarts"] * GPU_HOURS / hours, 3), counted),
    }


if __name__ == "__main__":
    main()
