"""A time axis in cells: where an instant is, its ticks, and how far a cell reaches. Nothing is painted here."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from steps.stamps import local_day

EIGHTHS = 8
"""Positions in a cell."""


class Zoom(NamedTuple):
    """How much time a cell has, and its ticks: how many days the longest has, on which day one begins that a day is in, and its label."""

    name: str
    cell: timedelta
    longest: int
    begin: Callable[[date], date]
    label: Callable[[date], str]

    def after(self, begin: date) -> date:
        """Return the first day of the next tick."""
        return self.begin(begin + self.longest * DAY)


def midnight(day: date, zone: str) -> datetime:
    """Return when a day begins in a time zone."""
    return datetime.combine(day, time(), ZoneInfo(zone)).astimezone(UTC)


def _begin_of(months: int) -> Callable[[date], date]:
    """Return what returns the first day of the month, quarter, half-year or year that a day is in."""
    return lambda day: date(day.year, (day.month - 1) // months * months + 1, 1)


DAY = timedelta(days=1)
ZOOMS = (
    Zoom("day", DAY / 12, 1, lambda day: day, lambda day: f"{day:%a} {day.day} {day:%b}"),
    Zoom("week", DAY / 2, 7, lambda day: day - day.weekday() * DAY, lambda day: f"{day.day} {day:%b %y}"),
    Zoom("month", 3 * DAY, 31, _begin_of(1), lambda day: f"{day:%b %Y}"),
    Zoom("quarter", 9 * DAY, 93, _begin_of(3), lambda day: f"Q{(day.month + 2) // 3} {day.year}"),
    Zoom("half-year", 18 * DAY, 186, _begin_of(6), lambda day: f"H{(day.month + 5) // 6} {day.year}"),
    Zoom("year", 36 * DAY, 366, _begin_of(12), lambda day: f"{day.year}"),
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
        zoom = ZOOMS[self.zoom]
        day = zoom.begin(local_day(self.origin, self.zone))
        while (begin := midnight(day, self.zone)) < self.at(width):
            if begin >= self.origin:
                yield self.place(begin) // EIGHTHS, zoom.label(day)
            day = zoom.after(day)

    def heading(self, width: int) -> str:
        """Return the axis as a line: a stroke where each tick is, its label behind it where that has room."""
        cells = [" "] * width
        for cell, label in self.ticks(width):
            text = f"│{label} "[: width - cell] if cell + len(label) < width else "│"
            cells[cell : cell + len(text)] = text
        return "".join(cells)


def fitting(zone: str, first: datetime, last: datetime, width: int) -> Timescale:
    """Return the closest scale in which a stretch of time can be seen whole, or the widest. It begins where a tick is."""
    for number, zoom in enumerate(ZOOMS):
        scale = Timescale(zone, midnight(zoom.begin(local_day(first, zone)), zone), number)
        if scale.at(width) > last:
            return scale
    return scale
