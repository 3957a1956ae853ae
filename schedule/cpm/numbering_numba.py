"""Depths and stretches of links compiled by numba; `numbering` has the same results in numpy."""

from __future__ import annotations

import numpy as np

from schedule.cpm.columns import Links
from schedule.cpm.numbering import Numbering, Stretches
from schedule.cpm.shifts import Indices
from schedule.machine_code import numba

compiled = numba.njit(cache=True, nogil=True)


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
