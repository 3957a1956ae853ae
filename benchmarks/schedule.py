"""How long it takes to number and solve a network, beside longpath and MPXJ in the same run.

Usage: schedule.py [ACTIVITIES...] [--peers ACTIVITIES]. Layered networks, 300 levels, about 2.5 predecessors each, all link types,
four calendars, lags on the predecessor's. Times are the best of several, as passed on the clock and as used by the processor: on a
shared machine the second is what it costs.
"""

from __future__ import annotations

import argparse
import os
import platform
from collections.abc import Callable
from time import perf_counter, thread_time

import numpy as np

from schedule.cpm.columns import Activities, Links
from schedule.cpm.compiled import compile_network
from tests.schedule.judges import judges, longpath_solver, mpxj_solver
from tests.schedule.networks import DAY, WEEKS, Case, calendar_of

LEVELS = 300
SPAN = (-14 * DAY, 15 * 364 * DAY)
ROUNDS = 9


def layered(number: int, seed: int) -> Case:
    """Return a network of `number` activities in random order."""
    random = np.random.default_rng(seed)
    level = np.sort(np.concatenate([np.arange(LEVELS), random.integers(0, LEVELS, number - LEVELS)]))
    begin = np.searchsorted(level, np.arange(LEVELS + 1))
    degree = np.where(level == 0, 0, 1 + random.poisson(1.5, number))
    after = np.repeat(np.arange(number), degree)
    back = np.where(random.random(len(after)) < 0.3, random.integers(1, 6, len(after)), 1)
    far = np.maximum(level[after] - back, 0)
    before = begin[far] + (random.random(len(after)) * (begin[far + 1] - begin[far])).astype(np.int64)
    ends = np.unique(np.stack([after, before]), axis=1)  # one link at most between two, as MPXJ has it
    place = random.permutation(number).astype(np.int32)
    links = int(ends.shape[1])
    types = random.choice(4, links, p=[0.9, 0.05, 0.04, 0.01]).astype(np.uint8)
    lag = np.where(random.random(links) < 0.1, random.integers(1, 10, links), 0) * 60
    calendar = random.choice(4, number, p=[0.6, 0.2, 0.15, 0.05]).astype(np.int32)
    activities = Activities([f"A{row}" for row in range(number)], random.integers(0, 40, number) * 60, calendar)
    before_row = place[ends[1]]
    columns = Links(before_row, place[ends[0]], types, lag, calendar[before_row])
    return Case(activities, columns, [calendar_of(week, SPAN) for week in WEEKS], None)


def best(call: Callable[[], object], rounds: int = ROUNDS) -> str:
    """Return the least milliseconds on the clock, and of the processor."""
    clock, used = [], []
    for _ in range(rounds):
        began, began_used = perf_counter(), thread_time()
        call()
        clock.append(perf_counter() - began)
        used.append(thread_time() - began_used)
    return f"{min(clock) * 1e3:9.1f} ms ({min(used) * 1e3:9.1f} processor)"


def ours(case: Case) -> None:
    """Print our times."""
    activities, links, calendars = case.activities, case.links, case.calendars
    network = compile_network(activities, links, calendars)
    finish = network.solve().project_finish
    levels = len(network.numbers.level) - 1
    size = f"{len(activities):>9,} activities, {len(links):,} links, {levels} levels"
    print(f"{size}; finish on day {finish / DAY:.1f}")

    def anew() -> None:
        compile_network(activities, links, calendars).solve()

    def dates() -> None:
        solution = network.solve()
        for name in ("start", "finish", "late_start", "late_finish", "total_float", "driving_link"):
            getattr(solution, name)

    print(f"  {'clusterwright':22} numbered and solved {best(anew, 5)}")
    print(f"  {'clusterwright':22} solved again        {best(network.solve)}")
    print(f"  {'clusterwright':22} and columns by row  {best(dates)}")


def peers(case: Case) -> None:
    """Print the time that each peer takes to solve the network once it has it, and whether it finishes as ours does."""
    finish = compile_network(case.activities, case.links, case.calendars).solve().project_finish
    for judge in judges():
        if judge.missing:
            print(f"  {judge.name:22} left out: {judge.missing}")
            continue
        if judge.name == "longpath":
            call = longpath_solver(case, "predecessor")
        else:
            call, _ = mpxj_solver(case, "predecessor", judge.name.replace("MPXJ ", "") + "Scheduler")
        print(f"  {judge.name:22} solved              {best(call, 2)}", flush=True)
    print(f"  (ours finishes on day {finish / DAY:.1f})")


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sizes", nargs="*", type=int, default=[5_000, 75_000, 1_000_000])
    parser.add_argument("--peers", nargs="*", type=int, default=[5_000])
    asked = parser.parse_args()
    print(
        f"{platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, Python {platform.python_version()}"
    )
    for number in asked.sizes:
        case = layered(number, 1)
        ours(case)
        if number in asked.peers:
            peers(case)
    print(f"load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
