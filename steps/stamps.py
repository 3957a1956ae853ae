"""Instants as text: one fixed-width UTC form, so that the order of the text is the order of time."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from functools import lru_cache
from zoneinfo import ZoneInfo

from schedule.errors import InputError

_STAMP = re.compile(r"\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{6}Z", re.ASCII)
FIRST_STAMP, LAST_STAMP = "0001-01-02", "9999-12-31"
"""Stamps are from this day on and before that one: then every time zone has them."""


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


def stamped(text: object) -> datetime | None:
    """Return the instant of what should be a stamp. None for anything that `stamp` does not write.

    The server of a shared ledger asks the same of a time: `clusterwright.is_stamp` in install.sql.
    """
    if not isinstance(text, str) or not _STAMP.fullmatch(text) or not FIRST_STAMP <= text < LAST_STAMP:
        return None
    try:
        return datetime.fromisoformat(text)
    except ValueError:  # a day that does not exist
        return None


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


def minute(instant: datetime | None, zone: str) -> str:
    """Return the day and the minute of an instant in a time zone, as people read it. Empty for None.

    The first and the last hours of all have no time in some zones. They are shown in UTC.
    """
    if instant is None:
        return ""
    try:
        local = instant.astimezone(ZoneInfo(zone))
    except OverflowError:
        local = instant
    return local.strftime("%Y-%m-%d %H:%M")


def days_between(before: datetime, after: datetime, zone: str) -> int:
    """Return by how many days of the calendar in a time zone one instant is after another, as their two days say."""
    return (local_day(after, zone) - local_day(before, zone)).days


def at_site(local: datetime, zone: str) -> datetime:
    """Return the UTC instant of a time in a zone. One with an offset keeps it.

    When the clocks change, an hour is skipped and another comes twice. Raise InputError for a time in either.
    """
    if local.tzinfo is not None:
        return local.astimezone(UTC)
    first, second = (local.replace(tzinfo=ZoneInfo(zone), fold=fold) for fold in (0, 1))
    if first.utcoffset() == second.utcoffset():
        return first.astimezone(UTC)
    is_skipped = first.astimezone(UTC).astimezone(ZoneInfo(zone)).replace(tzinfo=None) != local
    how = "does not exist" if is_skipped else "comes twice"
    raise InputError(
        f"{local:%Y-%m-%dT%H:%M} {how} in {zone}, where the clocks change",
        hint=f"write {first.isoformat(timespec='minutes')} or {second.isoformat(timespec='minutes')}",
    )
