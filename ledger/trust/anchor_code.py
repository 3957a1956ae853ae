"""The code of an anchor, which earlier releases made to be read over the telephone: `0001-M0HD-BS56-MZ3P-HRRK-C8P1-Q4QV`.

28 characters of Crockford's base 32, without I, L, O and U, in upper or lower case. They have 30 bits of the event's number,
the first 80 bits of its hash, and the checksum of BIP-350 (Bech32m) over both. Codes are read for ever and made no more: a code is
on paper somewhere.
"""

from __future__ import annotations

from collections.abc import Sequence

from schedule.errors import InputError

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
HEARD_AS = str.maketrans("ILO", "110", " -\t\n")
SEQ_CHARACTERS, HASH_CHARACTERS, CHECK_CHARACTERS = 6, 16, 6
CHARACTERS = SEQ_CHARACTERS + HASH_CHARACTERS + CHECK_CHARACTERS
HASH_DIGITS = HASH_CHARACTERS * 5 // 4
"""How many hex digits of the hash a code has."""

PREFIX = (3, 3, 0, 3, 23)
"""The human-readable part `cw` as BIP-350 expands it. It is in the checksum only: a code of another program is refused."""

BECH32M = 0x2BC830A3
GENERATOR = (0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)


def read_code(text: str) -> tuple[int, str]:
    """Return the content of a code: an event's number, and the beginning of its hash. Raise InputError if it was written down wrongly."""
    heard = text.upper().translate(HEARD_AS)
    hint = f"{CHARACTERS} of {ALPHABET}, as an earlier release printed them"
    if len(heard) != CHARACTERS:
        raise InputError(f"{text!r} is no code of an anchor: it has {len(heard)} characters", hint=hint)
    if wrong := [c for c in heard if c not in ALPHABET]:
        raise InputError(f"{text!r} is no code of an anchor: {wrong[0]!r} is never in one", hint=hint)
    values = [ALPHABET.index(c) for c in heard]
    if _polymod([*PREFIX, *values]) != BECH32M:
        raise InputError(f"{text!r} was written down wrongly: its checksum does not fit", hint="ask for it again")
    seq, digest = values[:SEQ_CHARACTERS], values[SEQ_CHARACTERS:-CHECK_CHARACTERS]
    return _number(seq), f"{_number(digest):0{HASH_DIGITS}x}"


def looks_like_code(text: str) -> bool:
    """Return whether a word on the command line is meant as a code, correct or not, and not as the name of a file."""
    heard = text.upper().translate(HEARD_AS)
    return abs(len(heard) - CHARACTERS) <= 2 and heard.isalnum()


def _polymod(values: Sequence[int]) -> int:
    rest = 1
    for value in values:
        top = rest >> 25
        rest = (rest & 0x1FFFFFF) << 5 ^ value
        for i, term in enumerate(GENERATOR):
            rest ^= term if top >> i & 1 else 0
    return rest


def _number(values: Sequence[int]) -> int:
    number = 0
    for value in values:
        number = number << 5 | value
    return number
