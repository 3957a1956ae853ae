"""The most crews at work at once in each week, from when each of them works and from the working time of their calendars."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from itertools import accumulate
from typing import NamedTuple
from zoneinfo import ZoneInfo


class Stretch(NamedTuple):
    """So many crews at work from a start to a finish, in the working time of a calendar."""

    calendar: str
    start: datetime
    finish: datetime
    amount: int


Openings = Mapping[str, Sequence[tuple[datetime, datetime]]]
"""When work begins and ends each day, by calendar. One that is not here works around the clock."""


def shifts(
    days: Sequence[int],
    hours: Sequence[float],
    holidays: frozenset[str],
    stretch: tuple[date, date],
    zone: ZoneInfo,
) -> Iterator[tuple[datetime, datetime]]:
    """Yield when work begins and ends on each day that is worked. An end above 24 is on the next day."""
    first, last = stretch
    for number in range((last - first).days + 1):
        day = first + timedelta(days=number)
        if day.isoweekday() in days and day.isoformat() not in holidays:
            midnight = datetime.combine(day, time())
            opens, closes = (midnight + timedelta(hours=hour) for hour in hours)
            yield opens.replace(tzinfo=zone).astimezone(UTC), closes.replace(tzinfo=zone).astimezone(UTC)


def mondays_of(zone: ZoneInfo, first: datetime, last: datetime) -> list[datetime]:
    """Return when each week from the first to the last begins at the site."""
    day = first.astimezone(zone).date()
    day -= timedelta(days=day.weekday())
    found = []
    while (begin := datetime.combine(day, time(), zone).astimezone(UTC)) <= last:
        found.append(begin)
        day += timedelta(days=7)
    return found


def most_by_week(stretches: Sequence[Stretch], openings: Openings, mondays: Sequence[datetime]) -> list[int]:
    """Return the most crews at work at once, by week.

    More are at work only when work starts, or a shift or a week begins, so it is enough to count then.
    """
    most = [0] * len(mondays)
    by_calendar: dict[str, list[Stretch]] = defaultdict(list)
    for one in stretches:
        if one.start < one.finish:
            by_calendar[one.calendar].append(one)
    counts = [(_Covered(own), openings.get(name)) for name, own in by_calendar.items()]
    at = {one.start for own in by_calendar.values() for one in own} | set(mondays)
    for _, shifts in counts:
        at |= {begin for begin, _ in shifts or () if begin >= mondays[0]}
    for instant in at:
        number = sum(covered.at(instant) for covered, shifts in counts if shifts is None or _is_open(shifts, instant))
        week = bisect_right(mondays, instant) - 1
        most[week] = max(most[week], number)
    return most


def _is_open(shifts: Sequence[tuple[datetime, datetime]], instant: datetime) -> bool:
    place = bisect_right(shifts, instant, key=lambda shift: shift[0]) - 1
    return place >= 0 and instant < shifts[place][1]


class _Covered:
    """How many crews are at work at an instant."""

    def __init__(self, stretches: Sequence[Stretch]) -> None:
        """Sort the starts and the finishes, and add up the crews of each."""
        by_start = sorted((one.start, one.amount) for one in stretches)
        by_finish = sorted((one.finish, one.amount) for one in stretches)
        self.starts, self.finishes = [start for start, _ in by_start], [finish for finish, _ in by_finish]
        self.taken = [0, *accumulate(amount for _, amount in by_start)]
        self.freed = [0, *accumulate(amount for _, amount in by_finish)]

    def at(self, instant: datetime) -> int:
        """Return the sum of the amounts of what has started and not finished."""
        return self.taken[bisect_right(self.starts, instant)] - self.freed[bisect_right(self.finishes, instant)]
