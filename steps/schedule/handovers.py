"""Who hands a crew to whom: the order of a levelled schedule as links, so that dates in minutes keep the crews too.

Each unit of a resource passes from one activity to the next. A network with these links needs no more than there is, whatever
the durations become (a resource flow: Artigues, Michelon and Reusser, European Journal of Operational Research 149, 2003).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from steps.schedule.levelling.problem import Problem
from steps.schedule.levelling.waits import Starts


class Handover(NamedTuple):
    """An activity takes over a resource from an earlier one. All are numbers."""

    before: int
    after: int
    resource: int


class _Unit(NamedTuple):
    """One unit of a resource: since when it is free, and what held it last; None if nothing did."""

    since: int
    holder: int | None


def handovers(problem: Problem, start: Starts, finish: Starts) -> Iterator[Handover]:
    """Yield the handovers of a schedule that keeps the problem, in the order of their starts.

    A crew stays in its group where it can, and otherwise goes on as soon as it is free. Work that is fixed may hold more than
    there is: it takes what is left over from nobody.
    """
    demands = problem.demands
    in_order = sorted(zip(start[demands.activity].tolist(), range(len(demands.activity)), strict=True))
    pools = [[_Unit(0, None)] * max(capacity.amount) for capacity in problem.capacities]
    group = problem.group.tolist() or [0] * problem.count
    ends = finish.tolist()
    for begin, row in in_order:
        after, resource = int(demands.activity[row]), int(demands.resource[row])
        pool = pools[resource]

        def preference(unit: _Unit, own: int = group[after]) -> tuple[bool, int, int]:
            stays = unit.holder is not None and group[unit.holder] == own
            return (stays, unit.since, -1 if unit.holder is None else unit.holder)

        free = sorted((unit for unit in pool if unit.since <= begin), key=preference, reverse=True)
        taken = free[: int(demands.amount[row])]
        for unit in taken:
            pool.remove(unit)
        pool.extend([_Unit(ends[after], after)] * len(taken))
        for before in sorted({unit.holder for unit in taken if unit.holder is not None}):
            yield Handover(before, after, resource)
