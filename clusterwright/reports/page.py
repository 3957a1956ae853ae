"""A page that is handed on: one sheet of A4 with a headline, figures, and bands of tables, charts and photos.

It says what is on the page and how high that is. `html` and `pdf` draw it, so both have the same words, figures and places.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from clusterwright.pictures.canvas import Picture  # matplotlib, which words alone do not need

WIDE, HIGH = 210.0, 297.0
MARGIN, TOP, FOOT = 10.0, 9.0, 8.0
HEADER, LINE, TILES = 9.5, 4.6, 14.7
"""The title with its rule; a sentence below it; the figures with what is between them and the sentences."""
GAP, BETWEEN = 2.2, 4.0
"""Between bands, and between the blocks of one."""
TITLE, ROW, MORE = 4.6, 3.7, 3.2
"""The title of a block, a row of a table, and the line that says what is left out."""
PHOTO_WIDE, PHOTO_HIGH, CAPTION = 30.0, 20.0, 3.2
INNER = WIDE - 2 * MARGIN
FEWEST_ROWS = 2


class Tile(NamedTuple):
    """One figure at the top of the page: what it is, the figure, and what it is held against."""

    label: str
    figure: str
    note: str


class Table(NamedTuple):
    """A table with a row a line. `shares` are the widths of its columns. `more` says what is left out, empty for nothing."""

    title: str
    headers: tuple[str, ...]
    shares: tuple[float, ...]
    rows: tuple[tuple[str, ...], ...]
    empty: str = "nothing"
    right: tuple[int, ...] = ()
    """The columns of numbers."""
    more: str = ""

    def high(self, _wide: float) -> float:
        """Return how high it is below its title."""
        if not self.rows:
            return ROW
        return ROW * (1 + len(self.rows)) + (MORE if self.more else 0.0)

    def cut(self, most: int) -> Table:
        """Return it with its first rows, and say how many are left out."""
        left = len(self.rows) - most
        if left <= 0:
            return self
        return self._replace(rows=self.rows[:most], more=f"and {left:,} more")


class Chart(NamedTuple):
    """A picture under its title."""

    title: str
    picture: Picture

    def high(self, wide: float) -> float:
        """Return how high it is below its title."""
        across, up = self.picture.size
        return wide * up / across


class Photo(NamedTuple):
    """A small JPEG, and what is on it."""

    jpeg: bytes
    caption: str


class Photos(NamedTuple):
    """Photos in a row."""

    title: str
    photos: tuple[Photo, ...]

    def high(self, _wide: float) -> float:
        """Return how high they are below their title."""
        return PHOTO_HIGH + CAPTION


Block = Table | Chart | Photos


class Band(NamedTuple):
    """Blocks side by side. `shares` are their widths."""

    blocks: tuple[Block, ...]
    shares: tuple[float, ...]

    @property
    def widths(self) -> list[float]:
        """The widths of its blocks."""
        room = INNER - BETWEEN * (len(self.blocks) - 1)
        return [room * share / sum(self.shares) for share in self.shares]

    def cut(self, most: int) -> Band:
        """Return it with the first rows of its tables. Beside a chart or photos there is room for all."""
        if not all(isinstance(block, Table) for block in self.blocks):
            return self
        tables = (block.cut(most) for block in self.blocks if isinstance(block, Table))
        return self._replace(blocks=tuple(tables))

    @property
    def high(self) -> float:
        """How high it is: as its highest block."""
        return TITLE + max(block.high(wide) for block, wide in zip(self.blocks, self.widths, strict=True))


class Sheet(NamedTuple):
    """A sheet of A4."""

    title: str
    subtitle: str
    lines: tuple[str, ...]
    """What is to be known first, a sentence a line."""
    tiles: tuple[Tile, ...]
    bands: tuple[Band, ...]
    foot: str

    @property
    def high(self) -> float:
        """How high it is, with its margins."""
        bands = sum(GAP + band.high for band in self.bands)
        return TOP + HEADER + LINE * len(self.lines) + TILES + bands + FOOT


def fitted(page: Sheet, most: int) -> Sheet:
    """Return a page that is no higher than its sheet: its tables have `most` rows, or as many as there is room for."""
    found = page
    for rows in range(most, FEWEST_ROWS - 1, -1):
        found = page._replace(bands=tuple(band.cut(rows) for band in page.bands))
        if found.high <= HIGH:
            break
    return found


def side_by_side(*blocks: Block, shares: Sequence[float] = ()) -> Band:
    """Return a band. Its blocks are equally wide where nothing else is said."""
    return Band(blocks, tuple(shares) or (1.0,) * len(blocks))


def counted_table(
    title: str,
    headers: tuple[str, ...],
    shares: tuple[float, ...],
    rows: Sequence[tuple[str, ...]],
    *,
    empty: str = "nothing",
    right: tuple[int, ...] = (),
) -> Table:
    """Return a table that says in its title how many rows it has."""
    return Table(f"{title} ({len(rows):,})" if rows else title, headers, shares, tuple(rows), empty, right)
