"""A window of a schedule: some activities that CP-SAT may place anew, while all others stay.

What comes before the window stays as early as the schedule has it, what comes after it stays as late as an earlier last finish allows. So if the
activities in between fit, the schedule gets shorter, and if CP-SAT proves that they do not, this window does not make it shorter.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from schedule.levelling.horizon import finishes
from schedule.levelling.problem import NOT_FIXED, Problem

Array = NDArray[np.int64]


class Outcome(Enum):
    """What CP-SAT found out about a window."""

    SHORTER = "made the schedule shorter"
    PROVEN = "is proven to allow no shorter schedule"
    OPEN = "was left open"
    FULL = "has more in progress than CP-SAT is handed"


@dataclass(frozen=True, eq=False)
class Window:
    """Activities that are free, where all others start, and the slots between which the free ones are placed."""

    problem: Problem
    free: Array
    start: Array
    """By activity; of a free one, where it starts in the schedule."""
    finish: Array
    first: int
    last: int
    """The slot before which the free activities end."""

    @property
    def is_whole(self) -> bool:
        """Whether everything that can be moved is free, from the first slot on."""
        return self.first == 0 and len(self.free) == int((self.problem.fixed == NOT_FIXED).sum())


def window_at(problem: Problem, early: Array, late: Array, slot: int, most: int) -> Window | None:
    """Return the window that begins at a slot; None if nothing is free in it. It has about `most` free activities, more where more is in progress.

    `early` are the starts of the schedule, `late` those of the schedule pushed to the right against an earlier last finish.
    """
    early_end, late_end = finishes(problem, early), finishes(problem, np.maximum(late, 0))
    movable = problem.fixed == NOT_FIXED
    before = (early_end <= slot) & (early < slot)
    later = np.flatnonzero(movable & ~before)
    if not len(later) or slot >= early_end.max():
        return None
    by_late = later[np.argsort(late[later], kind="stable")]
    until = int(late[by_late[most]]) if len(by_late) > most else int(late[by_late[-1]]) + 1
    is_free = movable & ~before & ((late < max(until, slot)) | (late < problem.release))
    start = np.where(movable & ~before & ~is_free, late, early)
    is_free |= _out_of_order(problem, start, is_free)
    free = np.flatnonzero(is_free)
    if not len(free):
        return None
    ends = np.maximum(early_end, late_end)[free]
    first, last = min(slot, int(early[free].min())), min(int(ends.max()), int(early_end.max()) - 1)
    start = np.where(is_free, early, start)
    return Window(problem, free, start, finishes(problem, start), first, last)


def _out_of_order(problem: Problem, start: Array, is_free: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the activities after links that early and late starts do not keep together: they have to be free as well."""
    links, finish = problem.links, finishes(problem, start)
    before, after = links.before, links.after
    earlier = np.where(links.from_finish, finish[before], start[before])
    later = np.where(links.to_finish, finish[after], start[after])
    broken = (later < earlier + links.gap) & ~is_free[before] & ~is_free[after]
    found = np.zeros(problem.count, bool)
    for ends in (before[broken], after[broken]):
        found[ends] = True
    return np.asarray(found & (problem.fixed == NOT_FIXED))
