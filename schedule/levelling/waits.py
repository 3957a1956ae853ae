"""Explains a levelled schedule: by how much each activity is late, which resource it lacked, and who held it."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from schedule.levelling.problem import CONTINUOUS, NOT_FIXED, Problem

Starts = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Wait:
    """Why an activity is later than with unlimited resources."""

    activity: int
    late: int
    """Slots after its unlevelled early start."""
    waited: int
    """Slots after everything that it waits for by its links: so long it waited for a resource itself."""
    resource: int | None
    """The resource that it lacked in the last slot before its start; None if it waited for links alone."""
    holders: tuple[int, ...]
    """The activities that held that resource in that slot. None if the resource was not there at all."""
    driver: int | None
    """The earlier activity whose link sets its earliest start; None if its release does."""


def waits(problem: Problem, start: Starts, finish: Starts, unlevelled: Starts) -> tuple[Wait, ...]:
    """Return a wait for each activity that starts later than with unlimited resources.

    The schedule is one in which nothing can start earlier while the rest stays.
    """
    late = np.flatnonzero((start > unlevelled) & (problem.fixed == NOT_FIXED)).tolist()
    opened = [np.flatnonzero(slots) for slots in problem.calendars]
    ready = {a: _ready(problem, opened, a, start, finish) for a in late}
    before = {a: _slot_before(problem, a, int(start[a])) for a in late}
    holding = _Holding(problem, start, finish, {slot for a, slot in before.items() if start[a] > ready[a][0]})
    found = []
    for a, (earliest, driver) in ready.items():
        waited = max(int(start[a]) - earliest, 0)
        resource, holders = holding.lacked(a, before[a]) if waited else (None, ())
        found.append(Wait(a, int(start[a] - unlevelled[a]), waited, resource, holders, driver))
    return tuple(found)


def _ready(problem: Problem, opened: list[Starts], a: int, start: Starts, finish: Starts) -> tuple[int, int | None]:
    """Return the first slot in which links, release and calendar let `a` start, and the earlier activity that sets it."""
    links = problem.links
    calendar, length = int(problem.calendar[a]), int(problem.duration[a])
    works = opened[calendar] if calendar != CONTINUOUS and length else None
    earliest, driver = int(problem.release[a]), None
    for link in range(links.first[a], links.first[a + 1]):
        before = int(links.before[link])
        instant = int(finish[before] if links.from_finish[link] else start[before]) + int(links.gap[link])
        if links.to_finish[link]:
            instant = instant - length if works is None else _pulled(works, instant, length)
        if instant > earliest or (driver is None and instant == earliest):
            earliest, driver = instant, before
    return (earliest if works is None else int(works[np.searchsorted(works, earliest)])), driver


def _pulled(works: Starts, instant: int, length: int) -> int:
    """Return the earliest start with which an activity that works in these slots finishes at `instant` or later."""
    first = int(np.searchsorted(works, max(instant - 1, 0))) - length + 1
    return int(works[first]) if first >= 0 else 0


def _slot_before(problem: Problem, a: int, start: int) -> int:
    """Return the last slot before a start in which the activity could work."""
    calendar = int(problem.calendar[a])
    slot = start - 1
    while calendar != CONTINUOUS and slot > 0 and not problem.calendars[calendar][slot]:
        slot -= 1
    return slot


class _Holding:
    """Who holds what in some slots."""

    def __init__(self, problem: Problem, start: Starts, finish: Starts, slots: set[int]) -> None:
        self.problem = problem
        self.levels = [capacity.over(int(finish.max(initial=0))) for capacity in problem.capacities]
        self.holders: dict[tuple[int, int], list[int]] = defaultdict(list)
        asked = np.array(sorted(slots), np.int64)
        demands = problem.demands
        for a in np.unique(demands.activity):
            rows = range(demands.first[a], demands.first[a + 1])
            for slot in self._worked(int(a), int(start[a]), int(finish[a]), asked):
                for row in rows:
                    self.holders[int(demands.resource[row]), slot].append(row)

    def _worked(self, a: int, start: int, finish: int, asked: NDArray[np.int64]) -> list[int]:
        """Return the slots of those asked about in which `a` works."""
        low, high = np.searchsorted(asked, [start, finish])
        within = asked[low:high]
        if self.problem.calendar[a] != CONTINUOUS and len(within):
            within = within[self.problem.calendars[int(self.problem.calendar[a])][within]]
        return within.tolist()  # type: ignore[no-any-return] # numpy's stubs return Any

    def lacked(self, a: int, slot: int) -> tuple[int | None, tuple[int, ...]]:
        """Return the resource of which `a` would have had too little in a slot, and the activities that held it."""
        demands = self.problem.demands
        for row in range(demands.first[a], demands.first[a + 1]):
            resource = int(demands.resource[row])
            rows = [held for held in self.holders[resource, slot] if demands.activity[held] != a]
            held = int(demands.amount[rows].sum())
            if held + int(demands.amount[row]) > int(self.levels[resource][slot]):
                return resource, tuple(int(demands.activity[held]) for held in rows)
        return None, ()
