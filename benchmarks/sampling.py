"""Samples with crews: how long 1,000 take, on a made-up network and on a planned site, and what crews add to unlimited dates.

python -m benchmarks.sampling           print
python -m benchmarks.sampling --write   and write docs/evidence/sampling.md
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

import numpy as np

from schedule.cpm.columns import Activities, Links
from schedule.cpm.compiled import compile_network
from schedule.cpm.shifts import ShiftCalendar, continuous
from schedule.crews.levelled_network import CrewedSolution, Crews, solve_with_crews
from schedule.crews.slots import Needs
from schedule.levelling.level import Effort
from schedule.levelling.problem import Capacity
from schedule.risk.model import RiskModel, risk_model
from schedule.risk.odds import Odds
from schedule.risk.running import RiskResult, run
from schedule.risk.spreads import three_points
from schedule.sampling.running import levelled_samples
from steps.catalog.loader import read_catalog, read_roles
from steps.design.design import design_of
from steps.design.site import Site
from steps.planning.dates.dating import closing_row, crews_of, effort_for, network_of
from steps.planning.odds.uncertainty import uncertainty
from steps.planning.planner import Hosts, Surroundings, make_plan

EVIDENCE = Path(__file__).resolve().parents[1] / "docs" / "evidence" / "sampling.md"
ACTIVITIES, LAYERS, POOLS, CREWS = 2_500, 60, 20, 4
SAMPLES, TIMES = 1_000, 3
DAY, YEARS = 1440, 8
SEED = 20_261_123
PRESET = "h100-10k"


class Case(NamedTuple):
    """What samples are drawn from."""

    name: str
    model: RiskModel
    crewed: CrewedSolution
    target: int


class Timed(NamedTuple):
    """The best of several runs: seconds on the clock, and of the processor, all threads together."""

    wall: float
    processor: float
    result: RiskResult


def layered() -> Case:
    """Return activities in layers with 2.5 links into each, for twenty trades of four crews, on eight hours of five days a week."""
    random = np.random.default_rng(7)
    width = ACTIVITIES // LAYERS
    after = np.repeat(np.arange(width, ACTIVITIES), 1 + random.poisson(1.5, ACTIVITIES - width))
    before = (after // width - 1) * width + random.integers(0, width, len(after))
    last = np.arange(ACTIVITIES - width, ACTIVITIES)
    sources = np.concatenate([before, last]).astype(np.int32)
    followers = np.concatenate([after, np.full(width, ACTIVITIES)]).astype(np.int32)
    nothing = np.zeros(len(followers), np.int32)
    likely = np.append(random.integers(120, 1920, ACTIVITIES), 0)
    names = [f"A{row}" for row in range(ACTIVITIES)] + ["end"]
    shifts = [
        (day * DAY + a, day * DAY + b)
        for day in range(365 * YEARS)
        if day % 7 < 5
        for a, b in ((480, 720), (780, 1020))
    ]
    starts, ends = np.array(shifts, np.int64).T
    network = compile_network(
        Activities(names, likely, np.zeros(ACTIVITIES + 1, np.int32)),
        Links(sources, followers, nothing.astype(np.uint8), nothing.astype(np.int64), nothing),
        [ShiftCalendar("five days", starts, ends, begins=0), continuous()],
    )
    rows = np.arange(ACTIVITIES)
    needs = Needs(rows, random.integers(0, POOLS, ACTIVITIES), random.integers(1, 3, ACTIVITIES))
    names_of_pools = tuple(f"pool {pool}" for pool in range(POOLS))
    crews = Crews(names_of_pools, (Capacity.constant(CREWS),) * POOLS, needs, np.zeros(ACTIVITIES + 1, np.int64))
    crewed = solve_with_crews(network, crews, Effort(50), target=ACTIVITIES)
    model = risk_model(network, three_points(likely * 4 // 5, likely, likely * 8 // 5))
    return Case(f"{ACTIVITIES:,} activities in {LAYERS} layers", model, crewed, ACTIVITIES)


def planned(preset: str) -> Case:
    """Return a preset as it is planned, with what is uncertain about it."""
    entry = {
        "name": "bench",
        "preset": preset,
        "start": "2027-01-04",
        "time_zone": "America/Chicago",
        "country": "US",
        "currency": "USD",
        "people": [{"id": "owner", "roles": ["owner-pm"]}],
    }
    site = Site.model_validate(entry)
    roles = {slug: role.title for slug, role in read_roles().items()}
    plan = make_plan(site, design_of(site), read_catalog(), Surroundings(roles, Hosts(), {}))
    network = network_of(plan)
    target = closing_row(network)
    assert target is not None
    crewed = solve_with_crews(network, crews_of(plan, network), effort_for(network), target=target)
    return Case(preset, uncertainty(plan, network, crewed.unlimited), crewed, target)


def drawn(case: Case, samples: int, *, threads: int = 1, chains: bool = False) -> RiskResult:
    """Return samples with crews."""
    slotted, levelled = case.crewed.slotted, case.crewed.levelled
    assert slotted is not None
    assert levelled is not None
    targets = [case.target]
    return levelled_samples(
        case.model, slotted, levelled.start, targets, seed=SEED, samples=samples, threads=threads, chains=chains
    )


def best_of(times: int, draw: Callable[[], RiskResult]) -> Timed:
    """Return the quickest of several runs, on the clock and of the processor each."""
    found = []
    for _ in range(times):
        wall, processor = time.perf_counter(), time.process_time()
        result = draw()
        found.append((time.perf_counter() - wall, time.process_time() - processor))
    return Timed(min(wall for wall, _ in found), min(processor for _, processor in found), result)


def rows_of(case: Case) -> tuple[list[str], str]:
    """Return the rows of the report for one network, and what is said of its dates."""
    drawn(case, 1, chains=True)  # compiles
    ways = {
        "1 thread": best_of(TIMES, lambda: drawn(case, SAMPLES)),
        "2 threads": best_of(TIMES, lambda: drawn(case, SAMPLES, threads=2)),
        "2 threads, chains counted": best_of(TIMES, lambda: drawn(case, SAMPLES, threads=2, chains=True)),
    }
    activities = len(case.crewed.base.activities)
    rows = [
        f"| {case.name} | {activities:,} | {way} | {SAMPLES:,} | {timed.wall:.2f} | {timed.processor:.2f} |"
        for way, timed in ways.items()
    ]
    first, *others = (timed.result.samples for timed in ways.values())
    same = all(np.array_equal(first, other) for other in others)
    free = run(case.model, [case.target], seed=SEED, samples=SAMPLES, threads=2, chains=False).samples
    said = ", ".join(
        f"P{level * 100:.0f} day {_day(first, level)} with crews and {_day(free, level)} without limit"
        for level in (0.5, 0.8)
    )
    planned_day = int(case.crewed.solution.finish[case.target]) // DAY
    earlier = int((first < free).sum())
    note = (
        f"- {case.name}: planned for day {planned_day}; {said}. Samples earlier than with unlimited crews: {earlier}. "
        f"1 and 2 threads: {'equal bits' if same else 'DIFFERENT'}."
    )
    return rows, note


def _day(samples: np.ndarray, level: float) -> int:
    return Odds(samples[0]).quantile(level).value // DAY


def report() -> str:
    """Return the page."""
    before = os.getloadavg()[0]
    parts = [rows_of(case) for case in (layered(), planned(PRESET))]
    rows = [row for rows, _ in parts for row in rows]
    notes = [note for _, note in parts]
    return f"""# Samples with crews

Written by `python -m benchmarks.sampling --write` on {datetime.now(UTC):%Y-%m-%d %H:%M} UTC. {os.cpu_count()} cores, {platform.machine()};
load {before:.1f} before and {os.getloadavg()[0]:.1f} after, so seconds on the clock include waiting for others. Python
{platform.python_version()}, numpy {np.__version__}. Slots of 15 minutes; best of {TIMES}. The goal is 1,000 samples of h100-10k
in 2 seconds on two threads.

| network | activities | how | samples | seconds | processor seconds, all threads |
|---|---|---|---|---|---|
{chr(10).join(rows)}

{chr(10).join(notes)}
"""


def main() -> None:
    """Print the report, and write it if asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true")
    wanted = parser.parse_args()
    page = report()
    print(page)
    if wanted.write:
        EVIDENCE.write_text(page, encoding="utf-8")
    if "DIFFERENT" in page:
        raise SystemExit("threads differ")


if __name__ == "__main__":
    main()
