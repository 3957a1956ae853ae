"""How many slots a problem is laid out over, and the finish of an activity that starts at a slot."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from schedule.levelling.compiled import Ints, compiled, native
from schedule.levelling.problem import NOT_FIXED, Problem
from schedule.levelling.tables import gaps

ROOM = 3
"""Slots are made for a schedule so many times as long as longest chain and greatest load together. More are made on demand."""


def first_horizon(problem: Problem) -> int:
    """Return a number of slots in which a schedule usually has room."""
    if problem.calendars:
        return min(len(slots) for slots in problem.calendars)
    base = _settled(problem)
    link_gaps, _ = gaps(problem)
    chain = longest_chain(
        native(problem.duration),
        native(problem.links.first),
        native(problem.links.before),
        native(link_gaps),
    )
    demands = problem.demands
    work = np.zeros(len(problem.capacities), np.int64)
    np.add.at(work, demands.resource, demands.amount * problem.duration[demands.activity])
    last = [max(capacity.amount[-1], 1) for capacity in problem.capacities]
    load = max((int(-(-total // amount)) for total, amount in zip(work, last, strict=True)), default=0)
    return min(last_horizon(problem), base + ROOM * (int(chain) + load) + 1)


def last_horizon(problem: Problem) -> int:
    """Return a number of slots in which every schedule has room: one activity after another."""
    if problem.calendars:
        return first_horizon(problem)
    link_gaps, _ = gaps(problem)
    lags = np.maximum(link_gaps - problem.duration[problem.links.before], 0).sum()
    return _settled(problem) + int(problem.duration.sum() + lags) + 1


def _settled(problem: Problem) -> int:
    """Return the slot from which on nothing is released, fixed or changed any more."""
    changes = max((capacity.since[-1] for capacity in problem.capacities), default=0)
    fixed = problem.fixed != NOT_FIXED
    ends = (problem.fixed + problem.duration)[fixed].max(initial=0)
    return max(int(problem.release.max(initial=0)), int(ends), changes)


@compiled
def longest_chain(duration: Ints, first: Ints, before: Ints, gap: Ints) -> int:
    """Return the length of the longest chain of links."""
    n = len(duration)
    longest = 0
    start = [0] * n
    for a in range(n):
        for link in range(first[a], first[a + 1]):
            start[a] = max(start[a], start[before[link]] + gap[link])
        longest = max(longest, start[a] + duration[a])
    return longest


def finishes(problem: Problem, start: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the finish of each activity that starts so: the end of its last open slot; beyond the calendar if there is none."""
    finish = start + problem.duration
    for number, slots in enumerate(problem.calendars):
        opened = np.flatnonzero(slots)
        ends = np.concatenate([opened + 1, np.full(int(problem.duration.max(initial=0)) + 1, len(slots) + 1)])
        rows = (problem.calendar == number) & (problem.duration > 0)
        first = np.searchsorted(opened, start[rows])
        finish[rows] = ends[first + problem.duration[rows] - 1]
    return finish


def worked(problem: Problem, start: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return for each activity whether it starts in a slot in which it works."""
    works = np.ones(problem.count, bool)
    for number, slots in enumerate(problem.calendars):
        rows = (problem.calendar == number) & (problem.duration > 0)
        works[rows] = np.asarray(slots, bool)[np.minimum(start[rows], len(slots) - 1)]
    return works
