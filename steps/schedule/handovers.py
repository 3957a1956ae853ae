"""Who hands a crew to whom: the order of a levelled schedule as links, so that dates in minutes keep the crews too.

Each unit of a resource passes from one activity to the next. A network with these links needs no more than there is, whatever
the durations become (a resource flow: Artigues, Michelon and Reusser, European Journal of Operational Research 149, 2003).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from steps.schedule.levelling.problem import Problem
from steps.schedule.levelling.waits import Starts


class Handover(NamedTuple):
    """An activity takes over a resource from an earlier one. All are numbers."""

    before: int
    after: int
    resource: int


class Flow(NamedTuple):
    """How resources pass through a schedule."""

    handovers: tuple[Handover, ...]
    pinned: tuple[int, ...]
    """Activities to which nobody hands over, so that only their start in the schedule keeps the crews: they work while what
    has their crew rests, or run with more than there is, or what had it comes after them by links that lead back in time."""


class _Unit(NamedTuple):
    """One unit of a resource: since when it is free, and what holds it until then."""

    since: int
    holders: tuple[int, ...]


def flow_of(problem: Problem, start: Starts, finish: Starts, before: Starts, after: Starts) -> Flow:
    """Return how resources pass through a schedule that keeps the problem; each resource has always as much.

    `before` and `after` are the ends of all links of the network, also of those that hold nothing any more: no handover leads
    against them. A crew that has done nothing yet comes first, then one of the same group, then the one that became free last.
    """
    demands = problem.demands
    in_order = sorted(zip(start[demands.activity].tolist(), range(len(demands.activity)), strict=True))
    pools = [[_Unit(0, ())] * max(capacity.amount) for capacity in problem.capacities]
    group = problem.group.tolist() or [0] * problem.count
    place = _places(start, before, after)
    ends = finish.tolist()
    found: list[Handover] = []
    pinned: list[int] = []
    for begin, row in in_order:
        taker, resource, amount = int(demands.activity[row]), int(demands.resource[row]), int(demands.amount[row])
        pool, own = pools[resource], group[taker]
        free = sorted((unit for unit in pool if unit.since <= begin), key=lambda unit: _preference(unit, group, own))
        taken = free[:amount]
        holders = sorted({one for unit in taken for one in unit.holders})
        found += [Handover(one, taker, resource) for one in holders if place[one] < place[taker]]
        if any(place[one] > place[taker] for one in holders):
            pinned.append(taker)
        held = [_Unit(ends[taker], (taker,)) for _ in taken]
        if len(taken) < amount:
            pinned.append(taker)
            rest = sorted(unit for unit in pool if unit.since > begin)[: amount - len(taken)]
            held += [_Unit(max(unit.since, ends[taker]), (*unit.holders, taker)) for unit in rest]
            taken += rest
        for unit in taken:
            pool.remove(unit)
        pool += held
    return Flow(tuple(found), tuple(pinned))


def _preference(unit: _Unit, group: list[int], own: int) -> tuple[bool, bool, int, tuple[int, ...]]:
    return bool(unit.holders), all(group[one] != own for one in unit.holders), -unit.since, unit.holders


def _places(start: Starts, before: Starts, after: Starts) -> list[int]:
    """Return the place of each activity by its start, after all that it waits for: links in this order make no circle."""
    key = start.tolist()
    back = np.flatnonzero(start[before] > start[after])
    if len(back):
        in_order = np.argsort(after, kind="stable")
        for earlier, later in zip(before[in_order].tolist(), after[in_order].tolist(), strict=True):
            key[later] = max(key[later], key[earlier])
    place = [0] * len(key)
    for at, one in enumerate(sorted(range(len(key)), key=lambda one: (key[one], one))):
        place[one] = at
    return place
