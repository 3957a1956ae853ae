"""Instants and figures as text: one fixed-width UTC form, so that text order is time order."""

from __future__ import annotations

from datetime import UTC, date, datetime

from steps.errors import InputError


def stamp(instant: datetime) -> str:
    """Give an instant as UTC text with microseconds; a naive one is refused."""
    if instant.tzinfo is None:
        raise InputError(f"the time {instant.isoformat()} has no time zone", hint="give UTC")
    return instant.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def instant(text: str | None) -> datetime | None:
    """Give the instant of a stamp; None stays None."""
    return None if text is None else datetime.fromisoformat(text)


def day(text: str | None) -> date | None:
    """Give the date of ISO text; None stays None."""
    return None if text is None else date.fromisoformat(text)
