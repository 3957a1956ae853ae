"""What a criterion names and an instrument reads: a number, yes or no, or a word; and how it is written as text.

Numbers are decimals, never floats. The text form is what events, plans and statements hold. Numbers are bounded: `1e999999999`
has eleven characters and a billion digits, and writing it out takes all the memory of a machine.
"""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from functools import lru_cache
from math import isfinite

Value = Decimal | bool | str
"""A number, yes or no, or a word."""

LARGEST_POWER = 30
"""The largest power of ten of a number, up or down. Anything beyond it is a typing error or an attack."""

MOST_DIGITS = 60
LONGEST_NUMBER = 100
"""The most characters of a text that is a number: its digits, its sign, zeros in front of it, and an exponent."""


def bounded_number(text: str) -> Decimal | None:
    """Return the number that a text is. None for a text that is none, is not finite, or is out of bounds."""
    if len(text) > LONGEST_NUMBER:
        return None
    try:
        number = Decimal(text)
    except InvalidOperation:
        return None
    return number if is_bounded(number) else None


def is_bounded(number: Decimal) -> bool:
    """Return whether a number is finite, within `LARGEST_POWER`, and has no more than `MOST_DIGITS` digits. Zero is 0."""
    if not number.is_finite():
        return False
    if abs(number.adjusted()) <= LARGEST_POWER and len(str(number)) <= MOST_DIGITS:
        return True  # nearly every number, and `as_tuple` is slow
    _, digits, exponent = number.as_tuple()
    assert isinstance(exponent, int)
    is_in_range = abs(exponent) <= MOST_DIGITS if number == 0 else abs(number.adjusted()) <= LARGEST_POWER
    return len(digits) <= MOST_DIGITS and is_in_range


def trimmed(number: float | Decimal) -> Decimal:
    """Return a number without zeros at its end, as people write it: 8, not 8.0."""
    found = Decimal(str(number))
    whole = found.to_integral_value()
    return whole if found == whole and is_bounded(found) else found.normalize()


def value_text(value: Value | float | None) -> str | None:
    """Return a value as text: `true`, `false`, plain digits, or the word itself. None stays None.

    A number out of bounds is written with its exponent.
    """
    if value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and isfinite(value):
        value = trimmed(value)
    if isinstance(value, Decimal):
        return format(value, "f") if is_bounded(value) else str(value)
    return str(value)


@lru_cache(maxsize=4096)
def text_value(text: str | None) -> Value | None:
    """Return what `value_text` wrote: a boolean, a bounded number, or the word. None stays None."""
    if text is None:
        return None
    if text in {"true", "false"}:
        return text == "true"
    number = bounded_number(text)
    return text if number is None else number
