"""Topological numbering: activities sorted by their depth, then by row, with the links of each in one stretch.

Depth is the number of links on the longest chain before an activity. So a level is a slice, a link always leads to a higher
number, and the passes read memory in order. Links of one activity keep the order of their rows: the first wins a tie.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from schedule.cpm.columns import Links
from schedule.cpm.shifts import Indices
from schedule.machine_code import numba

compiled = numba.njit(cache=True, nogil=True)


class Stretches(NamedTuple):
    """Links by the activity at one end: those of activity `i` are `begin[i]` to `begin[i + 1]`, as rows of the links."""

    begin: Indices
    row: Indices


class Numbering(NamedTuple):
    """`order[k]` is the row of the activity numbered `k`; `number` is the inverse; a level's numbers are a slice."""

    order: Indices
    number: Indices
    level: Indices
    """Where each level begins; one entry more than levels."""
    left: Indices
    """Rows that have no number, since they wait for themselves."""


@compiled
def _stretches(ends: Indices, begin: Indices, row: Indices) -> None:
    for end in ends:
        begin[end + 1] += 1
    for i in range(len(begin) - 1):
        begin[i + 1] += begin[i]
    at = begin[:-1].copy()
    for e in range(len(ends)):
        row[at[ends[e]]] = e
        at[ends[e]] += 1


@compiled
def _depths(after: Indices, begin: Indices, row: Indices, waits: Indices, depth: Indices) -> None:
    """Write the depth of each activity. `depth` comes with 0 for all; what waits for itself ends with -1."""
    ready = np.empty(len(depth), np.int32)
    filled = 0
    for i in range(len(depth)):
        if waits[i] == 0:
            ready[filled] = i
            filled += 1
    taken = 0
    while taken < filled:
        i = ready[taken]
        taken += 1
        for k in range(begin[i], begin[i + 1]):
            j = after[row[k]]
            depth[j] = max(depth[j], depth[i] + 1)
            waits[j] -= 1
            if waits[j] == 0:
                ready[filled] = j
                filled += 1
    for i in range(len(depth)):
        if waits[i] > 0:
            depth[i] = -1


@compiled
def _order(depth: Indices, begin: Indices, order: Indices, number: Indices) -> None:
    at = begin[:-1].copy()
    for i in range(len(depth)):
        place = at[depth[i] + 1]
        at[depth[i] + 1] += 1
        order[place] = i
        number[i] = place


def stretches(ends: Indices, activities: int) -> Stretches:
    """Return the links sorted by one of their ends, which are numbers of activities."""
    begin = np.zeros(activities + 1, np.int32)
    row = np.empty(len(ends), np.int32)
    _stretches(ends, begin, row)
    return Stretches(begin, row)


def depths(links: Links, activities: int) -> Indices:
    """Return the depth of each activity, -1 for those that wait for themselves."""
    out = stretches(links.before, activities)
    waits = np.bincount(links.after, minlength=activities).astype(np.int32)
    depth = np.zeros(activities, np.int32)
    _depths(links.after, out.begin, out.row, waits, depth)
    return depth


def numbering(depth: Indices) -> Numbering:
    """Return the numbers of activities that follow from their depths."""
    begin = np.concatenate([[0], np.cumsum(np.bincount(depth + 1, minlength=2))]).astype(np.int32)
    order, number = np.empty(len(depth), np.int32), np.empty(len(depth), np.int32)
    _order(depth, begin, order, number)
    return Numbering(order, number, begin[1:], order[: begin[1]])


def loop(links: Links, left: Indices) -> list[int]:
    """Return the rows of one loop among activities that wait for themselves, in the order of its links."""
    waiting = set(left.tolist())
    inside = np.isin(links.before, left) & np.isin(links.after, left)
    one_before: dict[int, int] = {}
    for before, after in zip(links.before[inside].tolist(), links.after[inside].tolist(), strict=True):
        one_before.setdefault(after, before)
    at = min(waiting)
    seen: dict[int, int] = {}
    way: list[int] = []
    while at not in seen:
        seen[at] = len(way)
        way.append(at)
        at = one_before[at]
    return [at, *reversed(way[seen[at] :])]
