"""What a criterion names and an instrument reads: a number, yes or no, or a word; and how it is written as text.

Numbers are decimals, never floats. The text form is what events, plans and statements hold.
"""

from __future__ import annotations

from decimal import Decimal, InvalidOperation

Value = Decimal | bool | str
"""A number, yes or no, or a word."""


def value_text(value: Value | float | None) -> str | None:
    """Return a value as text: `true`, `false`, plain digits, or the word itself. None stays None."""
    if value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Decimal):
        return format(value, "f")
    return str(value)


def text_value(text: str | None) -> Value | None:
    """Return what `value_text` wrote: a boolean, a finite number, or the word. None stays None."""
    if text is None:
        return None
    if text in {"true", "false"}:
        return text == "true"
    try:
        number = Decimal(text)
    except InvalidOperation:
        return text
    return number if number.is_finite() else text
