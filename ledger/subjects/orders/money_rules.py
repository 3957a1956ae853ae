"""Amounts of money: exact decimals in a named currency, never added across currencies."""

from __future__ import annotations

import re
from decimal import ROUND_HALF_EVEN, Decimal

from schedule.errors import InputError
from steps.value import bounded_number

CENT = Decimal("0.01")
SHOWN = 60
"""How many characters of what was typed a refusal repeats."""


Amount = Decimal | int | str
"""An amount of money or a quantity, as somebody entered it."""


def amount(value: Amount, what: str) -> Decimal:
    """Return an amount that can be recorded. Raise if it is not finite, negative, or has more than four decimals."""
    text = str(value)  # never in plain digits here: those of 1e999999999 fill the memory
    shown = text[:SHOWN]
    exact = bounded_number(text)
    if exact is None:
        raise InputError(f"{what} is a number in plain digits, not {shown!r}", hint="for example 1250000.50")
    if exact < 0 or exact >= Decimal(10) ** 15:
        raise InputError(f"{what} cannot be {shown}")
    if exact != exact.quantize(Decimal("0.0001")):
        raise InputError(f"{what} has more than four decimals: {shown}")
    return Decimal(format(exact, "f"))


def currency_code(text: str) -> str:
    """Return a currency's code as in ISO 4217. Raise if it is not three letters."""
    code = text.strip().upper()
    if not re.fullmatch(r"[A-Z]{3}", code):
        raise InputError(f"{text!r} is no currency code", hint="three letters, as EUR or USD")
    return code


def share(whole: Decimal, part: Decimal, of: Decimal) -> Decimal:
    """Return `whole` * `part` / `of`, rounded to the cent. Return `whole` if the part is the whole quantity or more."""
    if of <= 0 or part >= of:
        return whole
    return (whole * part / of).quantize(CENT, rounding=ROUND_HALF_EVEN)
