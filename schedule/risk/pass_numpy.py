"""The forward pass for groups of samples in numpy: a level of activities at a time, a column a sample.

The results are those of the compiled passes, to the bit: the same draws, the same order of steps on the same numbers.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from schedule.cpm.passes_numpy import Clock
from schedule.cpm.shifts import Indices, Minutes
from schedule.cpm.wiring import FROM_START, LAGGED, LOWEST, TO_FINISH, LeftCalendarError
from schedule.risk.draws_numpy import durations_of, multipliers_of
from schedule.risk.model import RiskModel
from schedule.risk.philox import LANES
from schedule.risk.scratch import Targets

MOST_CELLS = 2**21
"""Dates kept at once, 16 MiB an array, but for one group at least."""


def groups_at_once(activities: int) -> int:
    """Return how many groups fit in the memory that a pass may take."""
    return max(1, MOST_CELLS // (activities * LANES))


def run_numpy(
    model: RiskModel, seed: int, groups: range, wanted: Targets, on_chain: NDArray[np.int64], *, chains: bool
) -> Minutes:
    """Return the finishes of targets in `groups`; add chains to `on_chain`, by target and number. May raise LeftCalendarError."""
    level = model.network.numbers.level
    lanes = len(groups) * LANES
    activities = len(model.course.calendar)
    multipliers = multipliers_of(seed, groups, model.causes, len(model.drivers))
    finishes = np.empty((activities, lanes), np.int64)
    starts = np.empty((activities if model.needs_starts else 0, lanes), np.int64)
    driving = np.full((activities if chains else 0, lanes), -1, np.int32)
    for depth in range(len(level) - 1):
        here = slice(int(level[depth]), int(level[depth + 1]))
        duration = durations_of(seed, groups, model, here, multipliers)
        _date(model, here, duration, starts, finishes, driving)
    if chains:
        counted = min(lanes, wanted.samples - groups.start * LANES)
        for number, target in enumerate(wanted.numbers):
            _count_chains(int(target), counted, model.course.far, driving, on_chain[number])
    return finishes[wanted.numbers]


def _date(
    model: RiskModel, here: slice, duration: Minutes, starts: Minutes, finishes: Minutes, driving: Indices
) -> None:
    """Write the dates of one level."""
    course, clock = model.course, model.network.clock
    best, drives = _latest_links(model, here, duration, starts, finishes)
    numbers = np.arange(here.start, here.stop)
    c, earliest = course.calendar[here][:, None], course.earliest[here][:, None]
    t = np.maximum(best, earliest)
    _within(clock, t, c, numbers)
    w = clock.work(t, c)
    _refuse(w + duration > clock.tables.total[c], c, numbers)
    moves = duration > 0
    finishes[here] = np.where(moves, clock.instant(w + duration - moves, c) + 1, t)
    if len(starts):
        begun = course.state[here][:, None] != 0
        starts[here] = np.where(begun, course.started[here][:, None], np.where(moves, clock.instant(w, c), t))
    if len(driving):
        first = clock.tables.first[c]
        same = moves & (best >= first) & (clock.work(np.maximum(best, first), c) == w)
        driving[here] = np.where((best < earliest) & ~same, -1, drives)


def _latest_links(
    model: RiskModel, here: slice, duration: Minutes, starts: Minutes, finishes: Minutes
) -> tuple[Minutes, Indices]:
    """Return the latest start that the links into a level allow, and which link says so: of equals the first."""
    course = model.course
    begin = course.begin[here.start : here.stop + 1]
    best = np.full(duration.shape, LOWEST)
    drives = np.full(duration.shape, -1, np.int32)
    for place in range(int(np.diff(begin).max(initial=0))):
        rows = np.flatnonzero(np.diff(begin) > place)
        links = begin[rows] + place
        t = _allowed(model, links, rows + here.start, duration[rows], starts, finishes)
        later = t > best[rows]
        best[rows] = np.where(later, t, best[rows])
        drives[rows] = np.where(later, links[:, None], drives[rows])
    return best, drives


def _allowed(
    model: RiskModel, links: Indices, numbers: NDArray[np.intp], duration: Minutes, starts: Minutes, finishes: Minutes
) -> Minutes:
    """Return the start that each link allows."""
    course, clock = model.course, model.network.clock
    code, far = course.code[links], course.far[links]
    t = finishes[far]
    leaves_start = np.flatnonzero(code & FROM_START)
    t[leaves_start] = starts[far[leaves_start]] if len(leaves_start) else t[leaves_start]
    lagged = np.flatnonzero(code & LAGGED)
    if len(lagged):
        lag, c = course.lag[links[lagged]][:, None], course.lag_calendar[links[lagged]][:, None]
        _within(clock, t[lagged], c, numbers[lagged])
        w = clock.work(t[lagged], c) + lag
        _refuse((w < 0) | (w > clock.tables.total[c]), c, numbers[lagged])
        ahead = (lag > 0).astype(np.int64)
        t[lagged] = clock.instant(w - ahead, c) + ahead
    ending = np.flatnonzero(code & TO_FINISH)
    if len(ending):
        t[ending] = _start_for(
            clock, t[ending], duration[ending], course.calendar[numbers[ending]][:, None], numbers[ending]
        )
    return t


def _start_for(clock: Clock, t: Minutes, duration: Minutes, c: Indices, numbers: NDArray[np.intp]) -> Minutes:
    """Return the start of what finishes at `t`, LOWEST if its calendar begins after it; a milestone starts at `t`."""
    moves = duration > 0
    _refuse(moves & (t > clock.tables.last[c]), c, numbers)
    first = clock.tables.first[c]
    w = clock.work(np.clip(t, first, clock.tables.last[c]), c) - duration
    start = np.where((w >= 0) & (t >= first), clock.instant(np.maximum(w, 0), c), LOWEST)
    return np.where(moves, start, t)


def _count_chains(target: int, samples: int, far: Indices, driving: Indices, counts: Minutes) -> None:
    """Count each activity on the chain of links that drives the target in each sample: one step back for all at a time."""
    lanes = np.arange(samples)
    at = np.full(samples, target)
    while len(lanes):
        np.add.at(counts, at, 1)
        link = driving[at, lanes]
        goes_on = link >= 0
        lanes, at = lanes[goes_on], far[link[goes_on]]


def _within(clock: Clock, t: Minutes, c: Indices, numbers: NDArray[np.intp]) -> None:
    _refuse((t < clock.tables.first[c]) | (t > clock.tables.last[c]), c, numbers)


def _refuse(wrong: NDArray[np.bool_], c: Indices, numbers: NDArray[np.intp]) -> None:
    """Raise LeftCalendarError for the first row in which something is wrong."""
    if wrong.any():
        row = int(wrong.any(axis=1).argmax())
        raise LeftCalendarError(int(numbers[row]), int(c[row, 0]))
