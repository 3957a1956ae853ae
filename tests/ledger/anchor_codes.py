"""Codes of anchors as earlier releases made them."""

from __future__ import annotations

from collections.abc import Sequence

from ledger.trust.anchor_code import ALPHABET, BECH32M, CHARACTERS, HASH_DIGITS, _polymod


def code_of(seq: int, digest: str) -> str:
    """Return the code of an event's number and hash."""
    values = _values(seq, 6) + _values(int(digest[:HASH_DIGITS], 16), 16)
    values += checksum("cw", values)
    text = "".join(ALPHABET[value] for value in values)
    return "-".join(text[i : i + 4] for i in range(0, CHARACTERS, 4))


def checksum(prefix: str, values: Sequence[int]) -> list[int]:
    """Return the six values that BIP-350 adds to 5-bit values under a prefix."""
    codes = prefix.encode()
    expanded = [code >> 5 for code in codes] + [0] + [code & 31 for code in codes]
    return _values(_polymod([*expanded, *values, *[0] * 6]) ^ BECH32M, 6)


def _values(number: int, count: int) -> list[int]:
    return [number >> 5 * place & 31 for place in reversed(range(count))]
