"""A time axis in cells: where an instant is, its ticks, and how far a cell reaches. Nothing is painted here."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

EIGHTHS = 8
"""Positions in a cell."""


class Zoom(NamedTuple):
    """How much time a cell has, and how far ticks are apart."""

    name: str
    cell: timedelta


DAY = timedelta(days=1)
ZOOMS = (
    Zoom("day", DAY / 12),
    Zoom("week", DAY / 2),
    Zoom("month", 3 * DAY),
    Zoom("quarter", 9 * DAY),
    Zoom("half-year", 18 * DAY),
    Zoom("year", 36 * DAY),
)
"""The closest first. A tick of each has ten cells or more, in which its label fits."""


@dataclass(frozen=True)
class Timescale:
    """What is at the left edge, how close it is looked at, and in which time zone days begin."""

    zone: str
    origin: datetime
    zoom: int = 2

    @property
    def name(self) -> str:
        """What ticks are: day, week, month, quarter, half-year or year."""
        return ZOOMS[self.zoom].name

    @property
    def cell(self) -> timedelta:
        """The time that a cell has."""
        return ZOOMS[self.zoom].cell

    def place(self, instant: datetime) -> int:
        """Return where an instant is, in eighths of a cell from the left edge. Negative before it."""
        return (instant - self.origin) * EIGHTHS // self.cell

    def at(self, cell: int) -> datetime:
        """Return the instant at the left edge of a cell."""
        return self.origin + cell * self.cell

    def panned(self, cells: int) -> Timescale:
        """Return the scale moved by some cells to the right."""
        return replace(self, origin=self.at(cells))

    def zoomed(self, by: int, around: datetime) -> Timescale:
        """Return the scale some steps wider, or closer for a negative number. An instant keeps its cell."""
        zoom = min(max(self.zoom + by, 0), len(ZOOMS) - 1)
        cell = self.place(around) // EIGHTHS
        wider = replace(self, zoom=zoom)
        return replace(wider, origin=around - cell * wider.cell)

    def ticks(self, width: int) -> Iterator[tuple[int, str]]:
        """Yield the cell and the label of each day, week, month, quarter or year that begins in a width."""
        zone = ZoneInfo(self.zone)
        last = self.at(width)
        day = _begin(self.name, self.origin.astimezone(zone).date())
        while True:
            begin = datetime.combine(day, time(), zone).astimezone(UTC)
            if begin >= last:
                return
            if begin >= self.origin:
                yield self.place(begin) // EIGHTHS, _label(self.name, day)
            day = _next(self.name, day)

    def heading(self, width: int) -> str:
        """Return the axis as a line: a stroke where each tick is, its label behind it where that has room."""
        cells = [" "] * width
        for cell, label in self.ticks(width):
            text = f"│{label} "[: width - cell] if cell + len(label) < width else "│"
            cells[cell : cell + len(text)] = text
        return "".join(cells)


def fitting(zone: str, first: datetime, last: datetime, width: int) -> Timescale:
    """Return the closest scale in which a stretch of time can be seen whole, or the widest. It begins where a tick is."""
    local = first.astimezone(ZoneInfo(zone)).date()
    for zoom, (name, _) in enumerate(ZOOMS):
        begin = datetime.combine(_begin(name, local), time(), ZoneInfo(zone)).astimezone(UTC)
        scale = Timescale(zone, begin, zoom)
        if scale.at(width) > last:
            return scale
    return scale


def _begin(name: str, day: date) -> date:
    """Return the first day of the week, month, quarter or year that a day is in."""
    match name:
        case "day":
            return day
        case "week":
            return day - timedelta(days=day.weekday())
        case "month":
            return day.replace(day=1)
        case "quarter":
            return date(day.year, (day.month - 1) // 3 * 3 + 1, 1)
        case "half-year":
            return date(day.year, 7 if day.month > 6 else 1, 1)
        case _:
            return date(day.year, 1, 1)


def _next(name: str, begin: date) -> date:
    days = {"day": 1, "week": 7, "month": 31, "quarter": 93, "half-year": 186, "year": 366}
    return _begin(name, begin + timedelta(days=days[name]))


def _label(name: str, day: date) -> str:
    match name:
        case "day":
            return f"{day:%a} {day.day} {day:%b}"
        case "week":
            return f"{day.day} {day:%b %y}"
        case "month":
            return f"{day:%b %Y}"
        case "quarter":
            return f"Q{(day.month + 2) // 3} {day.year}"
        case "half-year":
            return f"{'H2' if day.month > 6 else 'H1'} {day.year}"
        case _:
            return str(day.year)
