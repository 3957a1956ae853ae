"""Monte Carlo of a large network: how long 10,000 samples take, and whether they are those of numpy's own generator.

python -m benchmarks.risk                     everything, and docs/evidence/risk.md
python -m benchmarks.risk --activities 5000   a smaller network, printed only
"""

from __future__ import annotations

import argparse
import os
import platform
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import numba
import numpy as np

from benchmarks.risk_peer import BATCH, Peer
from schedule.cpm.columns import Activities, Links
from schedule.cpm.compiled import compile_network
from schedule.cpm.shifts import Minutes, ShiftCalendar, continuous
from schedule.risk.drivers import RiskDriver, RiskEvent, repeats
from schedule.risk.model import risk_model
from schedule.risk.odds import LEVELS, NORMAL, Odds
from schedule.risk.running import run
from schedule.risk.spreads import Spread, three_points

EVIDENCE = Path(__file__).resolve().parents[1] / "docs" / "evidence" / "risk.md"
ACTIVITIES, LAYERS, SAMPLES, PEER_SAMPLES = 75_000, 300, 10_000, 1_000
DAY = 1440
SEED = 20_261_123
YEARS = 12


class Timed(NamedTuple):
    """The best of several runs: seconds on the clock, and of the processor, all threads together."""

    wall: float
    processor: float
    samples: Minutes


def week(name: str, hours: list[tuple[int, int]], days: int) -> ShiftCalendar:
    """Return the same shifts, in minutes of a day, on the first days of each week for twelve years."""
    shifts = [(day * DAY + a, day * DAY + b) for day in range(-7, 365 * YEARS) if day % 7 < days for a, b in hours]
    starts, ends = zip(*shifts, strict=True)
    return ShiftCalendar(name, np.array(starts, np.int64), np.array(ends, np.int64), begins=-7 * DAY)


CALENDARS = [
    week("five days", [(480, 720), (780, 1020)], 5),
    week("six long days", [(360, 1080)], 6),
    week("two shifts", [(360, 1320)], 7),
    continuous(),
]


def layered(activities: int, *, with_calendars: bool) -> tuple[Peer, int]:
    """Return a network in layers with 2.5 links into each activity, and its last milestone; triangular 0.8, 1, 1.6."""
    random = np.random.default_rng(7)
    width = max(activities // LAYERS, 2)
    after = np.repeat(np.arange(width, activities), 1 + random.poisson(1.5, activities - width))
    before = np.asarray((after // width - 1) * width + random.integers(0, width, len(after)))
    last = np.arange(activities - width, activities)
    before = np.concatenate([before, last])
    after = np.concatenate([after, np.full(width, activities)]).astype(np.int32)
    likely = np.append(random.integers(240, 2400, activities), 0)
    calendars = CALENDARS if with_calendars else [continuous()]
    calendar = random.integers(0, len(calendars), activities + 1, np.int32)
    names = [f"A{row}" for row in range(activities)] + ["end"]
    nothing = np.zeros(len(after), np.int32)
    network = compile_network(
        Activities(names, likely, calendar), Links(before.astype(np.int32), after.astype(np.int32), nothing.astype(np.uint8), nothing.astype(np.int64), nothing), calendars,
    )  # fmt: skip
    drivers = [RiskDriver(f"driver {k}", 0.3, Spread(0.9, 1.1, 1.6), np.arange(k, activities, 5)) for k in range(10)]
    events = [
        RiskEvent("test fails", repeats(0.1, 3), Spread(60, 120, 400), np.arange(0, activities, 20)),
        RiskEvent("parts dead on arrival", (0.05,), Spread(300, 600, 2000), np.arange(7, activities, 10)),
    ]
    more = (drivers, events) if with_calendars else ([], [])
    return Peer(network, 4 * likely // 5, likely, 8 * likely // 5, *more), activities


def best_of(times: int, draw: Callable[[], Minutes]) -> Timed:
    """Return the quickest of several runs, on the clock and of the processor each."""
    found = []
    for _ in range(times):
        wall, processor = time.perf_counter(), time.process_time()
        samples = draw()
        found.append((time.perf_counter() - wall, time.process_time() - processor))
    return Timed(min(wall for wall, _ in found), min(processor for _, processor in found), samples)


def deviations(ours: Odds, theirs: Odds) -> dict[str, float]:
    """Return by statistic how many standard errors two sets of samples differ."""
    found = {"mean": (ours.mean - theirs.mean) / np.hypot(ours.standard_error, theirs.standard_error)}
    for level in LEVELS:
        pair = [odds.quantile(level) for odds in (ours, theirs)]
        errors = [(quantile.high - quantile.low) / (2 * NORMAL) for quantile in pair]
        found[f"P{level * 100:.0f}"] = (pair[0].value - pair[1].value) / np.hypot(errors[0], errors[1])
    return found


def compare(activities: int, *, with_calendars: bool, times: int) -> tuple[list[str], bool]:
    """Run one network with both; return the rows of the report, and whether all is within three standard errors."""
    peer, target = layered(activities, with_calendars=with_calendars)
    model = risk_model(
        peer.network, three_points(peer.low, peer.likely, peer.high), drivers=peer.drivers, events=peer.events
    )
    what = "with calendars, 10 drivers, 2 events, criticality" if with_calendars else "without calendars"

    def ours(threads: int = 2, samples: int = SAMPLES) -> Minutes:
        found = run(model, [target], seed=SEED, samples=samples, threads=threads, chains=with_calendars)
        return np.asarray(found.samples[0])

    ours(samples=1)  # compiles
    timed = best_of(times, ours)
    alike = np.array_equal(ours(1, 1024), timed.samples[:1024])
    number = PEER_SAMPLES if with_calendars else SAMPLES
    draw = peer.by_sample if with_calendars else peer.by_activity
    theirs = best_of(1, lambda: draw(target, number, SEED))
    errors = deviations(Odds(timed.samples), Odds(theirs.samples))
    name = "a pass of cpm for each sample" if with_calendars else f"by activity, batches of {BATCH}"
    rows = [
        f"| {what} | ours, 2 threads | {SAMPLES:,} | {timed.wall:.2f} | {timed.processor:.2f} | {rate(timed, activities, SAMPLES)} |",
        f"| {what} | numpy PCG64, {name} | {number:,} | {theirs.wall:.2f} | {theirs.processor:.2f} | {rate(theirs, activities, number)} |",
    ]
    said = ", ".join(f"{statistic} {error:+.2f}" for statistic, error in errors.items())
    notes = [
        f"- {what}: standard errors between both: {said}. 1 and 2 threads: {'equal bits' if alike else 'DIFFERENT'}."
    ]
    return rows + notes, alike and max(map(abs, errors.values())) < 3


def rate(timed: Timed, activities: int, samples: int) -> str:
    """Return millions of activity-samples a second of processor."""
    return f"{activities * samples / timed.processor / 1e6:,.0f}"


def main() -> None:
    """Run both networks, print the report, and write it if the network has its full size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--activities", type=int, default=ACTIVITIES)
    parser.add_argument("--times", type=int, default=2)
    wanted = parser.parse_args()
    before = os.getloadavg()[0]
    parts = [compare(wanted.activities, with_calendars=flag, times=wanted.times) for flag in (False, True)]
    rows = [line for lines, _ in parts for line in lines if line.startswith("|")]
    notes = [line for lines, _ in parts for line in lines if line.startswith("-")]
    report = f"""# Samples of a large network

Written by `python -m benchmarks.risk` on {datetime.now(UTC):%Y-%m-%d %H:%M} UTC. {os.cpu_count()} cores, {platform.machine()};
load {before:.1f} before and {os.getloadavg()[0]:.1f} after, so seconds on the clock include waiting for others. Python
{platform.python_version()}, numpy {np.__version__}, numba {numba.__version__}. {wanted.activities:,} activities in {LAYERS} layers, 2.5 links into each,
triangular 0.8, 1, 1.6. Best of {wanted.times}; the peer once.

| network | engine | samples | seconds | processor seconds, all threads | million activity-samples a processor second |
|---|---|---|---|---|---|
{chr(10).join(rows)}

{chr(10).join(notes)}
"""
    print(report)
    if wanted.activities == ACTIVITIES:
        EVIDENCE.write_text(report, encoding="utf-8")
    if not all(good for _, good in parts):
        raise SystemExit("the distributions differ, or the threads do")


if __name__ == "__main__":
    main()
