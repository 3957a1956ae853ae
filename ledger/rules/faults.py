"""Faults of many entries at once: each at its file, line and column, all of them in one refusal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from steps.errors import ClusterwrightError, InputError, Place

SHOWN = 25
"""How many faults a refusal lists."""


@contextmanager
def located(place: Place | None, column: str) -> Iterator[None]:
    """Let what is refused inside name the column of its line; an entry that is in no file has no place."""
    try:
        yield
    except ClusterwrightError as fault:
        raise type(fault)(fault.what, hint=fault.hint, place=column_of(place, column)) from None


def column_of(place: Place | None, column: str) -> Place | None:
    """Return a column of the line at a place."""
    return place and Place(place.file, place.line, column)


def together(faults: Sequence[ClusterwrightError]) -> ClusterwrightError:
    """Return one refusal that names every fault, or the fault itself where there is one."""
    if len(faults) == 1:
        return faults[0]
    said = [" ".join(str(fault).split("\n")) for fault in faults[:SHOWN]]
    more = [f"and {len(faults) - SHOWN} more"] if len(faults) > SHOWN else []
    return InputError(f"{len(faults)} faults; nothing is recorded:\n  " + "\n  ".join([*said, *more]))
