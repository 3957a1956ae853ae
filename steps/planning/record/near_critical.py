"""What nearly drives a date: the chains with the least float towards it, after the one that drives it."""

from __future__ import annotations

from collections.abc import Collection
from itertools import takewhile
from typing import NamedTuple

from schedule.cpm.paths import float_paths
from schedule.cpm.wiring import DONE
from steps.planning.record.forecast import ForecastSolution


class FloatChain(NamedTuple):
    """A chain of activities, orders and deliveries. Each goes on from the one before; the last leads to `joins`."""

    float_h: float
    """How long it may be delayed before it drives the date: hours of `calendar`, in the order of crews that was found."""
    calendar: str
    tightest: str
    """What has this float; the others have as much or more."""
    joins: str
    ids: tuple[str, ...]


def near_critical(
    solved: ForecastSolution, target: str, driving: Collection[str], *, most: int
) -> tuple[FloatChain, ...]:
    """Return at most `most` chains, the one with the least float first. `driving` are the ids that drive the target.

    A chain ends where it leads to one of these, or to a chain before it.
    """
    network, solution = solved.crewed.network, solved.crewed.solution
    names, calendar = network.activities.names, network.activities.calendar
    row, number = names.index(target), network.numbers.number
    done = (solution.work.state == DONE)[number]
    total_float = network.late_for(solution, row).total_float[number]
    found = []
    # a chain that is done, or that drives, is no such chain: so more are asked for
    for path in float_paths(network, solution, row, most=2 * most + 1):
        ahead = list(takewhile(lambda at: names[at] not in driving, path.activities))
        rows = [at for at in ahead if not done[at]]
        if rows:
            joins = names[network.links.after[path.links[len(ahead) - 1]]]
            least = min(rows, key=lambda at: int(total_float[at]))
            float_h, counted = total_float[least] / 60, network.calendars[calendar[least]].name
            found.append(FloatChain(float(float_h), counted, names[least], joins, tuple(names[at] for at in rows)))
    return tuple(sorted(found)[:most])
