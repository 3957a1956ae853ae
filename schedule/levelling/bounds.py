"""Lower bounds on the finish: no schedule is shorter.

A finish is impossible where the links and calendars alone take longer, or where a resource must do more between two instants
than it can. The gap to the least finish that is not impossible says how much a longer search could win at most.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from schedule.levelling.compiled import Ints, compiled, numbers
from schedule.levelling.problem import CONTINUOUS, NOT_FIXED, Problem
from schedule.levelling.serial import earliest, first_open, place_fixed
from schedule.levelling.tables import SearchTables, free_levels

MOST_FOR_ENERGY = 150
"""Activities up to which the energy in all windows is looked at: windows grow with the square, work with the cube."""
THRESHOLDS = 64
"""Heads and due dates at which the load of a resource is looked at."""


class Unlevelled(NamedTuple):
    """Times with unlimited resources."""

    start: NDArray[np.int64]
    finish: NDArray[np.int64]
    tail: NDArray[np.int64]
    """At least so many slots from the start of an activity to the end of all that follows it."""


class Load(NamedTuple):
    """The work of one resource, by the earliest start of what needs it."""

    users: NDArray[np.int64]
    work: NDArray[np.int64]
    heads: NDArray[np.int64]
    """The instants from which on the work is looked at, in rising order."""
    head: NDArray[np.int64]
    """The last of them that is no later than the start of each user."""
    had: NDArray[np.int64]
    """What can be used of the resource before each slot."""


def unlevelled(t: SearchTables) -> Unlevelled:
    """Return the early times with unlimited resources, and the tails."""
    start, finish, tail = (numbers(len(t.duration), 0) for _ in range(3))
    forward(t, 0, start, finish)
    backward(t, tail)
    return Unlevelled(np.array(start), np.array(finish), np.array(tail))


@compiled
def forward(t: SearchTables, floor: int, start: Ints, finish: Ints) -> None:
    """Write the earliest times from `floor` on with unlimited resources."""
    for a in range(len(t.duration)):
        start[a] = t.fixed[a]
        if t.fixed[a] >= 0:
            place_fixed(t, a, finish)
            continue
        begin = first_open(t, a, earliest(t, a, floor, start, finish))
        calendar = t.calendar[a]
        left = t.duration[a]
        start[a] = begin
        while left > 0:
            if calendar < 0:
                begin += left
                break
            if begin >= t.horizon or t.opened[calendar * t.horizon + begin] == 1:
                left -= 1
            begin += 1
        finish[a] = begin


@compiled
def backward(t: SearchTables, tail: Ints) -> None:
    """Write the slots from starts to the end. Breaks are left out: they may be too few, never too many."""
    for a in range(len(t.duration) - 1, -1, -1):
        tail[a] = max(tail[a], t.duration[a])
        if t.fixed[a] >= 0:  # it has begun, whatever its links say
            continue
        for link in range(t.link_first[a], t.link_first[a + 1]):
            before = t.link_before[link]
            ends = t.link_ends[link]
            distance = t.link_gap[link]
            if not ends & 2:
                distance += tail[a]
            if ends & 1:
                distance += t.duration[before]
            tail[before] = max(tail[before], distance)


def lower_bound(problem: Problem, mirror: SearchTables, early: Unlevelled, horizon: int, best: int) -> int:
    """Return the least finish that is not shown to be impossible. `best` is the finish of a schedule, and ends the search."""
    low = int(early.finish.max(initial=0))
    if low == best:
        return low
    loads = list(_loads(problem, early, horizon))
    # breaks and capacities that change are left to the loads
    constant = all(len(capacity.since) == 1 for capacity in problem.capacities)
    plain = constant and not ((problem.calendar != CONTINUOUS) | (problem.fixed != NOT_FIXED)).any()
    looks_at_windows = plain and problem.count <= MOST_FOR_ENERGY

    def is_possible(finish: int) -> bool:
        latest = _latest_finish(mirror, horizon, finish)
        if (latest < early.finish).any() or any(_is_overloaded(load, latest) for load in loads):
            return False
        return not (looks_at_windows and _overfull(problem, early, finish))

    return low + bisect_left(range(low, best), True, key=is_possible)


def _latest_finish(mirror: SearchTables, horizon: int, finish: int) -> NDArray[np.int64]:
    """Return by when each activity must end if all is to end at `finish`, with unlimited resources."""
    start, end = (numbers(len(mirror.duration), 0) for _ in range(2))
    forward(mirror, horizon - finish, start, end)
    return horizon - np.array(start)[::-1]


def _loads(problem: Problem, early: Unlevelled, horizon: int) -> Iterator[Load]:
    levels, demands = free_levels(problem, horizon), problem.demands
    for resource, level in enumerate(levels):
        rows = (demands.resource == resource) & (problem.fixed[demands.activity] == NOT_FIXED)
        users = demands.activity[rows]
        if len(users):
            heads = _thresholds(early.start[users])
            head = np.searchsorted(heads, early.start[users], side="right") - 1
            had = np.concatenate([[0], np.cumsum(usable(problem, resource, level))])
            yield Load(users, demands.amount[rows] * problem.duration[users], heads, head, had)


def usable(problem: Problem, resource: int, level: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return what of a resource can be used in each slot: nothing while no activity that needs it may work."""
    users = problem.demands.activity[problem.demands.resource == resource]
    calendars = np.unique(problem.calendar[users])
    if CONTINUOUS in calendars:
        return level
    opened = np.zeros(len(level), bool)
    for calendar in calendars:
        opened |= np.asarray(problem.calendars[calendar][: len(level)], bool)
    return np.where(opened, level, 0)


def _is_overloaded(load: Load, latest: NDArray[np.int64]) -> bool:
    """Return whether more work must be done between two instants than the resource can do, if all ends at its latest finish."""
    due = latest[load.users]
    dues = -_thresholds(-due)[::-1]
    table = np.zeros((len(load.heads), len(dues)), np.int64)
    np.add.at(table, (load.head, np.searchsorted(dues, due)), load.work)
    within = table[::-1].cumsum(axis=0)[::-1].cumsum(axis=1)
    last = len(load.had) - 1
    has = load.had[np.clip(dues, 0, last)] - load.had[np.minimum(load.heads, last)][:, None]
    return bool((within > np.maximum(has, 0)).any())


def _thresholds(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return some of the values in rising order, the least among them."""
    found = np.unique(values)
    return found[np.unique(np.linspace(0, len(found) - 1, min(THRESHOLDS, len(found))).astype(np.int64))]


def _overfull(problem: Problem, early: Unlevelled, finish: int) -> bool:
    """Return whether some window must hold more work than it has room for, if all is to end at `finish`."""
    demands = problem.demands
    for resource, capacity in enumerate(problem.capacities):
        rows = demands.resource == resource
        users, amount = demands.activity[rows], demands.amount[rows]
        length = problem.duration[users]
        first_end = early.start[users] + length
        last_start = finish - early.tail[users]
        ends = np.unique(last_start + length)[:, None]
        in_the_end = ends - last_start
        for begin in np.unique(early.start[users]):
            overlap = np.minimum(np.minimum(length, first_end - begin), np.minimum(in_the_end, ends - begin))
            if (np.maximum(overlap, 0) @ amount > capacity.amount[0] * np.maximum(ends[:, 0] - begin, 0)).any():
                return True
    return False
