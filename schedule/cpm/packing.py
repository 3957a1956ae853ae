"""The calendars of one network in flat arrays, as the passes read them.

Calendar `c` has its shifts at `shift[c]` and its buckets at `time_row[c]` and `work_row[c]`. After its last shift comes one
that is never reached, so that a search needs no bound.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from schedule.cpm.shifts import ALWAYS, Indices, Minutes, ShiftCalendar

NEVER = 6 * ALWAYS
"""Later than any instant of any calendar."""


class Tables(NamedTuple):
    """One row a calendar, then one entry a shift, then one entry a bucket."""

    first: Minutes
    last: Minutes
    total: Minutes
    time_bits: Minutes
    time_row: Minutes
    work_bits: Minutes
    work_row: Minutes
    end: Minutes
    """When a shift ends; never, after the last."""
    before: Minutes
    """Working minutes before a shift; an entry more than shifts, and never after it."""
    offset: Minutes
    """What added to a count of work inside the shift is an instant."""
    by_time: Indices
    by_work: Indices


def pack(calendars: Sequence[ShiftCalendar]) -> Tables:
    """Return the tables of calendars, numbered as they come."""
    lengths = [len(calendar.start) + 2 for calendar in calendars]
    rows = np.concatenate([[0], np.cumsum(lengths)])[:-1]
    time_rows, by_time = _joined([calendar.by_time.first for calendar in calendars], rows)
    work_rows, by_work = _joined([calendar.by_work.first for calendar in calendars], rows)
    never = np.array([NEVER], np.int64)
    zero = np.zeros(1, np.int64)
    return Tables(
        first=np.array([calendar.known[0] for calendar in calendars], np.int64),
        last=np.array([calendar.known[1] for calendar in calendars], np.int64),
        total=np.array([calendar.before[-1] for calendar in calendars], np.int64),
        time_bits=np.array([calendar.by_time.bits for calendar in calendars], np.int64),
        time_row=time_rows,
        work_bits=np.array([calendar.by_work.bits for calendar in calendars], np.int64),
        work_row=work_rows,
        end=np.concatenate([np.concatenate([calendar.end, never, never]) for calendar in calendars]),
        before=np.concatenate([np.concatenate([calendar.before, never]) for calendar in calendars]),
        offset=np.concatenate([np.concatenate([calendar.offset, zero]) for calendar in calendars]),
        by_time=by_time,
        by_work=by_work,
    )


def steps(calendars: Sequence[ShiftCalendar]) -> tuple[int, int]:
    """Return how many steps at most lead from a bucket of time, and of work, to the shift."""
    return (
        max(calendar.by_time.most for calendar in calendars),
        max(calendar.by_work.most for calendar in calendars),
    )


def _joined(buckets: list[Indices], rows: Minutes) -> tuple[Minutes, Indices]:
    """Return where each calendar's buckets begin, and all buckets with shifts numbered through."""
    lengths = np.cumsum([len(own) for own in buckets])
    begins = np.concatenate([[0], lengths])[:-1].astype(np.int64)
    joined = np.concatenate([own + row for own, row in zip(buckets, rows, strict=True)])
    return begins, joined.astype(np.int32)
