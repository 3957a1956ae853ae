"""Topological numbering: activities sorted by their depth, then by row, with the links of each in one stretch.

Depth is the number of links on the longest chain before an activity. So a level is a slice, a link always leads to a higher
number, and the passes read memory in order. Links of one activity keep the order of their rows: the first wins a tie.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from schedule.cpm.columns import Links
from schedule.cpm.shifts import Indices


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


def stretches(ends: Indices, activities: int) -> Stretches:
    """Return the links sorted by one of their ends, which are numbers of activities."""
    begin = np.zeros(activities + 1, np.int32)
    np.cumsum(np.bincount(ends, minlength=activities), out=begin[1:])
    return Stretches(begin, np.argsort(ends, kind="stable").astype(np.int32))


def depths(links: Links, activities: int) -> Indices:
    """Return the depth of each activity, -1 for those that wait for themselves. Level by level, each link once."""
    out = stretches(links.before, activities)
    after = links.after[out.row]
    waits = np.bincount(links.after, minlength=activities)
    depth = np.full(activities, -1, np.int32)
    front = np.flatnonzero(waits == 0)
    level = 0
    while len(front):
        depth[front] = level
        reached = after[_ranges(out.begin[front], out.begin[front + 1])]
        np.subtract.at(waits, reached, 1)
        front = np.unique(reached[waits[reached] == 0])
        level += 1
    return depth


def numbering(depth: Indices) -> Numbering:
    """Return the numbers of activities that follow from their depths."""
    activities = len(depth)
    order = np.argsort(depth, kind="stable").astype(np.int32)
    stuck = int(np.count_nonzero(depth < 0))
    number = np.empty(activities, np.int32)
    number[order] = np.arange(activities, dtype=np.int32)
    levels = np.bincount(depth[depth >= 0], minlength=1)
    level = np.concatenate([[0], np.cumsum(levels)]).astype(np.int32)
    return Numbering(order, number, level, order[:stuck])


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


def _ranges(begin: Indices, end: Indices) -> NDArray[np.int64]:
    """Return the numbers of all ranges, one after another."""
    lengths = (end - begin).astype(np.int64)
    total = int(lengths.sum())
    starts = np.repeat(begin - np.concatenate([[0], np.cumsum(lengths)[:-1]]), lengths)
    return starts + np.arange(total, dtype=np.int64)
