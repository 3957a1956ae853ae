"""How good levelled schedules are after 0.1, 1 and 5 seconds, beside CP-SAT, and how fast large plans are levelled.

Usage: levelling.py FOLDER [--seconds 0.1 1 5] [--peer-seconds 1 10] [--peer-every 12] [--write]

FOLDER holds PSPLIB's files in `j60` and `j120`, and best_known.csv. Seconds are of processor time on one core; each search has
the number of schedules that fits, which is measured on the instance itself. Every schedule is judged by the tests' judge.
"""

from __future__ import annotations

import argparse
import csv
import os
import platform
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.calibration import effort_of
from benchmarks.levelling_least import proof
from benchmarks.levelling_pods import pods_problem, template, template_problem
from benchmarks.psplib_file import read_sm
from schedule.levelling.level import Effort, level
from schedule.levelling.problem import Problem
from schedule.levelling.result import Levelled
from tests.schedule.levelling.checker import faults

EVIDENCE = Path(__file__).parent.parent / "docs" / "evidence" / "levelling.md"


@dataclass(frozen=True)
class Instance:
    """A project and the length of its best known schedule."""

    name: str
    problem: Problem
    best: int


def instances(folder: Path, kind: str) -> list[Instance]:
    """Return the projects of one set."""
    with (folder / "best_known.csv").open() as lines:
        rows = [row for row in csv.DictReader(lines) if row["set"] == kind]
    named = ((row["instance"], int(row["best_known"])) for row in rows)
    return [Instance(name, read_sm(folder / kind / name).problem, best) for name, best in named]


def judged(problem: Problem, found: Levelled) -> Levelled:
    """Return what was found after an independent judge saw no fault in it."""
    wrong = list(faults(problem, found.start.tolist()))
    assert not wrong, wrong[:3]
    return found


def gaps_after(chosen: list[Instance], seconds: float) -> str:
    """Return a row of the table for our search."""
    gaps, used, made, best = [], 0.0, 0, 0
    for each in chosen:
        began = time.process_time()
        found = level(each.problem, effort_of(each.problem, seconds, time.process_time))
        used += time.process_time() - began
        judged(each.problem, found)
        gaps.append(found.length / each.best - 1)
        made += found.schedules
        best += found.length <= each.best
    count = len(chosen)
    mean, worst = 100 * sum(gaps) / count, 100 * max(gaps)
    return f"| {mean:.2f} % | {worst:.1f} % | {best} of {count} | {used / count:.2f} s | {made // count:,} |"


def peer_after(chosen: list[Instance], seconds: float) -> str:
    """Return a row of the table for CP-SAT with one worker and no hint."""
    gaps, used, best, none = [], 0.0, 0, 0
    for each in chosen:
        began = time.process_time()
        length = cp_sat(each.problem, seconds)
        used += time.process_time() - began
        if length is None:
            none += 1
            continue
        gaps.append(length / each.best - 1)
        best += length <= each.best
    count = len(gaps)
    mean, worst = 100 * sum(gaps) / max(count, 1), 100 * max(gaps, default=0)
    remark = f"none found for {none}" if none else ""
    return f"| {mean:.2f} % | {worst:.1f} % | {best} of {len(chosen)} | {used / len(chosen):.2f} s | {remark} |"


def cp_sat(problem: Problem, seconds: float) -> int | None:
    """Return the length that CP-SAT finds by itself, None if it finds nothing."""
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    horizon = int(problem.duration.sum())
    starts = [model.new_int_var(0, horizon, "") for _ in range(problem.count)]
    lengths = problem.duration.tolist()
    links = problem.links
    for before, after in zip(links.before.tolist(), links.after.tolist(), strict=True):
        model.add(starts[after] >= starts[before] + lengths[before])
    work = [model.new_fixed_size_interval_var(start, length, "") for start, length in zip(starts, lengths, strict=True)]
    for resource, capacity in enumerate(problem.capacities):
        rows = problem.demands.resource == resource
        users = [work[a] for a in problem.demands.activity[rows].tolist()]
        model.add_cumulative(users, problem.demands.amount[rows].tolist(), capacity.amount[0])
    end = model.new_int_var(0, horizon, "")
    for start, length in zip(starts, lengths, strict=True):
        model.add(end >= start + length)
    model.minimize(end)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.max_time_in_seconds = seconds
    found = solver.solve(model) in (cp_model.OPTIMAL, cp_model.FEASIBLE)
    return round(solver.objective_value) if found else None


def large(name: str, problem: Problem, seconds: float) -> Iterator[str]:
    """Yield rows for the first schedule and for the one after some seconds."""
    level(problem, Effort(1))  # machine code is made, or read from disk
    for effort_for in (lambda: Effort(1), lambda: effort_of(problem, seconds, time.process_time)):
        found, used = timed(problem, effort_for)
        judged(problem, found)
        weak = max(int((found.unlevelled + problem.duration).max()), crew_load(problem))
        yield (
            f"| {name}, {problem.count:,} activities | {found.schedules:,} | {used:.2f} s | {found.length:,} | {weak:,} "
            f"| {100 * (found.length / weak - 1):.1f} % | {found.bound:,} | {100 * found.gap:.1f} % | {found.method} |"
        )


def timed(problem: Problem, effort_for: Callable[[], Effort]) -> tuple[Levelled, float]:
    """Return what is found and the seconds of processor time."""
    began = time.process_time()
    found = level(problem, effort_for())
    return found, time.process_time() - began


def crew_load(problem: Problem) -> int:
    """Return the slots of work of the busiest resource, without breaks."""
    demands = problem.demands
    loads = [0] * len(problem.capacities)
    for a, resource, amount in zip(demands.activity, demands.resource, demands.amount, strict=True):
        loads[resource] += int(problem.duration[a] * amount)
    return max(-(-load // max(capacity.amount)) for load, capacity in zip(loads, problem.capacities, strict=True))


def table(arguments: argparse.Namespace) -> Iterator[str]:
    """Yield the page, line by line."""
    yield "# Levelling, as measured"
    yield ""
    load = os.getloadavg()[0]
    yield f"{datetime.now(UTC):%Y-%m-%d}, {os.cpu_count()} cores, {platform.machine()}, load average {load:.1f} when it began."
    yield "Written by `python -m benchmarks.levelling FOLDER --write`. Seconds are of processor time on one core."
    yield "Every schedule of ours was judged by a checker that shares no code with the engine."
    yield ""
    yield "Gap to the best known schedule (PSPLIB, list of Ghent University of 18 September 2024)."
    yield ""
    yield "| set | who | mean gap | worst gap | best known | time for each | schedules for each |"
    yield "|---|---|---|---|---|---|---|"
    for kind in ("j60", "j120"):
        chosen = instances(arguments.folder, kind)
        level(chosen[0].problem, Effort(400))
        for seconds in arguments.seconds:
            yield f"| {kind}, all {len(chosen)} | levelling, {seconds:g} s {gaps_after(chosen, seconds)}"
        some = chosen[:: arguments.peer_every]
        for seconds in arguments.peer_seconds:
            yield f"| {kind}, every {arguments.peer_every}th | CP-SAT alone, {seconds:g} s, one worker {peer_after(some, seconds)}"
        if arguments.peer_seconds:
            yield f"| {kind}, every {arguments.peer_every}th | levelling, 1 s {gaps_after(some, 1.0)}"
    yield ""
    yield "Large plans. `simple bound` is the longest chain or the load of the busiest trade; `bound` is the engine's own."
    yield "The first two are the catalog's steps in hours with the site's shifts, the last is a made-up template without shifts."
    yield ""
    yield "| plan | schedules | time | finish | simple bound | above it | bound | above it | found by |"
    yield "|---|---|---|---|---|---|---|---|---|"
    yield from large("catalog, 256 pods, 8 crews a trade", pods_problem(256, 8), 10)
    yield from large("catalog, 640 pods, 8 crews a trade", pods_problem(640, 8), 10)
    yield from large("template of 195 steps, 256 pods, 8 trades", template_problem(256), 10)
    yield ""
    yield from proof(template(256))


def main() -> None:
    """Print the page, and write it if that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seconds", type=float, nargs="*", default=[0.1, 1.0, 5.0])
    parser.add_argument("--peer-seconds", type=float, nargs="*", default=[1.0, 10.0])
    parser.add_argument("--peer-every", type=int, default=12)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    lines = []
    for line in table(arguments):
        print(line, flush=True)
        lines.append(line)
    if arguments.write:
        EVIDENCE.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
