"""How the lines of a list look: the heading, a row in its columns, and the head of a group."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Generic, NamedTuple

from rich.segment import Segment
from textual.strip import Strip

from schedule.text import shown_in_line
from tui.lists.column import Column, Row, Span
from tui.lists.view import Head, View
from tui.looks import Palette, Role, filled

MARK = "●"


class Painter(NamedTuple, Generic[Row]):
    """What lines are painted with."""

    view: View[Row]
    palette: Palette
    width: int
    columns: Sequence[tuple[Column[Row], int]]
    """Those that are on the screen, each with its cells."""

    def words(self, text: str, role: Role) -> Strip:
        """Return a line of words."""
        return Strip([Segment(filled(text, self.width), self.palette[role])], self.width)

    def heading(self) -> Strip:
        """Return the headings of the columns; the one that the list is sorted by has an arrow."""
        plain = self.palette["heading"]
        parts = [Segment("  ", plain)]
        for column, cells in self.columns:
            parts += [Segment(text, self.palette[role]) for text, role in self._title(column, cells)]
            parts.append(Segment(" ", plain))
        return Strip(parts).adjust_cell_length(self.width, plain)

    def _title(self, column: Column[Row], cells: int) -> Sequence[Span]:
        if column.heading is not None:
            return column.heading(cells)
        arrow = (" ↓" if self.view.descending else " ↑") if column is self.view.sorted_by else ""
        title = f"{column.title}{arrow}"[:cells]
        return [(title.rjust(cells) if column.right else title.ljust(cells), "heading")]

    def line(self, line: Row | Head) -> Strip:
        """Return a row, or the head of a group."""
        if isinstance(line, Head):
            fold = "▸" if line.name in self.view.folded else "▾"
            return self.words(f"{fold} {shown_in_line(line.name) or 'without'}  {line.rows:,}", "head")
        return Strip(list(self._cells(line)), self.width)

    def _cells(self, row: Row) -> Iterator[Segment]:
        is_marked = bool(self.view.marked) and self.view.key(row) in self.view.marked
        yield Segment(f"{MARK} " if is_marked else "  ", self.palette["attention"])
        used, plain = 2, self.palette["text"]
        for column, cells in self.columns:
            for text, role in _spans(column, row, cells):
                yield Segment(text, self.palette[role])
            yield Segment(" ", plain)
            used += cells + 1
        yield Segment(" " * max(self.width - used, 0), plain)


def _spans(column: Column[Row], row: Row, cells: int) -> Sequence[Span]:
    if column.spans is not None:
        return column.spans(row, cells)
    text = shown_in_line(column.text(row))
    return [(filled(text, cells, right=column.right), column.role(row))]
