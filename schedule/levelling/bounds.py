"""Lower bounds on the finish: no schedule is shorter.

Each bound leaves out part of the problem. The gap to the greatest of them says how much a longer search could win at most.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from schedule.levelling.compiled import Ints, compiled, numbers
from schedule.levelling.problem import CONTINUOUS, NOT_FIXED, Problem
from schedule.levelling.serial import earliest, place_fixed
from schedule.levelling.tables import SearchTables, free_levels

MOST_FOR_ENERGY = 150
"""Activities up to which the energy in all windows is looked at: windows grow with the square, work with the cube."""
THRESHOLDS = 64
"""Heads and tails at which the load is looked at."""


class Unlevelled(NamedTuple):
    """Times with unlimited resources."""

    start: NDArray[np.int64]
    finish: NDArray[np.int64]
    tail: NDArray[np.int64]
    """At least so many slots from the start of an activity to the end of all that follows it."""
    after: NDArray[np.int64]
    """At least so many slots from the finish of an activity to the end of all that follows it."""


def unlevelled(t: SearchTables) -> Unlevelled:
    """Return the early times with unlimited resources, and the tails."""
    count = len(t.duration)
    start, finish, tail, after = (numbers(count, 0) for _ in range(4))
    forward(t, start, finish)
    backward(t, tail, after)
    return Unlevelled(np.array(start), np.array(finish), np.array(tail), np.array(after))


@compiled
def forward(t: SearchTables, start: Ints, finish: Ints) -> None:
    """Write the earliest times with unlimited resources."""
    for a in range(len(t.duration)):
        start[a] = t.fixed[a]
        if t.fixed[a] >= 0:
            place_fixed(t, a, finish)
            continue
        begin = earliest(t, a, 0, start, finish)
        calendar = t.calendar[a]
        left = t.duration[a]
        if calendar >= 0 and left > 0:
            while begin < t.horizon and t.opened[calendar * t.horizon + begin] == 0:
                begin += 1
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
def backward(t: SearchTables, tail: Ints, after: Ints) -> None:
    """Write the slots from starts, and from finishes, to the end. Breaks are left out: they may be too few, never too many.

    What follows a start says nothing of the time after a finish where breaks may move that finish.
    """
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
                after[before] = max(after[before], distance)
                distance += t.duration[before]
            elif t.calendar[before] < 0:
                after[before] = max(after[before], distance - t.duration[before])
            tail[before] = max(tail[before], distance)


def lower_bound(problem: Problem, early: Unlevelled, horizon: int, best: int) -> int:
    """Return the greatest lower bound that is cheap to find. `best` is the finish of a schedule, and ends the search."""
    bound = int(early.finish.max(initial=0))
    levels = free_levels(problem, horizon)
    for resource in range(len(problem.capacities)):
        bound = max(bound, load(problem, early, resource, usable(problem, resource, levels[resource])))
    # breaks and capacities that change are left to the load
    constant = all(len(capacity.since) == 1 for capacity in problem.capacities)
    plain = constant and not ((problem.calendar != CONTINUOUS) | (problem.fixed != NOT_FIXED)).any()
    if plain and problem.count <= MOST_FOR_ENERGY:
        bound = _energy_bound(problem, early, bound, best)
    return bound


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


def load(problem: Problem, early: Unlevelled, resource: int, level: NDArray[np.int64]) -> int:
    """Return the earliest end of one resource's work: some must be done between a head and a tail."""
    demands = problem.demands
    rows = (demands.resource == resource) & (problem.fixed[demands.activity] == NOT_FIXED)
    users = demands.activity[rows]
    if not len(users):
        return 0
    work = demands.amount[rows] * problem.duration[users]
    head, tail = early.start[users], early.after[users]
    heads, tails = _thresholds(head), _thresholds(tail)
    table = np.zeros((len(heads), len(tails)), np.int64)
    at = (np.searchsorted(heads, head, side="right") - 1, np.searchsorted(tails, tail, side="right") - 1)
    np.add.at(table, at, work)
    within = table[::-1, ::-1].cumsum(axis=0).cumsum(axis=1)[::-1, ::-1]
    had = np.concatenate([[0], np.cumsum(level)])
    done = np.searchsorted(had, had[np.minimum(heads, len(level))][:, None] + within)
    ends = np.where(within > 0, done + tails[None, :], 0)
    return int(ends.max(initial=0))


def _thresholds(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return some of the values in rising order, the least among them."""
    found = np.unique(values)
    return found[np.unique(np.linspace(0, len(found) - 1, min(THRESHOLDS, len(found))).astype(np.int64))]


def _energy_bound(problem: Problem, early: Unlevelled, low: int, high: int) -> int:
    """Return the least finish with which every window has room for the work that must be in it."""
    while low < high:
        middle = (low + high) // 2
        if _overfull(problem, early, middle):
            low = middle + 1
        else:
            high = middle
    return low


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
