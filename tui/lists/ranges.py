"""Dates that are not sure, on a time axis: from P10 to P80 with P50 between, what is promised and what is expected."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from tui.lists.bars import Moments, background, line, put, spans_of
from tui.lists.column import Span
from tui.lists.timescale import Timescale
from tui.looks import Role

BEGIN, BETWEEN, END = "├", "─", "┤"


class Mark(NamedTuple):
    """A moment with its glyph and role."""

    at: datetime
    glyph: str
    role: Role


class Range(NamedTuple):
    """A stretch of time that is painted as `├───┤`, and marks upon it. A later mark covers an earlier one in its cell."""

    first: datetime
    last: datetime
    marks: tuple[Mark, ...] = ()


def ranged(found: Range, scale: Timescale, width: int, moments: Moments) -> Sequence[Span]:
    """Return a range as pieces of a width."""
    cells = background(scale, width, moments)
    if found.first < found.last:
        line(cells, scale, (found.first, found.last), (BETWEEN, "ready"))
        put(cells, scale, found.first, (BEGIN, "ready"))
        put(cells, scale, found.last, (END, "ready"))
    for mark in found.marks:
        put(cells, scale, mark.at, (mark.glyph, mark.role))
    return spans_of(cells)
