"""The passes in numpy: a level of activities at a time. `passes_numba` has the same results.

A level costs some forty calls of numpy, so a network that is one long chain is slow here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from schedule.cpm.packing import Tables
from schedule.cpm.shifts import Indices, Minutes
from schedule.cpm.wiring import (
    DONE,
    FREE,
    FROM_START,
    LAGGED,
    LOWEST,
    TO_FINISH,
    Early,
    Late,
    LeftCalendarError,
    Wires,
    Work,
    counting,
)

Positions = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Clock:
    """Tables of calendars, and how many steps lead from a bucket of time, and of work, to the shift."""

    tables: Tables
    time_steps: int
    work_steps: int

    def work(self, t: Minutes, c: Indices) -> Minutes:
        """Return the minutes worked before instants that are within their calendars."""
        return self.worked_in(self.shift(t, c), t)

    def shift(self, t: Minutes, c: Indices) -> Indices:
        """Return the shifts in which instants are, or the next ones."""
        tables = self.tables
        k = tables.by_time[tables.time_row[c] + ((t - tables.first[c]) >> tables.time_bits[c])]
        for _ in range(self.time_steps):
            k = k + (t >= tables.end[k])
        return np.asarray(k, np.int32)

    def worked_in(self, shift: Indices, t: Minutes) -> Minutes:
        """Return the minutes worked before instants that are in these shifts, or in the gaps before them."""
        return np.asarray(np.maximum(self.tables.before[shift], t - self.tables.offset[shift]))

    def instant(self, w: Minutes, c: Indices) -> Minutes:
        """Return the last instant before which no more than `w` minutes are worked."""
        tables = self.tables
        k = tables.by_work[tables.work_row[c] + (w >> tables.work_bits[c])]
        for _ in range(self.work_steps):
            k = k + (w >= tables.before[k + 1])
        return np.asarray(w + tables.offset[k])

    def later(self, t: Minutes, lag: Minutes, c: Indices, numbers: Indices) -> Minutes:
        """Return the instants `lag` minutes of work after `t`, or before it where the lag is negative."""
        self.within(t, c, numbers)
        w = self.work(t, c) + lag
        self.worked(w, c, numbers)
        ahead = (lag > 0).astype(np.int64)
        return self.instant(w - ahead, c) + ahead

    def sooner(self, t: Minutes, lag: Minutes, c: Indices, numbers: Indices) -> Minutes:
        """Return the last instants from which `lag` minutes of work lead no further than `t`."""
        self.within(t, c, numbers)
        w = self.work(t, c) - lag
        self.worked(w, c, numbers)
        return self.instant(w, c)

    def within(self, t: Minutes, c: Indices, numbers: Indices) -> None:
        """Raise LeftCalendarError for the first instant that is outside its calendar."""
        _refuse((t < self.tables.first[c]) | (t > self.tables.last[c]), c, numbers)

    def worked(self, w: Minutes, c: Indices, numbers: Indices) -> None:
        """Raise LeftCalendarError for the first amount of work that is outside its calendar."""
        _refuse((w < 0) | (w > self.tables.total[c]), c, numbers)


class Levels:
    """Links of one direction prepared for passes by level: what does not change from one solution to the next."""

    def __init__(self, level: Indices, wires: Wires) -> None:
        """Note where each level's links begin, which have a lag, and which end at a finish."""
        self.level = level.tolist()
        self.wires = wires
        self.link = wires.begin[level].tolist()
        degree = np.diff(wires.begin)
        self.near = np.repeat(np.arange(len(degree), dtype=np.int32), degree)
        self.lagged = np.flatnonzero(wires.code & LAGGED)
        self.lagged_at = np.searchsorted(self.lagged, self.link).tolist()
        self.to_finish = np.flatnonzero(wires.code & TO_FINISH)
        self.to_finish_at = np.searchsorted(self.to_finish, self.link).tolist()
        self.from_start = (wires.code & FROM_START).astype(bool)
        self.from_start_at = np.searchsorted(np.flatnonzero(self.from_start), self.link).tolist()
        self.linked = np.flatnonzero(degree)
        self.linked_at = np.searchsorted(self.linked, level).tolist()

    def stretches(self, depth: int) -> tuple[Positions, Positions]:
        """Return the activities of a level that have links, and where their links begin within the level's."""
        linked = self.linked[self.linked_at[depth] : self.linked_at[depth + 1]]
        return linked, self.wires.begin[linked] - self.link[depth]


def forward(levels: Levels, work: Work, clock: Clock) -> Early:
    """Return early dates by number, or raise LeftCalendarError."""
    number = len(work.calendar)
    both = np.empty(2 * number, np.int64)  # starts, then finishes: one look-up for either end of a link
    starts, finishes = both[:number], both[number:]
    early = Early(starts, finishes, np.empty(number, np.int64), np.full(number, -1, np.int32))
    source = levels.wires.far + np.where(levels.from_start, 0, number)
    dropped = _dropped(levels, work, before=levels.wires.far, after=levels.near)
    begun = work.state != 0 if dropped is not None else None
    for depth in range(len(levels.level) - 1):
        here = slice(levels.level[depth], levels.level[depth + 1])
        c, d, start = work.calendar[here], work.duration[here], work.earliest[here]
        if depth:
            links = slice(levels.link[depth], levels.link[depth + 1])
            t = both[source[links]]
            if dropped is not None:
                t[dropped[links]] = LOWEST
            _push(levels, work, clock, depth, t)
            start = _latest(levels, work, clock, early, depth, t)
        numbers = np.arange(here.start, here.stop, dtype=np.int32)
        clock.within(start, c, numbers)
        shift = clock.shift(start, c)
        w = clock.worked_in(shift, start)
        moves = d > 0
        end = w + d
        clock.worked(end, c, numbers)
        starts[here] = np.where(moves, w + clock.tables.offset[shift], start)
        finishes[here] = np.where(moves, clock.instant(end - moves, c) + 1, start)
        early.worked[here] = end
        if begun is not None:
            starts[here] = np.where(begun[here], work.started[here], starts[here])
    return early


def _push(levels: Levels, work: Work, clock: Clock, depth: int, t: Minutes) -> None:
    """Turn the ends that the links into a level leave into the starts that they allow."""
    wires, first = levels.wires, levels.link[depth]
    lagged = levels.lagged[levels.lagged_at[depth] : levels.lagged_at[depth + 1]]
    lagged = lagged[t[lagged - first] != LOWEST]
    if len(lagged):
        near = levels.near[lagged]
        t[lagged - first] = clock.later(t[lagged - first], wires.lag[lagged], wires.lag_calendar[lagged], near)
    ending = levels.to_finish[levels.to_finish_at[depth] : levels.to_finish_at[depth + 1]]
    ending = ending[(work.duration[levels.near[ending]] > 0) & (t[ending - first] != LOWEST)]
    if len(ending):
        t[ending - first] = _start_for(t[ending - first], levels.near[ending], work, clock)


def _start_for(t: Minutes, numbers: Indices, work: Work, clock: Clock) -> Minutes:
    """Return the start of each activity that finishes at `t`, LOWEST where the calendar begins after it."""
    c = work.calendar[numbers]
    first = clock.tables.first[c]
    _refuse(t > clock.tables.last[c], c, numbers)
    w = clock.work(np.maximum(t, first), c) - work.duration[numbers]
    return np.where((w >= 0) & (t >= first), clock.instant(np.maximum(w, 0), c), LOWEST)


def _latest(levels: Levels, work: Work, clock: Clock, early: Early, depth: int, t: Minutes) -> Minutes:
    """Return the earliest starts of a level that its links allow, and note the link that drives each."""
    a, b, first = levels.level[depth], levels.level[depth + 1], levels.link[depth]
    best = np.maximum.reduceat(t, levels.wires.begin[a:b] - first)
    numbers = levels.near[first : levels.link[depth + 1]]
    hits = np.flatnonzero((t == best[numbers - a]) & (t != LOWEST))[::-1]
    early.driver[numbers[hits]] = first + hits  # the last that is written is the first of a stretch
    earliest = work.earliest[a:b]
    behind = np.flatnonzero((best < earliest) & (best != LOWEST))
    if len(behind):
        _undriven(behind, best[behind], a, work, clock, early)
    return np.maximum(earliest, best)


def _undriven(behind: Positions, best: Minutes, a: int, work: Work, clock: Clock, early: Early) -> None:
    """Take the driver from activities whose earliest start is later in working time than what their links allow."""
    numbers = (behind + a).astype(np.int32)
    c, earliest = work.calendar[numbers], work.earliest[numbers]
    first = clock.tables.first[c]
    clock.within(earliest, c, numbers)
    same = clock.work(np.maximum(best, first), c) == clock.work(earliest, c)
    early.driver[numbers[~same | (best < first) | (work.duration[numbers] == 0)]] = -1


def backward(levels: Levels, work: Work, cap: Minutes, early: Early, clock: Clock) -> Late:
    """Return late dates by number, or raise LeftCalendarError. `cap` is the last instant for each finish, or FREE."""
    number = len(cap)
    both = np.empty(2 * number, np.int64)  # starts, then finishes
    late = Late(both[:number], both[number:], np.empty(number, np.int64))
    source = levels.wires.far + np.where(levels.wires.code & TO_FINISH, number, 0)
    dropped = _dropped(levels, work, before=levels.near, after=levels.wires.far)
    if dropped is not None:
        dropped |= levels.from_start & (work.state[levels.near] != 0)
    for depth in range(len(levels.level) - 2, -1, -1):
        a, b = levels.level[depth], levels.level[depth + 1]
        finish, start = cap[a:b].copy(), np.full(b - a, FREE)
        first, end = levels.link[depth], levels.link[depth + 1]
        if end > first:
            t = both[source[first:end]]
            if dropped is not None:
                t[dropped[first:end]] = FREE
            _pulled(levels, clock, depth, t)
            linked, begins = levels.stretches(depth)
            if levels.from_start_at[depth + 1] > levels.from_start_at[depth]:
                leaves_start = levels.from_start[first:end]
                start[linked - a] = np.minimum.reduceat(np.where(leaves_start, t, FREE), begins)
                t[leaves_start] = FREE
            finish[linked - a] = np.minimum(finish[linked - a], np.minimum.reduceat(t, begins))
        _place(slice(a, b), start, finish, work, early, clock, late)
    return late


def _pulled(levels: Levels, clock: Clock, depth: int, t: Minutes) -> None:
    """Take the lags of links from the dates at their far ends."""
    wires, first = levels.wires, levels.link[depth]
    lagged = levels.lagged[levels.lagged_at[depth] : levels.lagged_at[depth + 1]]
    lagged = lagged[t[lagged - first] != FREE]
    if len(lagged):
        near = levels.near[lagged]
        t[lagged - first] = clock.sooner(t[lagged - first], wires.lag[lagged], wires.lag_calendar[lagged], near)


def _place(here: slice, start: Minutes, finish: Minutes, work: Work, early: Early, clock: Clock, late: Late) -> None:
    """Write the late dates of a level, from the last instants for its starts and finishes."""
    limited = np.minimum(start, finish) != FREE
    if limited.all():
        numbers = np.arange(here.start, here.stop, dtype=np.int32)
    else:
        for column in late:
            column[here] = FREE
        numbers = (np.flatnonzero(limited) + here.start).astype(np.int32)
        start, finish = start[limited], finish[limited]
    if not len(numbers):
        return
    c, d = work.calendar[numbers], work.duration[numbers]
    limit = np.minimum(start, finish)
    clock.within(limit, c, numbers)
    last = clock.tables.last[c]
    bounded = (start != FREE) & (d > 0)
    _refuse(bounded & ((start > last) | ((finish != FREE) & (finish > last))), c, numbers)
    tables, shift = clock.tables, clock.shift(limit, c)
    w = clock.worked_in(shift, limit)
    begins = w == tables.before[shift]  # the last work was in the shift before
    end = w + tables.offset[shift - begins]
    by_start = np.flatnonzero(bounded)
    if len(by_start):
        some, own = _limited_by_start(by_start, start, finish, c, d, clock), c[by_start]
        _refuse(some > tables.total[own], own, numbers[by_start])
        w[by_start], end[by_start] = some, clock.instant(np.maximum(some - 1, 0), own) + 1
    _refuse(w < d, c, numbers)
    moves = d > 0
    late.start[numbers] = np.where(moves, clock.instant(w - d, c), limit)
    late.finish[numbers] = np.where(moves, end, limit)
    late.total_float[numbers] = np.where(work.state[numbers] == DONE, 0, w - early.worked[numbers])


def _limited_by_start(
    rows: Positions, start: Minutes, finish: Minutes, c: Indices, d: Minutes, clock: Clock
) -> Minutes:
    """Return the minutes worked before the late finish of activities whose start is limited."""
    own = c[rows]
    by_start = clock.work(start[rows], own) + d[rows]
    bounded = finish[rows] != FREE
    by_finish = clock.work(np.where(bounded, finish[rows], start[rows]), own)
    return np.where(bounded, np.minimum(by_start, by_finish), by_start)


def _dropped(levels: Levels, work: Work, *, before: Indices, after: Indices) -> NDArray[np.bool_] | None:
    """Return which links count no longer, or None where nothing has started."""
    return ~counting(levels.wires, work, before=before, after=after) if work.state.any() else None


def _refuse(wrong: NDArray[np.bool_], c: Indices, numbers: Indices) -> None:
    if wrong.any():
        at = int(wrong.argmax())
        raise LeftCalendarError(int(numbers[at]), int(c[at]))
