"""Working time of one calendar for single instants, as plain numbers: for what is asked of a few hundred activities, and not of all.

The answers are those of the passes. An instant outside the calendar is an InputError.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import lru_cache

from schedule.cpm.shifts import ShiftCalendar
from schedule.cpm.wiring import LOWEST


class WorkingTime:
    """One calendar's shifts as lists."""

    def __init__(self, calendar: ShiftCalendar) -> None:
        self._calendar = calendar
        self._first, self._last = calendar.known
        self._end: list[int] = calendar.end.tolist()
        self._before: list[int] = calendar.before.tolist()
        self._offset: list[int] = calendar.offset.tolist()

    def worked(self, instant: int) -> int:
        """Return the working minutes before an instant."""
        if not self._first <= instant <= self._last:
            raise self._calendar.left()
        shift = bisect_right(self._end, instant)
        return max(self._before[shift], instant - self._offset[shift])

    def next(self, instant: int) -> int:
        """Return the instant itself in a shift, the beginning of the next shift elsewhere."""
        return self._begins(self.worked(instant))

    def finish(self, begin: int, duration: int) -> int:
        """Return when work of `duration` minutes that begins at an instant is done; 0 minutes are done at once."""
        return self._begins(self.worked(begin) + duration - 1) + 1 if duration else begin

    def done_by(self, instant: int) -> int:
        """Return the end of the last minute that is worked before an instant."""
        return self._begins(self.worked(instant) - 1) + 1

    def begin_of(self, finish: int, duration: int) -> int:
        """Return when work must begin to be done at `finish`; LOWEST where the calendar begins after that."""
        if finish < self._first:
            return LOWEST
        minutes = self.worked(finish) - duration
        return self._begins(minutes) if minutes >= 0 else LOWEST

    def later(self, instant: int, lag: int) -> int:
        """Return the instant `lag` minutes of work after another, or before it where the lag is negative."""
        minutes = self.worked(instant) + lag
        return self._begins(minutes - 1) + 1 if lag > 0 else self._begins(minutes)

    def _begins(self, minutes: int) -> int:
        if not 0 <= minutes <= self._before[-1]:
            raise self._calendar.left()
        return minutes + self._offset[bisect_right(self._before, minutes) - 1]


@lru_cache(maxsize=64)
def working_time(calendar: ShiftCalendar) -> WorkingTime:
    """Return the working time of a calendar; made once for each."""
    return WorkingTime(calendar)
