"""Work and elapsed time of columns of instants, each on its own calendar."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from schedule.cpm.packing import Tables
from schedule.cpm.shifts import Indices, Minutes
from schedule.cpm.wiring import LeftCalendarError


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


def _refuse(wrong: NDArray[np.bool_], c: Indices, numbers: Indices) -> None:
    if wrong.any():
        at = int(wrong.argmax())
        raise LeftCalendarError(int(numbers[at]), int(c[at]))
