"""Free float, and what links hold, in minutes of an activity's own calendar."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from schedule.cpm.clock import Clock
from schedule.cpm.shifts import Indices, Minutes
from schedule.cpm.wiring import (
    DONE,
    FROM_START,
    LOWEST,
    OPEN,
    TO_FINISH,
    Early,
    Wires,
    Work,
    counting,
)


def near_ends(wires: Wires) -> Indices:
    """Return the number of the activity in whose stretch each link is."""
    degree = np.diff(wires.begin)
    return np.repeat(np.arange(len(degree), dtype=np.int32), degree)


def remaining_starts(work: Work, early: Early, clock: Clock) -> Minutes:
    """Return when what remains is started: the early start, or for what runs the start of the remaining work."""
    starts = early.start.copy()
    begun = np.flatnonzero(work.state)
    moves = work.duration[begun] > 0
    c = work.calendar[begun]
    again = clock.instant(early.worked[begun] - work.duration[begun], c)
    starts[begun] = np.where(moves, again, early.finish[begun])
    return starts


def free_floats(out: Wires, work: Work, early: Early, finish: int, clock: Clock) -> Minutes:
    """Return how long each activity can be delayed before it delays another one, or the end of the project."""
    near = near_ends(out)
    alive = counting(out, work, before=near, after=out.far)
    alive &= ((out.code & FROM_START) == 0) | (work.state[near] == OPEN)
    live = np.flatnonzero(alive)
    numbers, far, code = near[live], out.far[live], out.code[live]
    starts = remaining_starts(work, early, clock)
    latest = np.where(work.duration > 0, clock.instant(early.worked, work.calendar), early.finish)
    allowed = np.where(code & TO_FINISH, latest[far], starts[far])
    allowed = _shifted(allowed, out, live, numbers, clock, sooner=True)
    own = np.where(code & FROM_START, early.start[numbers], early.finish[numbers])
    c = work.calendar[numbers]
    clock.within(allowed, c, numbers)
    slack = clock.work(allowed, c) - clock.work(own, c)
    end = np.maximum(early.finish, finish)
    everyone = np.arange(len(end), dtype=np.int32)
    clock.within(end, work.calendar, everyone)
    free = clock.work(end, work.calendar) - early.worked
    np.minimum.at(free, numbers, slack)
    free[work.state == DONE] = 0
    return free


def held_by_links(into: Wires, work: Work, started: Minutes, finished: Minutes, clock: Clock) -> Minutes:
    """Return how many minutes of its calendar are before the instant at which its links let each activity start.

    `started` and `finished` are the dates of all activities, by number.
    """
    near = near_ends(into)
    live = np.flatnonzero(counting(into, work, before=into.far, after=near))
    numbers, far, code = near[live], into.far[live], into.code[live]
    ends = np.where(code & FROM_START, started[far], finished[far])
    pushed = _shifted(ends, into, live, numbers, clock, sooner=False)
    c = work.calendar[numbers]
    clock.within(np.maximum(pushed, clock.tables.first[c]), c, numbers)
    begins = clock.work(np.maximum(pushed, clock.tables.first[c]), c)
    begins -= np.where(code & TO_FINISH, work.duration[numbers], 0)
    held = np.full(len(started), LOWEST)
    np.maximum.at(held, numbers, begins)
    return np.asarray(np.maximum(held, clock.work(work.earliest, work.calendar)))


def _shifted(
    t: Minutes, wires: Wires, live: NDArray[np.intp], numbers: Indices, clock: Clock, *, sooner: bool
) -> Minutes:
    lagged = np.flatnonzero(wires.lag[live])
    if len(lagged):
        rows = live[lagged]
        move = clock.sooner if sooner else clock.later
        t[lagged] = move(t[lagged], wires.lag[rows], wires.lag_calendar[rows], numbers[lagged])
    return t
