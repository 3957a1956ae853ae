"""What people write in a cell: durations, lags, links, amounts of resources, dates.

Durations and links are written as in Microsoft Project: `5d`, `2ew`, `B`, `BFS+2d`. Each function takes the text of a cell and
returns its value, or raises ValueError with the sentence and what to write instead.
"""

from __future__ import annotations

import re
from collections.abc import Container
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from typing import NamedTuple
from zoneinfo import ZoneInfo

from schedule.cpm.columns import Tie

SHOWN = 60
YEARS = range(1990, 2200)
LONGEST = 100 * 366 * 1440
"""The most minutes of a duration or lag: a hundred years."""

UNITS = {"min": "min", "m": "min", "h": "h", "hr": "h", "d": "d", "day": "d", "w": "w", "wk": "w", "week": "w"}
"""Units as people write them, also in the plural, and as we name them."""

LENGTH = re.compile(r"(\d{1,9}(?:\.\d{1,6})?) ?(e?)([a-z]{1,6}?)s?")
LAGGED = re.compile(r"(.*?) ?([+-]) ?(\d[\d.]* ?e?[a-z]+)")
TIED = re.compile(r"(.*?) ?(FS|SS|FF|SF)", re.IGNORECASE)
AMOUNT = re.compile(r"(.+?)(?: ?: ?(\d{1,9}))?")


class Week(NamedTuple):
    """How many working minutes a day and a week of a calendar have."""

    day: int
    week: int


AROUND_THE_CLOCK = Week(1440, 7 * 1440)


class Length(NamedTuple):
    """An amount of time. What is elapsed counts around the clock, whatever the calendar is."""

    amount: float
    unit: str
    elapsed: bool

    def minutes(self, week: Week) -> int:
        """Return whole minutes of a calendar. What takes time takes a minute at least."""
        own = AROUND_THE_CLOCK if self.elapsed else week
        exact = self.amount * {"min": 1, "h": 60, "d": own.day, "w": own.week}[self.unit]
        return max(round(exact), 1 if exact else 0)


class Predecessor(NamedTuple):
    """A link as it is written: what it waits for, the type and the lag; a negative sign is a lead."""

    id: str
    type: Tie
    lag: Length | None
    sign: int


class Use(NamedTuple):
    """An amount of a resource."""

    resource: str
    amount: int


@lru_cache(maxsize=4096)
def length_of(text: str) -> Length:
    """Return a duration or a lag: `5d`, `12h`, `3w`, `90min`, `2.5d`; `4ew` is elapsed; a milestone is `0`."""
    if text == "0":
        return Length(0.0, "min", elapsed=False)
    found = LENGTH.fullmatch(text.casefold())
    unit = found and UNITS.get(found[3])
    if found is None or unit is None:
        raise ValueError(
            f"{text[:SHOWN]!r} is no length of time; write 5d, 12h, 3w or 90min, with e for elapsed time: 2ew"
        )
    length = Length(float(found[1]), unit, elapsed=bool(found[2]))
    if length.minutes(AROUND_THE_CLOCK) > LONGEST:
        raise ValueError(f"{text[:SHOWN]!r} is longer than a hundred years; look at its unit")
    return length


def predecessors_of(text: str, known: Container[str]) -> list[Predecessor]:
    """Return the links of a cell: ids separated by commas or semicolons, each with a type and a lag where they are not FS and 0.

    An id that is `known` is read as it is, so that an activity may be called `BFS` or `A+1d`.
    """
    return [_predecessor(part, known) for part in _parts(text)]


def _predecessor(text: str, known: Container[str]) -> Predecessor:
    if text in known:
        return Predecessor(text, Tie.FS, None, 1)
    lagged = LAGGED.fullmatch(text)
    lag = length_of(lagged[3].replace(" ", "")) if lagged else None
    sign = -1 if lagged and lagged[2] == "-" else 1
    rest = lagged[1] if lagged else text
    if rest in known:
        return Predecessor(rest, Tie.FS, lag, sign)
    tied = TIED.fullmatch(rest)
    if tied is None or tied[1] not in known:
        name = tied[1] if tied and lagged else rest
        raise ValueError(f"there is no activity {name[:SHOWN]!r}")
    return Predecessor(tied[1], Tie[tied[2].upper()], lag, sign)


def uses_of(text: str) -> list[Use]:
    """Return the resources of a cell: `electrician:2, crane`. Without a number it is one."""
    uses = []
    for part in _parts(text):
        found = AMOUNT.fullmatch(part)
        if found is None or ":" in found[1]:
            raise ValueError(f"{part[:SHOWN]!r} is no amount of a resource; write electrician:2")
        uses.append(Use(found[1], int(found[2] or 1)))
    return uses


def instant_of(text: str, zone: str, *, is_end: bool = False) -> datetime:
    """Return an instant in UTC. Without an offset it is in the zone; a day alone is its beginning, or its end."""
    try:
        given = datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(f"{text[:SHOWN]!r} is no date; write 2027-01-04 or 2027-01-04 08:00") from None
    if given.year not in YEARS:
        raise ValueError(f"{text[:SHOWN]!r} is in no year from {YEARS[0]} to {YEARS[-1]}")
    if given.second or given.microsecond:
        raise ValueError(f"{text[:SHOWN]!r} has seconds; write the minute")
    if is_end and len(text) <= len("2027-01-04"):
        given += timedelta(days=1)
    return (given if given.tzinfo else given.replace(tzinfo=ZoneInfo(zone))).astimezone(UTC)


def day_of(text: str) -> date:
    """Return a day."""
    try:
        found = date.fromisoformat(text)
    except ValueError:
        raise ValueError(f"{text[:SHOWN]!r} is no day; write 2027-12-24") from None
    if found.year not in YEARS:
        raise ValueError(f"{text[:SHOWN]!r} is in no year from {YEARS[0]} to {YEARS[-1]}")
    return found


def hour_of(text: str) -> time:
    """Return a time of day: `07:30`. `24:00` is midnight."""
    try:
        found = time() if text == "24:00" else time.fromisoformat(text)
    except ValueError:
        raise ValueError(f"{text[:SHOWN]!r} is no time of day; write 07:30") from None
    return found.replace(second=0, microsecond=0, tzinfo=None)


def _parts(text: str) -> list[str]:
    """Return what commas and semicolons separate, with single spaces."""
    parts = (" ".join(part.split()) for part in re.split("[,;]", text))
    return [part for part in parts if part]
