"""Working time in whole minutes: shifts, and conversion between instants and minutes of work.

A calendar is sorted shifts [start, end) that do not touch. `work(t)` counts the working minutes before `t`. The inverse has
two answers at the edge of a shift: `start(w)` is the latest instant before which no more than `w` minutes are worked (Monday
08:00), `finish(w)` the earliest by which `w` minutes are worked (Friday 17:00). An instant outside the calendar is an error.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from schedule.errors import InputError

Minutes = NDArray[np.int64]
Indices = NDArray[np.int32]

ALWAYS = 2**60
"""A continuous calendar is one shift from -ALWAYS to ALWAYS minutes: its tables have one entry, and no end is ever met."""
ONE_BUCKET = 61
MOST_BUCKETS = 2**15
"""So many fit in a core's cache, and 15 years of shifts of four hours need few more."""
HINT = "extend the calendar's range, or look for a duration or lag that is far too long"


@dataclass(frozen=True, eq=False)
class Buckets:
    """Which shift to look at first: the first whose boundary is after the beginning of the bucket."""

    first: Indices
    bits: int
    """A bucket is 2**bits minutes long."""
    most: int
    """The most boundaries in one bucket: so many steps at most lead from `first` to the shift."""


@dataclass(frozen=True, eq=False)
class ShiftCalendar:
    """Shifts of one calendar. `start` and `end` are minutes since the origin, both of shape (shifts,).

    The calendar is known from `begins`, by default its first shift, to the end of its last shift.
    """

    name: str
    start: Minutes
    end: Minutes
    begins: int | None = None

    def __post_init__(self) -> None:
        """Refuse shifts that are empty, overlap or are not in order."""
        if not len(self.start):
            raise InputError(f"calendar {self.name!r} has no working time", hint="add a shift")
        if len(self.start) != len(self.end):
            raise InputError(f"calendar {self.name!r} has {len(self.start)} starts and {len(self.end)} ends of shifts")
        ordered = (self.start < self.end).all() and (self.end[:-1] < self.start[1:]).all()
        if not ordered:
            raise InputError(
                f"shifts of calendar {self.name!r} overlap, touch, are empty or are not in order",
                hint="join shifts that touch, and sort them by start",
            )

    @property
    def known(self) -> tuple[int, int]:
        """The first and the last instant at which the calendar is known."""
        first = int(self.start[0])
        return first if self.begins is None else min(first, self.begins), int(self.end[-1])

    @property
    def is_continuous(self) -> bool:
        """Whether every minute is worked."""
        return bool(self.start[0] == -ALWAYS)

    @cached_property
    def before(self) -> Minutes:
        """Working minutes before each shift; shape (shifts + 1,), the last is all of them."""
        lengths = np.cumsum(self.end - self.start)
        return np.concatenate([np.zeros(1, np.int64), lengths])

    @cached_property
    def offset(self) -> Minutes:
        """What added to a count of work inside a shift is an instant; shape (shifts + 1,), the last is the calendar's end."""
        offset = np.empty(len(self.start) + 1, np.int64)
        offset[:-1] = self.start - self.before[:-1]
        offset[-1] = self.end[-1] - self.before[-1]
        return offset

    @cached_property
    def by_time(self) -> Buckets:
        """Buckets of elapsed minutes since the calendar begins."""
        first, last = self.known
        return _buckets(self.end - first, last - first, continuous=self.is_continuous)

    @cached_property
    def by_work(self) -> Buckets:
        """Buckets of working minutes."""
        return _buckets(self.before[1:], int(self.before[-1]), continuous=self.is_continuous)

    def work(self, instant: Minutes | int) -> Minutes:
        """Return the working minutes from the calendar's first minute to `instant`."""
        t = np.asarray(instant, dtype=np.int64)
        first, last = self.known
        if t.size and (t.min() < first or t.max() > last):
            raise self.left()
        index = np.minimum(np.searchsorted(self.end, t, side="right"), len(self.end) - 1)
        worked = np.clip(t - self.start[index], 0, self.end[index] - self.start[index])
        return np.asarray(self.before[index] + worked)

    def next_start(self, work: Minutes | int) -> Minutes:
        """Return the latest instant before which no more than `work` minutes are worked."""
        w = self._counted(work, 0)
        index = np.searchsorted(self.before[1:], w, side="right")
        return np.asarray(w + self.offset[index])

    def finish(self, work: Minutes | int) -> Minutes:
        """Return the earliest instant by which `work` minutes are worked; `work` is 1 or more."""
        w = self._counted(work, 1)
        return np.asarray(self.next_start(w - 1) + 1)

    def _counted(self, work: Minutes | int, least: int) -> Minutes:
        w = np.asarray(work, dtype=np.int64)
        if w.size and (w.min() < least or w.max() > self.before[-1]):
            raise self.left()
        return w

    def left(self) -> InputError:
        """Return the error for an instant or an amount of work that is not in the calendar."""
        return InputError(
            f"calendar {self.name!r} ends too early or begins too late: a date is outside its shifts", hint=HINT
        )


def continuous(name: str = "continuous") -> ShiftCalendar:
    """Return a calendar that is worked around the clock, for ever."""
    return ShiftCalendar(name, np.array([-ALWAYS], np.int64), np.array([ALWAYS], np.int64))


def _buckets(boundaries: Minutes, length: int, *, continuous: bool) -> Buckets:
    """Return buckets short enough that most hold one boundary, unless that were too many buckets."""
    if continuous:
        return Buckets(np.zeros(2, np.int32), ONE_BUCKET, 1)
    nearest = int(np.diff(boundaries, prepend=0).min())
    bits = max(nearest.bit_length() - 1, (length // MOST_BUCKETS).bit_length())
    edges = np.arange((length >> bits) + 2, dtype=np.int64) << bits
    first = np.searchsorted(boundaries, edges, side="right")
    most = int(np.diff(first).max(initial=0))
    return Buckets(first.astype(np.int32), bits, most)
