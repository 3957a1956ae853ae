"""Instants as text: one fixed-width UTC form, so that the order of the text is the order of time."""

from __future__ import annotations

from datetime import UTC, date, datetime
from functools import lru_cache
from zoneinfo import ZoneInfo

from steps.errors import InputError


@lru_cache(maxsize=1024)
def stamp(instant: datetime) -> str:
    """Return an instant as UTC text with microseconds. Raise InputError for one without a time zone.

    The last ones are cached, because the rows of an event have the same time.
    """
    if instant.tzinfo is None:
        raise InputError(f"the time {instant.isoformat()} has no time zone", hint="write it in UTC")
    utc = instant if instant.tzinfo is UTC else instant.astimezone(UTC)
    return utc.isoformat(timespec="microseconds").removesuffix("+00:00") + "Z"


def moment(text: str) -> datetime:
    """Return the instant of a stamp."""
    return datetime.fromisoformat(text)


def instant(text: str | None) -> datetime | None:
    """Return the instant of a stamp. None stays None."""
    return None if text is None else datetime.fromisoformat(text)


def day(text: str | None) -> date | None:
    """Return the date of ISO text. None stays None."""
    return None if text is None else date.fromisoformat(text)


@lru_cache(maxsize=16_384)
def local_day(instant: datetime, zone: str) -> date:
    """Return the day of an instant in a time zone. The last ones are cached: the work of many pods has the same dates."""
    return instant.astimezone(ZoneInfo(zone)).date()


def days_between(before: datetime, after: datetime, zone: str) -> int:
    """Return by how many days of the calendar in a time zone one instant is after another, as their two days say."""
    return (local_day(after, zone) - local_day(before, zone)).days
