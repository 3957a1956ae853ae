"""When something may be said to have happened: neither in the future nor before the project, and why it is recorded late."""

from __future__ import annotations

from datetime import date, datetime, timedelta

from schedule.errors import InputError
from steps.stamps import local_day, minute

DAY_AHEAD = timedelta(days=1)
"""How far after its recording something could be dated under the first two versions of the rules."""

CLOCKS = timedelta(minutes=5)
"""By how much the clocks of machines may differ. Whoever decides within this time decides now."""

LATE = timedelta(days=1)
"""How long after it happened something is recorded without a reason: in the evening, or on the next morning."""


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
