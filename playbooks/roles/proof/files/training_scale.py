"""Proves what is left of the servers' rate when they train together: each server alone, then a quarter, half and all of them.

Every run trains on the same shards of data, so that all have the same curve of losses. What one server's curve is, or a file of the
model's team, is the reference. Arguments: the terms of the runs as JSON, the file of the reference (a JSON list of losses, step by
step) or an empty word, and by which share a loss may be beside it.
"""

import json
import statistics
import sys
from pathlib import Path

from reference_run import Run, losses, why_not_this_job
from slurm_jobs import clear, hosts, report

EFFICIENCY, CURVE = METRICS = ("training.scaling_efficiency", "training.loss_curve_match")
TERMS = {"steps": 60, "checkpoint_every": 30, "step_s": 0.1, "log_every": 1000}
PATIENCE_S = 1800
# a rank is slow by this factor over the median of all, and a message by this many seconds at least
SLOW, LATE, LATE_S = 1.3, 3, 0.002


def main() -> None:
    """Run all, and judge."""
    if why := why_not_this_job():
        return report(dict.fromkeys(METRICS, (None, why)))
    clear()
    there = hosts()
    try:
        report(proved({**TERMS, **json.loads(sys.argv[1])}, there, reference_of(sys.argv[2]), float(sys.argv[3])))
    finally:
        clear()


def reference_of(file: str) -> list[float]:
    """Return the losses of the reference, or an empty list where one server's are the reference."""
    return json.loads(Path(file).read_text()) if file else []


def proved(terms: dict, there: list[str], reference: list[float], band: float) -> dict:
    """Return what was found."""
    if len(there) < 2:
        return dict.fromkeys(
            METRICS, (None, f"the scheduler has {len(there)} nodes: what they lose together needs two")
        )
    terms = {**terms, "shards": len(there)}
    few = {**terms, "steps": max(terms["steps"] // len(there), 5)}
    alone = [Run(f"alone-{host}", 1).begin(few, f"--nodelist={host}") for host in there]
    runs = {host: (run.end(PATIENCE_S), run) for host, run in zip(there, alone, strict=True)}
    for share in (4, 2, 1):
        nodes = -(-len(there) // share)
        if nodes > 1:
            run = Run(f"together-{nodes}", nodes).begin(terms)
            runs[f"{nodes} together"] = (run.end(PATIENCE_S), run)
    if failed := [outcome["failed"] for outcome, _ in runs.values() if "failed" in outcome]:
        return dict.fromkeys(METRICS, (None, "; ".join(failed)[:500]))
    outcomes = {name: outcome for name, (outcome, _) in runs.items()}
    curves = {name: losses(run.curve()) for name, (_, run) in runs.items()}
    return {EFFICIENCY: efficiency(outcomes, there), CURVE: match(curves, reference, band)}


def rate(outcome: dict) -> float:
    """Return tokens a second over all ranks."""
    return outcome["tokens"] / outcome["seconds"]


def efficiency(outcomes: dict, there: list[str]) -> tuple[float, str]:
    """Return the rate of all servers together over the sum of their rates alone. The note has every scale, and who is slow."""
    by_itself = sum(rate(outcomes[host]) for host in there)
    together = {name: outcome for name, outcome in outcomes.items() if name not in there}
    shares = {name: rate(o) * len(there) / (by_itself * len(o["ranks"])) for name, o in together.items()}
    scales = ", ".join(f"{name} {share:.2f}" for name, share in shares.items())
    *_, whole = together.values()
    slow = slow_alone(outcomes, there) + slow_together(whole["ranks"])
    note = f"of {by_itself:.0f} tokens/s that {len(there)} servers reach alone: {scales}; on processors, by gloo"
    return round(rate(whole) / by_itself, 3), f"{note}; slow: {', '.join(slow) or 'none'}"


def slow_alone(outcomes: dict, there: list[str]) -> list[str]:
    """Return the servers that are slow by themselves."""
    usual = statistics.median(rate(outcomes[host]) for host in there)
    return [
        f"{host} ({rate(outcomes[host]):.0f} tokens/s alone)" for host in there if rate(outcomes[host]) * SLOW < usual
    ]


def slow_together(ranks: list[dict]) -> list[str]:
    """Return the servers that are slow in their own work, or slow to reach, beside the others. Of two, nobody can say which is."""
    found = []
    for key, factor, least, words in (("compute_s", SLOW, 0.0, "own work"), ("round_trip_s", LATE, LATE_S, "to reach")):
        usual = statistics.median(rank[key] for rank in ranks)
        late = [rank for rank in ranks if rank[key] > max(usual * factor, usual + least)]
        found += [f"{rank['host']} ({words}: {rank[key] * 1000:.1f} ms, others {usual * 1000:.1f} ms)" for rank in late]
    return found


def match(curves: dict, reference: list[float], band: float) -> tuple[bool, str]:
    """Say whether every loss of every run is beside the reference by no more than the band."""
    first = next(iter(curves))
    expected = dict(enumerate(reference, 1)) or curves[first]
    apart = {
        name: max(abs(loss - expected[step]) / abs(expected[step]) for step, loss in curve.items() if step in expected)
        for name, curve in curves.items()
    }
    worst = max(apart, key=lambda name: apart[name])
    against = "the reference" if reference else f"{first} alone"
    note = f"{len(curves)} curves against {against} over {len(expected)} steps; {worst} is beside it most, by {apart[worst]:.2g}"
    return apart[worst] <= band, note


if __name__ == "__main__":
    main()
