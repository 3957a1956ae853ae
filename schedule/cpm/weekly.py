"""Shifts from what people say of a site: hours of each weekday, holidays, exceptions, a time zone.

Hours are wall-clock times of the zone, so a shift keeps its hours when the clocks change, and a night shift across the change
is an hour shorter or longer.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import numpy as np

from schedule.cpm.shifts import ShiftCalendar
from schedule.errors import InputError

Hours = tuple[time, time]
"""A shift's first and last wall-clock time. One that ends no later than it begins ends on the next day; 00:00 is midnight."""
MINUTE = timedelta(minutes=1)


@dataclass(frozen=True)
class WeeklyHours:
    """Working hours by weekday (1 is Monday), and the days that differ."""

    days: Mapping[int, Sequence[Hours]]
    holidays: Collection[date] = ()
    """Days without work, unless `exceptions` has them too."""
    exceptions: Mapping[date, Sequence[Hours]] = field(default_factory=dict)
    """Hours of single days, instead of those of their weekday. A night shift belongs to the day on which it begins."""

    def hours_of(self, day: date) -> Sequence[Hours]:
        """Return the shifts that begin on a day."""
        if day in self.exceptions:
            return self.exceptions[day]
        return () if day in self.holidays else self.days.get(day.isoweekday(), ())


def weekly_calendar(
    name: str, hours: WeeklyHours, *, zone: str, origin: datetime, known: tuple[date, date]
) -> ShiftCalendar:
    """Return the shifts that begin on the days of `known`, both ends included, in minutes since `origin`.

    `origin` has a time zone and no seconds. Shifts that touch are joined; InputError if two overlap or nobody ever works.
    """
    where, begin = ZoneInfo(zone), origin.astimezone(UTC)
    first, last = known
    days = (first + timedelta(days=number) for number in range((last - first).days + 1))
    shifts = sorted(_minutes(day, one, where, begin) for day in days for one in hours.hours_of(day))
    shifts = [(start, end) for start, end in shifts if start < end]  # none is left of a shift that the clocks skip
    for (_, end), (start, _) in pairwise(shifts):
        if start < end:
            overlapping = (begin + start * MINUTE).astimezone(where)
            raise InputError(
                f"calendar {name!r}: shifts overlap at {overlapping:%Y-%m-%d %H:%M}", hint="correct its hours"
            )
    table = np.array(shifts, dtype=np.int64).reshape(-1, 2)
    joined = table[1:, 0] == table[:-1, 1]
    starts = table[:, 0][np.concatenate([[True], ~joined])[: len(table)]]
    ends = table[:, 1][np.concatenate([~joined, [True]])[: len(table)]]
    return ShiftCalendar(name, starts, ends, begins=_minute(first, time(), where, begin))


def _minutes(day: date, hours: Hours, zone: ZoneInfo, origin: datetime) -> tuple[int, int]:
    opens, closes = hours
    closing_day = day if closes > opens else day + timedelta(days=1)
    return _minute(day, opens, zone, origin), _minute(closing_day, closes, zone, origin)


def _minute(day: date, at: time, zone: ZoneInfo, origin: datetime) -> int:
    """Return the minute of a wall-clock time. One that the clocks skip is as far after the gap as it is after its start."""
    return (datetime.combine(day, at, tzinfo=zone) - origin) // MINUTE
