"""Calendars of a project: those of calendars.csv, and two that need no file.

calendars.csv has a row for each kind of day: `calendar`, `days` (`Mon-Fri`, `Sat Sun`, `2027-12-24`, `2027-12-24..2028-01-02`)
and `hours` (`08:00-12:00 13:00-17:00`, `22:00-06:00`, `24h`, `off`). A row for a date takes the place of the weekday's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from schedule.cpm.shifts import ShiftCalendar, continuous
from schedule.cpm.weekly import Hours, WeeklyHours, weekly_calendar
from schedule.files.grid import Faults, Numbered, Record, records
from schedule.files.terms import AROUND_THE_CLOCK, SHOWN, Week, day_of, hour_of

CONTINUOUS = "continuous"
STANDARD = "standard"
COLUMNS = ("calendar", "days", "hours")
WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
OFF = frozenset({"", "off", "-"})
ALL_DAY = frozenset({"24h", "00:00-24:00"})
OFFICE = ((time(8), time(12)), (time(13), time(17)))
EIGHT_HOURS = WeeklyHours(dict.fromkeys(range(1, 6), OFFICE))
"""Eight hours on five days: the calendar of activities that name none."""
YEARS_BEFORE = 1
YEARS_AFTER = 30
LONGEST_RANGE = 3660
"""The most days from the first to the last day of a row."""

Calendars = Mapping[str, WeeklyHours]
BUILT_IN: Calendars = MappingProxyType({STANDARD: EIGHT_HOURS})


def read_calendars(path: Path, rows: Sequence[Numbered]) -> Calendars:
    """Return the hours of calendars.csv, and the standard calendar if the file has none of this name."""
    faults = Faults()
    found: dict[str, _Own] = {}
    for record in records(path, rows, COLUMNS, COLUMNS[:2]):
        _take(record, found, faults)
    faults.end()
    own_hours = {name: WeeklyHours(own.weekdays, (), own.dates) for name, own in found.items()}
    return {**BUILT_IN, **own_hours}


class _Own(NamedTuple):
    """The hours of one calendar."""

    weekdays: dict[int, Sequence[Hours]]
    dates: dict[date, Sequence[Hours]]


def _take(record: Record, found: dict[str, _Own], faults: Faults) -> None:
    name, days = record.cells.get("calendar", ""), record.cells.get("days", "")
    if name in {"", CONTINUOUS}:
        what = "is that of the calendar that is always worked" if name else "is missing"
        faults.say(f"the calendar's name {what}", record.place("calendar"), "name the calendar otherwise")
        return
    own = found.setdefault(name, _Own({}, {}))
    with faults.at(record.place("hours")):
        hours = _hours(record.cells.get("hours", ""))
        with faults.at(record.place("days")):
            if days[:1].isdigit():
                own.dates.update(dict.fromkeys(_dates(days), hours))
            else:
                own.weekdays.update(dict.fromkeys(_weekdays(days), hours))


def week_of(hours: WeeklyHours) -> Week:
    """Return the working minutes of the longest weekday, and those of a week; zeros if no weekday is worked."""
    lengths = [sum(_length(shift) for shift in shifts) for shifts in hours.days.values()]
    return Week(max(lengths, default=0), sum(lengths))


def shifts_of(name: str, hours: WeeklyHours | None, *, zone: str, origin: datetime) -> ShiftCalendar:
    """Return a calendar for the years of a project; without hours the continuous one."""
    if hours is None:
        return continuous(name)
    first = origin.date().replace(day=1)
    known = (first - YEARS_BEFORE * timedelta(days=366), first + YEARS_AFTER * timedelta(days=366))
    return weekly_calendar(name, hours, zone=zone, origin=origin, known=known)


def weeks_of(calendars: Calendars) -> dict[str, Week]:
    """Return what a day and a week are, by the names of all calendars."""
    return {CONTINUOUS: AROUND_THE_CLOCK} | {name: week_of(hours) for name, hours in calendars.items()}


def _hours(text: str) -> Sequence[Hours]:
    if text.casefold() in OFF:
        return ()
    if text.casefold() in ALL_DAY:
        return ((time(), time()),)
    return [_shift(part) for part in text.replace(",", " ").replace(";", " ").split()]


def _shift(text: str) -> Hours:
    opens, dash, closes = text.partition("-")
    if not dash:
        raise ValueError(f"{text[:SHOWN]!r} is no shift; write 08:00-12:00 13:00-17:00, 24h, or off")
    return hour_of(opens), hour_of(closes)


def _length(shift: Hours) -> int:
    opens, closes = (at.hour * 60 + at.minute for at in shift)
    return closes - opens if closes > opens else closes + 1440 - opens


def _weekdays(text: str) -> Iterator[int]:
    """Yield the numbers of weekdays, 1 is Monday."""
    parts = text.casefold().replace(",", " ").split()
    if not parts:
        raise ValueError("the days are missing; write Mon-Fri, Sat, or a date such as 2027-12-24")
    for part in parts:
        first, _, last = part.partition("-")
        begin, end = _weekday(first), _weekday(last or first)
        yield from (1 + day % 7 for day in range(begin, end + (1 if end >= begin else 8)))


def _weekday(text: str) -> int:
    if text[:3] not in WEEKDAYS:
        raise ValueError(f"{text[:SHOWN]!r} is no day; write Mon-Fri, Sat, or a date such as 2027-12-24")
    return WEEKDAYS.index(text[:3])


def _dates(text: str) -> Iterator[date]:
    first, _, last = text.partition("..")
    begin, end = day_of(first), day_of(last or first)
    if not 0 <= (end - begin).days < LONGEST_RANGE:
        raise ValueError(f"{text[:SHOWN]!r} is no range of days; write the first day, two dots and the last day")
    yield from (begin + timedelta(days=number) for number in range((end - begin).days + 1))
