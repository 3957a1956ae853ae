"""Instants and figures as text: one fixed-width UTC form, so that text order is time order."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal, InvalidOperation

from steps.errors import InputError

Value = Decimal | bool | str
"""What a criterion names and an instrument reads: a number, yes or no, or a word."""


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


def value_text(value: Value | float | None) -> str | None:
    """Give a value as text: `true`, `false`, plain digits, or the word itself."""
    if value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Decimal):
        return format(value, "f")
    return str(value)


def text_value(text: str | None) -> Value | None:
    """Give back what `value_text` wrote: a boolean, a number where it is one, or the word."""
    if text is None:
        return None
    if text in {"true", "false"}:
        return text == "true"
    try:
        number = Decimal(text)
    except InvalidOperation:
        return text
    return number if number.is_finite() else text
