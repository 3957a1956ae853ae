"""What a list shows of each row: a name to filter and sort by, a heading, and how a cell reads and looks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from tui.looks import Role

Row = TypeVar("Row")
Span = tuple[str, Role]
"""A piece of text and its colour role."""


@dataclass(frozen=True)
class Column(Generic[Row]):
    """A column of a list.

    `width` is in cells; a column of width 0 takes what is left. Where a screen is narrow, columns with the highest `rank` go first.
    `order` is what rows are sorted by, the text if there is none. `spans` paints a cell of a width in pieces, as bars are, and `heading`
    what is above them. `least` is the fewest cells of one that takes what is left. By one with `groups` rows are put together. One that
    is not `shown` only sorts, filters and groups.
    """

    name: str
    title: str
    width: int
    text: Callable[[Row], str]
    order: Callable[[Row], Any] | None = None
    role: Callable[[Row], Role] = lambda _: "text"
    right: bool = False
    rank: int = 0
    groups: bool = False
    spans: Callable[[Row, int], Sequence[Span]] | None = None
    heading: Callable[[int], Sequence[Span]] | None = None
    shown: bool = True
    least: int = 16

    def key(self, row: Row) -> tuple[bool, Any]:
        """Return what a row is sorted by. Rows without a value come last."""
        value = self.text(row) if self.order is None else self.order(row)
        return value is None or value == "", value


def fitted(columns: Sequence[Column[Row]], width: int, least: int = 0) -> list[tuple[Column[Row], int]]:
    """Return the columns that fit into a width, each with its cells, one cell between them.

    `least` is for the column that takes what is left, in place of its own.
    """
    kept = list(columns)
    while len(kept) > 1 and sum(column.width or least or column.least for column in kept) + len(kept) - 1 > width:
        kept.remove(max(kept, key=lambda column: (column.rank, kept.index(column))))
    rest = width - sum(column.width for column in kept) - (len(kept) - 1)
    return [(column, column.width or max(rest, 1)) for column in kept]
