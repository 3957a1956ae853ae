"""The most crews at work at once in each week, from when each of them works and from the working time of their calendars."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, time, timedelta
from itertools import accumulate
from typing import NamedTuple
from zoneinfo import ZoneInfo

from ledger.rules.rows import grouped


class Stretch(NamedTuple):
    """So many crews at work from a start to a finish, in the working time of a calendar."""

    calendar: str
    start: datetime
    finish: datetime
    amount: int


Openings = Mapping[str, Sequence[tuple[datetime, datetime]]]
"""When work begins and ends each day, by calendar. One that is not here works around the clock."""


def mondays_of(zone: ZoneInfo, first: datetime, last: datetime) -> list[datetime]:
    """Return when each week from the first to the last begins at the site."""
    day = first.astimezone(zone).date()
    day -= timedelta(days=day.weekday())
    found = []
    while (begin := datetime.combine(day, time(), zone).astimezone(UTC)) <= last:
        found.append(begin)
        day += timedelta(days=7)
    return found


def most_by_week(
    stretches: Sequence[Stretch],
    openings: Openings,
    mondays: Sequence[datetime],
) -> list[int]:
    """Return the most crews at work at once, by week.

    More are at work only when work starts, or a shift or a week begins, so it is enough to count then.
    """
    by_calendar = grouped((one.calendar, one) for one in stretches if one.start < one.finish)
    covered = {name: _Covered(own) for name, own in by_calendar.items()}
    at = {one.start for own in by_calendar.values() for one in own} | set(mondays)
    for name in by_calendar:
        begins = {begin for begin, _ in openings.get(name, ())}
        at |= {begin for begin in begins if begin >= mondays[0]}
    most = [0] * len(mondays)
    for instant in at:
        number = 0
        for name, own in covered.items():
            if _is_open(openings.get(name), instant):
                number += own.at(instant)
        week = bisect_right(mondays, instant) - 1
        most[week] = max(most[week], number)
    return most


def _is_open(hours: Sequence[tuple[datetime, datetime]] | None, instant: datetime) -> bool:
    """Return whether a calendar is worked at an instant. None is around the clock."""
    if hours is None:
        return True
    place = bisect_right(hours, instant, key=_begin) - 1
    return place >= 0 and instant < hours[place][1]


def _begin(shift: tuple[datetime, datetime]) -> datetime:
    return shift[0]


class _Covered:
    """How many crews are at work at an instant."""

    def __init__(self, stretches: Sequence[Stretch]) -> None:
        """Sort the starts and the finishes, and add up the crews of each."""
        by_start = sorted((one.start, one.amount) for one in stretches)
        by_finish = sorted((one.finish, one.amount) for one in stretches)
        self.starts = [start for start, _ in by_start]
        self.finishes = [finish for finish, _ in by_finish]
        self.taken = [0, *accumulate(amount for _, amount in by_start)]
        self.freed = [0, *accumulate(amount for _, amount in by_finish)]

    def at(self, instant: datetime) -> int:
        """Return the sum of the amounts of what has started and not finished."""
        taken = self.taken[bisect_right(self.starts, instant)]
        return taken - self.freed[bisect_right(self.finishes, instant)]
