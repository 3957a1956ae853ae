"""When something may be said to have happened: neither in the future nor before the project, and why it is recorded late."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime, timedelta
from typing import NamedTuple

from schedule.errors import InputError
from steps.stamps import local_day, minute

DAY_AHEAD = timedelta(days=1)
"""How far after its recording something could be dated under the first two versions of the rules."""

CLOCKS = timedelta(minutes=5)
"""By how much the clocks of machines may differ. A decision within this time is one of now."""

LATE = timedelta(days=1)
"""How long after it happened something is recorded without a reason: in the evening, or on the next morning."""

LEAP = timedelta(days=366)
"""How long after the last event something is recorded that is no adopted plan. One wrong clock would date all that comes after it."""

GAP = timedelta(days=7)
"""From how long a gap between two events on an adopted plan may be recorded in it, though later events are there: a clock was wrong."""


class Stamp(NamedTuple):
    """When an event was recorded, and whether it is an adopted plan that is in force or was."""

    at: datetime
    is_adoption: bool


def last_time(stamps: Iterable[Stamp], machine: datetime, *, adopts: bool) -> datetime | None:
    """Return the time before which nothing more is recorded, from the times of the events, the last one's first. None if there are none.

    That is the last event's. But times far ahead of this machine's clock that follow on a leap do not count: for an adopted plan
    (`adopts`) after any gap, and for everything else if no adopted plan made the leap.
    """
    last: datetime | None = None
    after: Stamp | None = None
    for stamp in stamps:
        last = last or stamp.at
        if stamp.at <= machine + CLOCKS:
            gap = timedelta() if after is None else after.at - stamp.at
            is_leap = gap > GAP if adopts else gap > LEAP and after is not None and not after.is_adoption
            return stamp.at if is_leap else last
        after = stamp
    return last


def refuse_leap(at: datetime, before: datetime, zone: str) -> None:
    """Raise for something that is recorded so long after the last event that the clock is likely to be wrong."""
    if at - before > LEAP:
        raise InputError(
            f"it would be recorded on {minute(at, zone)}, {(at - before).days} days after the last event; only an adopted plan is",
            hint="look at the clock of this machine; if it is right, adopt the plan again, then record this",
        )


def is_earlier(at: datetime, present: datetime) -> bool:
    """Return whether something is recorded at another time than that at which it happened."""
    return present - at > CLOCKS


def refuse_future(at: datetime, present: datetime, zone: str) -> None:
    """Raise for a time that has not come."""
    if at > present + CLOCKS:
        raise InputError(
            f"{minute(at, zone)} is in the future; it is {minute(present, zone)} at the site",
            hint="look at the year and the day; what will happen is recorded when it has happened",
        )


def refuse_before_project(at: datetime, begins: datetime | None, zone: str) -> None:
    """Raise for a time on a day before the project began. None means that no plan says when it began."""
    if begins is not None and local_day(at, zone) < local_day(begins, zone):
        raise InputError(
            f"{minute(at, zone)} is before the project, which began on {local_day(begins, zone)}",
            hint="look at the year; if work began earlier, write that day as `start` in site.yaml and adopt the plan",
        )


def refuse_unexplained(at: datetime, present: datetime, zone: str, because: str | None) -> None:
    """Raise for something that is recorded more than a day after it happened, if nobody says why so late."""
    if present - at > LATE and not (because or "").strip():
        raise InputError(
            f"{minute(at, zone)} is {(present - at).days} days ago, and nobody says why it is recorded only now",
            hint="look at the year; if it is right, add --late-because WHY",
        )


def refuse_past_day(day: date, today: date, what: str, hint: str) -> None:
    """Raise for a day that was over when somebody named it, on `today`. `what` says what it cannot be for."""
    if day < today:
        raise InputError(f"{day} is over; {what}", hint=hint)
