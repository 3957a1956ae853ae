"""Bars on a time axis, painted in eighths of a cell: what is done, what is to come, float, baseline, forecast and today.

A glyph says everything that a colour says.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from tui.lists.column import Span
from tui.lists.timescale import EIGHTHS, Timescale
from tui.looks import REVERSED, Role

WORKED, OPEN, CRITICAL = "█", "▒", "▓"
FLOAT, LATER = "┄", "─"
BASELINE, FORECAST = "┤", "◇"
NOW, DATA_DATE = "┊", "╎"
BEFORE, AFTER = "◂", "▸"
BLOCKS = " ▏▎▍▌▋▊▉█"
"""The part of a cell that is filled from the left, by eighths."""

LEVELS = " ▁▂▃▄▅▆▇█"
"""The part of a cell that is filled from below, by eighths."""


class Bar(NamedTuple):
    """What a row has on the axis. `worked` is until when it is done; `latest` is until when it may finish and delay nothing."""

    start: datetime
    finish: datetime
    role: Role
    worked: datetime | None = None
    latest: datetime | None = None
    baseline: datetime | None = None
    forecast: datetime | None = None
    is_critical: bool = False


class Moments(NamedTuple):
    """Instants that every row shows: today, and the data date of the forecast."""

    now: datetime
    data_date: datetime | None = None


Cells = list[Span]
"""A glyph and its role for each cell."""


def spans_of(cells: Cells) -> Sequence[Span]:
    """Return cells as pieces, those with the same role together."""
    spans: list[Span] = []
    text: str = ""
    role: Role = cells[0][1] if cells else "text"
    for glyph, own in cells:
        if own == role:
            text += glyph
        else:
            spans.append((text, role))
            text, role = glyph, own
    return [*spans, (text, role)]


def background(scale: Timescale, width: int, moments: Moments) -> Cells:
    """Return empty cells with today and the data date."""
    cells: Cells = [(" ", "text")] * width
    for moment, glyph in ((moments.data_date, DATA_DATE), (moments.now, NOW)):
        if moment is not None:
            put(cells, scale, moment, (glyph, "muted"))
    return cells


def put(cells: Cells, scale: Timescale, moment: datetime, mark: Span) -> None:
    """Put a mark where a moment is, if that can be seen."""
    cell = scale.place(moment) // EIGHTHS
    if 0 <= cell < len(cells):
        cells[cell] = mark


def line(cells: Cells, scale: Timescale, stretch: tuple[datetime, datetime], mark: Span) -> None:
    """Put a mark into every cell between two moments, the last one's too."""
    first, last = (scale.place(moment) // EIGHTHS for moment in stretch)
    for cell in range(max(first, 0), min(last + 1, len(cells))):
        cells[cell] = mark


def painted(bar: Bar, scale: Timescale, width: int, moments: Moments) -> Sequence[Span]:
    """Return a row of the chart."""
    cells = background(scale, width, moments)
    if bar.latest is not None and bar.latest > bar.finish:
        line(cells, scale, (bar.finish, bar.latest), (FLOAT, "muted"))
    if bar.forecast is not None and bar.forecast > bar.finish:
        line(cells, scale, (bar.finish, bar.forecast), (LATER, "bad"))
    if bar.baseline is not None and bar.baseline > bar.finish:
        line(cells, scale, (bar.finish, bar.baseline), (LATER, "muted"))
    _fill(cells, bar, scale)
    if bar.baseline is not None and not _is_same_cell(scale, bar.baseline, bar.finish):
        put(cells, scale, bar.baseline, (BASELINE, "text"))
    if bar.forecast is not None:
        put(cells, scale, bar.forecast, (FORECAST, "bad" if bar.forecast > bar.finish else "good"))
    _beyond(cells, scale, bar)
    return spans_of(cells)


def _is_same_cell(scale: Timescale, one: datetime, other: datetime) -> bool:
    return abs(scale.place(one) - scale.place(other)) < EIGHTHS


def _fill(cells: Cells, bar: Bar, scale: Timescale) -> None:
    """Fill the cells of the bar itself, its ends to an eighth."""
    first, last = scale.place(bar.start), scale.place(bar.finish)
    last = max(last, first + 1)  # what takes no time can be seen, too
    worked = first if bar.worked is None else scale.place(bar.worked)
    to_come = CRITICAL if bar.is_critical else OPEN
    for cell in range(max(first // EIGHTHS, 0), min(-(-last // EIGHTHS), len(cells))):
        begin, end = max(first - cell * EIGHTHS, 0), min(last - cell * EIGHTHS, EIGHTHS)
        if end - begin == EIGHTHS:
            is_worked = worked >= (cell + 1) * EIGHTHS
            cells[cell] = (WORKED if is_worked else to_come, bar.role)
        else:
            cells[cell] = _end(begin, end, bar.role)


def _end(begin: int, end: int, role: Role) -> Span:
    """Return a cell of which a bar fills the part between two eighths.

    There are blocks that begin at the left of a cell only. One that ends at its right is the other part, reversed.
    """
    if end == EIGHTHS or begin + end > EIGHTHS:
        return BLOCKS[begin], REVERSED[role]
    return BLOCKS[max(end - begin, 1)], role


def _beyond(cells: Cells, scale: Timescale, bar: Bar) -> None:
    """Say on which side the bar is, where it cannot be seen."""
    if not cells:
        return
    if scale.place(bar.finish) < 0:
        cells[0] = (BEFORE, "muted")
    elif scale.place(bar.start) >= len(cells) * EIGHTHS:
        cells[-1] = (AFTER, "muted")


def level(part: float) -> str:
    """Return a cell that is filled from below to a part between 0 and 1. What is more than nothing can be seen."""
    if part <= 0:
        return LEVELS[0]
    return LEVELS[max(1, min(round(part * EIGHTHS), EIGHTHS))]
