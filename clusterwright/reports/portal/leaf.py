"""A page of a portal: its place in the folder, and what is on it."""

from __future__ import annotations

from typing import NamedTuple

from clusterwright.reports.page import Band, Block, Table, Tile


class Bar(NamedTuple):
    """An activity in a list with bars: its cells, and its bar as shares of the time that the list shows, in percent."""

    cells: tuple[str, ...]
    left: float
    wide: float
    look: str


class Bars(NamedTuple):
    """A list of activities with bars under a head of dates. `today` is the place of the data date, in percent."""

    title: str
    headers: tuple[str, ...]
    span: str
    today: float
    rows: tuple[Bar, ...]


class Rack(NamedTuple):
    """A rack on the floor: its place in the row, a sign and a look for how far it is, what is said of it, and its unit."""

    place: int
    sign: str
    look: str
    said: str
    unit: str


class RackLine(NamedTuple):
    """A row of racks."""

    label: str
    racks: tuple[Rack, ...]


class Hall(NamedTuple):
    """A hall seen from above."""

    title: str
    lines: tuple[RackLine, ...]


class Leaf(NamedTuple):
    """A page. `path` is from the folder, with slashes. `bands` are parts side by side, as on paper; on a telephone they follow each other."""

    path: str
    title: str
    lines: tuple[str, ...] = ()
    tiles: tuple[Tile, ...] = ()
    bands: tuple[tuple[Block | Bars | Hall, ...], ...] = ()
    foot: str = ""
    unit: str = ""
    """The unit whose list is above the page of an activity."""


def blocks_of(bands: tuple[Band, ...], most: int) -> tuple[tuple[Block, ...], ...]:
    """Return the bands of a sheet of paper for a page, whose tables have at most so many rows."""
    return tuple(
        tuple(block.cut(most) if isinstance(block, Table) else block for block in band.blocks) for band in bands
    )
