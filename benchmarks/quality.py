"""Times the quality checks of a solved network: python -m benchmarks.quality [ACTIVITIES], 75,000 by default.

The network has all link types, lags, calendars and progress; every check is answered, so a baseline is made up.
"""

from __future__ import annotations

import os
import sys
from time import perf_counter

import numpy as np

from benchmarks.schedule import layered
from schedule.cpm.columns import NONE, Actuals
from schedule.cpm.compiled import CompiledNetwork, compile_network
from schedule.cpm.solution import Solution
from schedule.quality.assessing import Assessment, assess
from schedule.quality.subject import Known

ROUNDS = 5
SIZE = 75_000
DAYS = np.array([480, 1440, 720, 390], np.int64)
"""Working minutes in a day of the network's calendars."""


def solved(network: CompiledNetwork) -> tuple[Solution, np.ndarray]:
    """Return a solution in whose middle the data date is, and the baseline that it is compared with."""
    planned = network.solve()
    today = planned.project_finish // 4
    begun, ended = planned.start <= today, planned.finish <= today
    started, finished = np.where(begun, planned.start, NONE), np.where(ended, planned.finish, NONE)
    return network.solve(actuals=Actuals(today, started, finished)), planned.finish - 1440


def main() -> None:
    """Print the best of several rounds, each with a solution whose columns nobody has asked for."""
    number = int(sys.argv[1]) if len(sys.argv) > 1 else SIZE
    case = layered(number, seed=1)
    network = compile_network(case.activities, case.links, case.calendars)
    taken, found = [], Assessment(())
    for _ in range(ROUNDS):
        solution, baseline = solved(network)
        something = np.arange(number) % 3 > 0
        known = Known(DAYS, loaded=something, uncertain=something, baseline=baseline)
        began = perf_counter()
        found = assess(network, solution, known)
        taken.append(perf_counter() - began)
    answered = sum(check.value is not None for check in found.checks)
    print(
        f"{number:,} activities, {len(case.links):,} links, {answered} of {len(found.checks)} checks "
        f"answered: {min(taken) * 1e3:.0f} ms, load {os.getloadavg()[0]:.1f}"
    )


if __name__ == "__main__":
    main()
