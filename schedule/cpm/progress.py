"""What an update changes: states, what remains to be worked, and from when."""

from __future__ import annotations

import numpy as np

from schedule.cpm.clock import Clock
from schedule.cpm.columns import NONE, Actuals
from schedule.cpm.shifts import Indices, Minutes
from schedule.cpm.wiring import DONE, OPEN, RUNNING, Work


def states(work: Work, actuals: Actuals, order: Indices, clock: Clock) -> Work:
    """Return the columns of `work`, which nothing has happened to, after an update.

    Remaining work begins at the data date. What is done holds its place by its actual finish, without duration.
    """
    started, finished = actuals.started[order], actuals.finished[order]
    state = np.where(finished != NONE, DONE, np.where(started != NONE, RUNNING, OPEN)).astype(np.uint8)
    remaining = np.full(len(order), NONE) if actuals.remaining is None else actuals.remaining[order]
    unsaid = np.flatnonzero((state == RUNNING) & (remaining == NONE)).astype(np.int32)
    duration = np.where(remaining == NONE, work.duration, remaining)
    held = np.zeros(len(order), np.int64) if actuals.held is None else actuals.held[order]
    duration[unsaid] = _left_over(unsaid, started[unsaid], held[unsaid], actuals.data_date, work, clock)
    duration[state == DONE] = 0
    goes_on = actuals.data_date if actuals.resumes is None else np.maximum(actuals.data_date, actuals.resumes[order])
    earliest = np.where(state == RUNNING, goes_on, work.earliest)
    earliest = np.where(state == DONE, finished, earliest)
    return Work(work.calendar, duration, earliest, started, state, actuals.override)


def _left_over(numbers: Indices, started: Minutes, held: Minutes, data_date: int, work: Work, clock: Clock) -> Minutes:
    """Return what is left of durations if each activity has worked since its start, but for the minutes in which it was on hold."""
    c = work.calendar[numbers]
    today = np.full(len(numbers), data_date)
    for instants in (started, today):
        clock.within(instants, c, numbers)
    worked = clock.work(today, c) - clock.work(started, c) - held
    return np.maximum(work.duration[numbers] - worked, 0)
