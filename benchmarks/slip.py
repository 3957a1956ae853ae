"""How long it takes to explain a slip, to find drags, and to say why a date is what it is.

python -m benchmarks.slip                     16,000 activities, and docs/evidence/slip.md
python -m benchmarks.slip --activities 5000   a smaller network, printed only
"""

from __future__ import annotations

import argparse
import os
import platform
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter, thread_time
from typing import NamedTuple

import numpy as np

from benchmarks.schedule import layered
from schedule.cpm.columns import NONE, Actuals
from schedule.cpm.compiled import CompiledNetwork, compile_network
from schedule.cpm.drag import drags
from schedule.cpm.paths import float_paths
from schedule.cpm.why import why
from schedule.slip.concurrent import near_chains
from schedule.slip.explain import Slip, explain
from schedule.slip.standing import Standing, between
from tests.schedule.networks import DAY

EVIDENCE = Path(__file__).resolve().parents[1] / "docs" / "evidence" / "slip.md"
ACTIVITIES = 16_000
SEED = 20_261_123
BUILT = 0.6
"""The data date, as a part of the way to the finish."""


class Case(NamedTuple):
    """A project: its plan, and its record at a data date."""

    network: CompiledNetwork
    first: Standing
    last: Standing
    target: int

    @property
    def name(self) -> str:
        """The target's name."""
        return self.network.activities.names[self.target]


class Row(NamedTuple):
    """A line of the table."""

    what: str
    found: str
    wall: float
    processor: float


def case(activities: int) -> Case:
    """Return a network of which 2 of 5 activities took 20 % less or 30 % more than planned."""
    drawn = layered(activities, 1)
    network = compile_network(drawn.activities, drawn.links, drawn.calendars)
    factor = np.random.default_rng(SEED).choice([1, 1, 1, 0.8, 1.3], activities)
    built = network.solve(durations=(drawn.activities.duration * factor).astype(np.int64))
    data_date = int(built.project_finish * BUILT)
    started = np.where(built.start <= data_date, built.start, NONE)
    finished = np.where((built.finish <= data_date) & (started != NONE), built.finish, NONE)
    target = int(np.argmax(network.solve().finish))
    return Case(network, Standing(network), Standing(network, Actuals(data_date, started, finished)), target)


def windows(made: Case, every: int | None) -> list[Standing]:
    """Return the standings at the ends of windows of so many days, or of one window."""
    instants = () if every is None else range(every * DAY, made.last.data_date, every * DAY)
    return between(made.first, made.last, instants)


def rows(made: Case, lengths: dict[str, int | None], times: int) -> Iterator[Row]:
    """Return a line for each question."""
    solution = made.last.solved().solution
    day = np.full(len(made.network.activities), 480)
    questions: dict[str, Callable[[], object]] = {
        f"slip, {name}": lambda every=every: explain(windows(made, every), made.name)  # type: ignore[misc] # its own value
        for name, every in lengths.items()
    }
    plan = made.network.solve(target=made.target)
    questions |= {
        "ten chains beside, with their causes": lambda: near_chains(made.first, made.last, made.name, within=20 * DAY),
        "drags of the plan, and of a day": lambda: drags(made.network, plan, made.target, day=day),
        "why, from the data date": lambda: why(made.network, solution, made.target),
        "ten float paths": lambda: float_paths(made.network, solution, made.target, most=10),
    }
    for what, ask in questions.items():
        clock, used = [], []
        for _ in range(times):
            began, began_used = perf_counter(), thread_time()
            answer = ask()
            clock.append(perf_counter() - began)
            used.append(thread_time() - began_used)
        yield Row(what, found_in(answer), min(clock), min(used))


def found_in(answer: object) -> str:
    """Return the size of an answer; a slip whose parts are not its sum is an error."""
    if not isinstance(answer, Slip):
        return f"{len(answer)} found"  # type: ignore[arg-type] # all others are lists
    if sum(part.minutes for part in answer.by_window) != answer.minutes:
        raise SystemExit("the parts do not sum to the slip")
    return f"{answer.minutes / DAY:.1f} days, {len(answer.parts)} parts"


def main() -> None:
    """Print the figures, and write them if the network has its full size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--activities", type=int, default=ACTIVITIES)
    parser.add_argument("--times", type=int, default=3)
    wanted = parser.parse_args()
    before = os.getloadavg()[0]
    made = case(wanted.activities)
    lengths = {"one window": None, "a window every four weeks": 28, "a window every week": 7}
    found = rows(made, lengths, wanted.times)
    days = made.last.data_date / DAY
    lines = [f"| {row.what} | {row.found} | {row.wall * 1e3:,.0f} | {row.processor * 1e3:,.0f} |" for row in found]
    report = f"""# Slip, drag and why of a large network

Written by `python -m benchmarks.slip` on {datetime.now(UTC):%Y-%m-%d %H:%M} UTC. {os.cpu_count()} cores, {platform.machine()};
load {before:.1f} before and {os.getloadavg()[0]:.1f} after, so milliseconds on the clock include waiting for others. Python
{platform.python_version()}, numpy {np.__version__}. {wanted.activities:,} activities in 300 layers, all link types, four calendars; the data date is
day {days:.0f}. Best of {wanted.times}. The parts of every slip sum to it, or the run ends with an error.

| question | found | milliseconds | of the processor |
|---|---|---|---|
{chr(10).join(lines)}
"""
    print(report)
    if wanted.activities == ACTIVITIES:
        EVIDENCE.write_text(report, encoding="utf-8")


if __name__ == "__main__":
    main()
