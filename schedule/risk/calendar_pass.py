"""The forward pass for a group of samples at a time, on calendars, compiled by numba. The rules of dates are those of `cpm.passes`.

An activity is visited once for all samples of a group, a lane each: its links and its calendar are looked up once for all.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from schedule.cpm.packing import Tables
from schedule.cpm.shifts import Minutes
from schedule.cpm.wiring import FROM_START, LAGGED, LOWEST, TO_FINISH
from schedule.machine_code import numba
from schedule.risk.chains import count_chains
from schedule.risk.draws import draw_durations, draw_multipliers
from schedule.risk.lane_clock import instant_of, shift_at, worked_by
from schedule.risk.model import Causes, Course, Durations
from schedule.risk.philox import LANES
from schedule.risk.quantiles import Floats
from schedule.risk.scratch import Scratch, Targets

compiled = numba.njit(nogil=True, cache=True)
inlined = numba.njit(inline="always")
"""For what takes many arrays: each call would count references to all of them, which is more work than a group of lanes."""


@inlined
def _latest_links(
    j: int,
    course: Course,
    tables: Tables,
    starts: NDArray[np.int64],
    finishes: NDArray[np.int64],
    duration: Minutes,
    best: Minutes,
    drives: Minutes,
) -> int:
    """Write the latest start that the links into `j` allow, and which link says so; return the calendar that was left, or -1."""
    best[:] = LOWEST
    drives[:] = -1
    left = -1
    c = course.calendar[j]
    for e in range(course.begin[j], course.begin[j + 1]):
        p, code, lag, lag_calendar = course.far[e], course.code[e], course.lag[e], course.lag_calendar[e]
        ends = starts[p] if code & FROM_START else finishes[p]
        for lane in range(LANES):
            t = ends[lane]
            if code & LAGGED:
                t = _later(t, lag, lag_calendar, tables)
                if t == LOWEST:
                    left = lag_calendar
            if code & TO_FINISH and duration[lane] > 0:
                if t > tables.last[c]:
                    left = c
                else:
                    t = _start_for(t, duration[lane], c, tables)
            drives[lane] = e if t > best[lane] else drives[lane]
            best[lane] = max(best[lane], t)
    return left


@compiled
def _later(t: int, lag: int, c: int, tables: Tables) -> int:
    """Return the instant `lag` minutes of work after `t`, LOWEST if it is outside the calendar."""
    if t < tables.first[c] or t > tables.last[c]:
        return LOWEST
    k = shift_at(t, tables.first[c], tables.time_bits[c], tables.time_row[c], tables.by_time, tables.end)
    w = worked_by(t, k, tables.before, tables.offset) + lag
    if w < 0 or w > tables.total[c]:
        return LOWEST
    ahead = 1 if lag > 0 else 0
    return ahead + instant_of(
        w - ahead, tables.work_bits[c], tables.work_row[c], tables.by_work, tables.before, tables.offset
    )


@compiled
def _start_for(t: int, duration: int, c: int, tables: Tables) -> int:
    """Return the start of what finishes at `t`, LOWEST if its calendar begins after it."""
    if t < tables.first[c]:
        return LOWEST
    k = shift_at(t, tables.first[c], tables.time_bits[c], tables.time_row[c], tables.by_time, tables.end)
    w = worked_by(t, k, tables.before, tables.offset) - duration
    if w < 0:
        return LOWEST
    return instant_of(w, tables.work_bits[c], tables.work_row[c], tables.by_work, tables.before, tables.offset)


@inlined
def _place(
    c: int,
    earliest: int,
    tables: Tables,
    duration: Minutes,
    best: Minutes,
    drives: Minutes,
    start: Minutes,
    finish: Minutes,
) -> int:
    """Write start and finish of one activity on its calendar; return the calendar if it was left, or -1."""
    first, last, total = tables.first[c], tables.last[c], tables.total[c]
    time_bits, time_row, by_time = tables.time_bits[c], tables.time_row[c], tables.by_time
    work_bits, work_row, by_work = tables.work_bits[c], tables.work_row[c], tables.by_work
    end, before, offset = tables.end, tables.before, tables.offset
    for lane in range(LANES):
        t, d = max(earliest, best[lane]), duration[lane]
        if t < first or t > last:
            return c
        k = shift_at(t, first, time_bits, time_row, by_time, end)
        w = worked_by(t, k, before, offset)
        if best[lane] < earliest:
            same = False
            if d > 0 and best[lane] >= first:
                at = shift_at(best[lane], first, time_bits, time_row, by_time, end)
                same = worked_by(best[lane], at, before, offset) == w
            if not same:
                drives[lane] = -1
        if w + d > total:
            return c
        if d > 0:
            start[lane] = w + offset[k]
            finish[lane] = instant_of(w + d - 1, work_bits, work_row, by_work, before, offset) + 1
        else:
            start[lane] = t
            finish[lane] = t
    return -1


@compiled
def run_calendars(
    seed: np.uint64,
    first: int,
    groups: int,
    durations: Durations,
    causes: Causes,
    course: Course,
    tables: Tables,
    table: Floats,
    wanted: Targets,
    scratch: Scratch,
    on_chain: NDArray[np.int64],
    out: NDArray[np.int64],
    fault: Minutes,
) -> None:
    """Draw and date `groups` groups from `first` on, as `run_continuous`, with the calendars of `tables`.

    `fault` has the number and the calendar of what left its calendar, if something did.
    """
    words, values = np.empty(LANES, np.uint64), np.empty(LANES, np.float64)
    duration, best, drives = np.empty(LANES, np.int64), np.empty(LANES, np.int64), np.empty(LANES, np.int64)
    start = np.empty(LANES, np.int64)
    multipliers, starts, finishes, driving = scratch.multipliers, scratch.starts, scratch.finishes, scratch.driving
    for group in range(first, first + groups):
        draw_multipliers(seed, group, causes, table, words, multipliers)
        for j in range(len(course.calendar)):
            draw_durations(seed, group, j, durations, causes, table, multipliers, words, values, duration)
            left = _latest_links(j, course, tables, starts, finishes, duration, best, drives)
            c = course.calendar[j]
            if left < 0:
                left = _place(c, course.earliest[j], tables, duration, best, drives, start, finishes[j])
            if left >= 0:
                fault[0], fault[1] = j, left
                return
            if len(starts) > 0:
                starts[j, :] = start
                if course.state[j]:
                    starts[j, :] = course.started[j]
            if len(driving) > 0:
                for lane in range(LANES):
                    driving[j, lane] = drives[lane]
        for number in range(len(wanted.numbers)):
            place = (group - first) * LANES
            out[number, place : place + LANES] = finishes[wanted.numbers[number]]
        if len(driving) > 0:
            count_chains(wanted, group, course.far, driving, on_chain)
