"""Faults of many entries at once: one error names all of them, each with its file, line and column."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from schedule.errors import ClusterwrightError, InputError, Place

SHOWN = 25
"""How many faults an error lists."""


@contextmanager
def located(place: Place | None, column: str) -> Iterator[None]:
    """Add the place and the column to errors that are raised inside. An entry that comes from no file has no place."""
    try:
        yield
    except ClusterwrightError as fault:
        where = column_of(place, column)
        raise type(fault)(fault.what, hint=fault.hint, place=where) from None


def column_of(place: Place | None, column: str) -> Place | None:
    """Return a column of the line at a place."""
    return place and Place(place.file, place.line, column)


def together(faults: Sequence[ClusterwrightError], *, undone: str = "nothing is recorded") -> ClusterwrightError:
    """Return one error that names every fault, and says what was not done. If there is only one fault, return that."""
    if len(faults) == 1:
        return faults[0]
    lines = [str(fault).replace("\n", " ") for fault in faults[:SHOWN]]
    if len(faults) > SHOWN:
        lines.append(f"and {len(faults) - SHOWN} more")
    return InputError(f"{len(faults)} faults; {undone}:\n  " + "\n  ".join(lines))
