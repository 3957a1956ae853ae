"""The passes as machine code: one activity after another, in topological numbering.

A function returns FREE where an instant is outside the calendar; the pass then stops, and names activity and calendar. The loop of
a pass is one function: split in two it takes ten times as long, since each call counts references to every array. Indices are read
as unsigned numbers: a signed one is asked at each access whether it counts from the end, which takes a tenth of the time.
"""

from __future__ import annotations

import numpy as np

from schedule.cpm.packing import Tables
from schedule.cpm.shifts import Indices, Minutes
from schedule.cpm.wiring import (
    DONE,
    FREE,
    FROM_START,
    LAGGED,
    LOWEST,
    RUNNING,
    TO_FINISH,
    Early,
    Late,
    LeftCalendarError,
    Wires,
    Work,
)
from schedule.machine_code import numba

NO_LINK = np.int64(-1)
"""No link sets a start. As wide as the position of a link: numba makes other mixtures with unsigned numbers floating."""

compiled = numba.njit(cache=True, nogil=True)


@compiled
def _within(t: int, c: int, tables: Tables) -> bool:
    return bool(tables.first[c] <= t <= tables.last[c])


@compiled
def _shift(t: int, c: int, tables: Tables) -> int:
    """Return the shift in which `t` is, or the next one. The first step is without a branch: mostly it is the last."""
    k = tables.by_time[tables.time_row[c] + ((t - tables.first[c]) >> tables.time_bits[c])]
    k += t >= tables.end[k]
    while t >= tables.end[k]:
        k += 1
    return int(k)


@compiled
def _work(t: int, c: int, tables: Tables) -> int:
    k = _shift(t, c, tables)
    return int(max(tables.before[k], t - tables.offset[k]))


@compiled
def _instant(w: int, c: int, tables: Tables) -> int:
    k = tables.by_work[tables.work_row[c] + (w >> tables.work_bits[c])]
    k += w >= tables.before[k + 1]
    while w >= tables.before[k + 1]:
        k += 1
    return int(w + tables.offset[k])


@compiled
def _later(t: int, lag: int, c: int, tables: Tables) -> int:
    """Return the instant `lag` minutes of work after `t`, or before it where the lag is negative."""
    if not _within(t, c, tables):
        return FREE
    w = _work(t, c, tables) + lag
    if w < 0 or w > tables.total[c]:
        return FREE
    return _instant(w - 1, c, tables) + 1 if lag > 0 else _instant(w, c, tables)


@compiled
def _sooner(t: int, lag: int, c: int, tables: Tables) -> int:
    """Return the last instant from which `lag` minutes of work lead no further than `t`."""
    if not _within(t, c, tables):
        return FREE
    w = _work(t, c, tables) - lag
    return FREE if w < 0 or w > tables.total[c] else _instant(w, c, tables)


@compiled
def _counts(code: int, before: int, after: int, override: bool) -> bool:
    if override and after >= RUNNING:
        return False
    left = before >= RUNNING if code & FROM_START else before == DONE
    reached = after == DONE if code & TO_FINISH else after >= RUNNING
    return not (left and reached)


@compiled
def _forward(into: Wires, work: Work, tables: Tables, early: Early, fault: Minutes) -> None:
    for j in range(len(work.calendar)):
        c, d, mine = work.calendar[j], work.duration[j], work.state[j]
        best, drives = LOWEST, NO_LINK
        for e in range(into.begin[j], into.begin[j + 1]):
            p, code = into.far[e], into.code[e]
            if mine and not _counts(code, work.state[p], mine, work.override):
                continue
            t = early.start[p] if code & FROM_START else early.finish[p]
            if code & LAGGED:
                t = _later(t, into.lag[e], into.lag_calendar[e], tables)
                if t == FREE:
                    fault[0], fault[1] = j, into.lag_calendar[e]
                    return
            if code & TO_FINISH and d > 0:
                if t > tables.last[c]:
                    fault[0], fault[1] = j, c
                    return
                w = _work(t, c, tables) - d if t >= tables.first[c] else -1
                t = _instant(w, c, tables) if w >= 0 else LOWEST
            if t > best:
                best, drives = t, np.int64(e)
        earliest = work.earliest[j]
        start = max(earliest, best)
        if not _within(start, c, tables):
            fault[0], fault[1] = j, c
            return
        k = _shift(start, c, tables)
        w = max(tables.before[k], start - tables.offset[k])
        if best < earliest and (d == 0 or best < tables.first[c] or _work(best, c, tables) != w):
            drives = NO_LINK
        finish = start
        if d > 0:
            if w + d > tables.total[c]:
                fault[0], fault[1] = j, c
                return
            start = w + tables.offset[k]
            finish = _instant(w + d - 1, c, tables) + 1
        early.start[j] = work.started[j] if mine else start
        early.finish[j] = finish
        early.worked[j] = w + d
        early.driver[j] = drives


@compiled
def _backward(  # noqa: PLR0912 - one function, as said above
    out: Wires, work: Work, cap: Minutes, early: Early, tables: Tables, late: Late, fault: Minutes
) -> None:
    for i in range(len(cap) - 1, -1, -1):
        c, d, mine = work.calendar[i], work.duration[i], work.state[i]
        finish, start = cap[i], FREE
        for e in range(out.begin[i], out.begin[i + 1]):
            j, code = out.far[e], out.code[e]
            if mine and code & FROM_START:
                continue
            theirs = work.state[j]
            if theirs and not _counts(code, mine, theirs, work.override):
                continue
            t = late.finish[j] if code & TO_FINISH else late.start[j]
            if t == FREE:
                continue
            if code & LAGGED:
                t = _sooner(t, out.lag[e], out.lag_calendar[e], tables)
                if t == FREE:
                    fault[0], fault[1] = i, out.lag_calendar[e]
                    return
            if code & FROM_START:
                start = min(start, t)
            else:
                finish = min(finish, t)
        limit = min(start, finish)
        if limit == FREE:
            late.start[i] = late.finish[i] = late.total_float[i] = FREE
            continue
        if not _within(limit, c, tables):
            fault[0], fault[1] = i, c
            return
        k = _shift(limit, c, tables)
        w = max(tables.before[k], limit - tables.offset[k])
        if d == 0:
            late.start[i] = late.finish[i] = limit
        else:
            if start != FREE:
                if start > tables.last[c] or (finish != FREE and finish > tables.last[c]):
                    fault[0], fault[1] = i, c
                    return
                bound = _work(start, c, tables) + d
                w = bound if finish == FREE else min(bound, _work(finish, c, tables))
            if w < d or w > tables.total[c]:
                fault[0], fault[1] = i, c
                return
            if start != FREE:
                late.finish[i] = _instant(w - 1, c, tables) + 1
            else:
                late.finish[i] = w + tables.offset[k - (w == tables.before[k])]
            late.start[i] = _instant(w - d, c, tables)
        late.total_float[i] = w - early.worked[i] if mine != DONE else 0


def _with_unsigned(wires: Wires) -> Wires:
    """Return the same wires, with indices that count from the beginning only."""
    begin, far, calendar = (_unsigned(column) for column in (wires.begin, wires.far, wires.lag_calendar))
    return wires._replace(begin=begin, far=far, lag_calendar=calendar)


def _unsigned(indices: Indices) -> Indices:
    return indices.view(np.uint32)


def forward(into: Wires, work: Work, tables: Tables) -> Early:
    """Return early dates by number, or raise LeftCalendarError."""
    number = len(work.calendar)
    dates = np.empty((3, number), np.int64)
    early = Early(dates[0], dates[1], dates[2], np.empty(number, np.int32))
    fault = np.full(2, -1, np.int64)
    _forward(_with_unsigned(into), work._replace(calendar=_unsigned(work.calendar)), tables, early, fault)
    _raise(fault)
    return early


def backward(out: Wires, work: Work, cap: Minutes, early: Early, tables: Tables) -> Late:
    """Return late dates by number, or raise LeftCalendarError. `cap` is the last instant for each finish, or FREE."""
    dates = np.empty((3, len(cap)), np.int64)
    late = Late(dates[0], dates[1], dates[2])
    fault = np.full(2, -1, np.int64)
    _backward(_with_unsigned(out), work._replace(calendar=_unsigned(work.calendar)), cap, early, tables, late, fault)
    _raise(fault)
    return late


def _raise(fault: Minutes) -> None:
    if fault[0] >= 0:
        raise LeftCalendarError(int(fault[0]), int(fault[1]))
