"""A reading as people write it: METRIC=VALUE, with the unit behind the number."""

from __future__ import annotations

import re

from ledger.values import ReadingEntry
from steps.errors import InputError

_NUMBER = re.compile(r"([^=\s]+)=\s*([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)\s*([^\s0-9.,].*)?")
_WORD = re.compile(r"([^=\s]+)=\s*(\S.*)")


def reading_of(text: str) -> ReadingEntry:
    """Give a reading that was written as `rack.bond_resistance=0.05ohm`, or as `link.up=yes`."""
    number = _NUMBER.fullmatch(text.strip())
    if number is not None:
        return ReadingEntry(number[1], number[2], (number[3] or "").strip())
    word = _WORD.fullmatch(text.strip())
    if word is None:
        raise InputError(f"{text!r} is not METRIC=VALUE", hint="as rack.bond_resistance=0.05ohm")
    return ReadingEntry(word[1], word[2])
