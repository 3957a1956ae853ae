"""The widget of all lists: it paints the lines that can be seen and no others, so that 50,000 rows are as fast as 50."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Generic, Self

from rich.segment import Segment
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from tui.lists.column import Column, Row, fitted
from tui.lists.painting import Painter
from tui.lists.view import Head, View
from tui.looks import palette_of


class Grid(Widget, Generic[Row], can_focus=True):
    """A list with a cursor, marks and a heading. What is shown is its view's; it knows nothing of what a row is."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "Up", show=False, id="list.up"),
        Binding("down,j", "move(1)", "Down", show=False, id="list.down"),
        Binding("pageup", "page(-1)", "Page up", show=False, id="list.page-up"),
        Binding("pagedown", "page(1)", "Page down", show=False, id="list.page-down"),
        Binding("home,g", "to(0)", "First row", show=False, id="list.first"),
        Binding("end,G", "to(-1)", "Last row", show=False, id="list.last"),
        Binding("enter", "choose", "Open", show=False, id="list.open"),
        Binding("space", "mark", "Mark", show=False, id="list.mark"),
        Binding("asterisk", "mark_all", "Mark all", show=False, id="list.mark-all"),
        Binding("left", "aside(-1)", "Columns to the left", show=False, id="list.left"),
        Binding("right", "aside(1)", "Columns to the right", show=False, id="list.right"),
    ]
    DEFAULT_CSS = "Grid { height: 1fr; }"

    class Moved(Message):
        """The cursor is on another row, or on none."""

        def __init__(self, grid: Grid[Any]) -> None:
            """Take the list."""
            super().__init__()
            self.grid = grid

        @property
        def control(self) -> Grid[Any]:
            """The list, by which handlers are chosen."""
            return self.grid

    class Opened(Moved):
        """A row was chosen with Enter or the mouse."""

    def __init__(self, view: View[Row], *, id: str | None = None, empty: str = "") -> None:  # noqa: A002  # Textual's own name
        """Take what is shown, and what is said where there is nothing."""
        super().__init__(id=id)
        self.view = view
        self.empty = empty
        self.is_read = False
        """Whether rows were shown, be they none. Before that nothing is known of them, and nothing is said."""
        self.cursor = 0
        self.top = 0
        self.skipped = 0
        """How many columns after the first are off the screen to the left."""
        self._painter: Painter[Row] | None = None

    @property
    def row(self) -> Row | None:
        """The row under the cursor. None on a head, and in an empty list."""
        return None if isinstance(self.line, Head) else self.line

    @property
    def line(self) -> Row | Head | None:
        """What the cursor is on. None in an empty list."""
        return self.view.lines[self.cursor] if self.cursor < len(self.view.lines) else None

    @property
    def key(self) -> str | None:
        """The key of the row under the cursor."""
        row = self.row
        return None if row is None else self.view.key(row)

    @property
    def chosen(self) -> list[str]:
        """The keys of the marked rows in the order shown, else the key under the cursor."""
        if self.view.marked:
            return [key for key in map(self.view.key, self.view.rows) if key in self.view.marked]
        return [] if self.key is None else [self.key]

    def show_rows(self, rows: Sequence[Row]) -> None:
        """Show other rows; the cursor stays on the row with its key, or on the head of its group."""
        line, self.is_read = self.line, True
        here = line if isinstance(line, Head) else self.key
        self.view.replace(rows)
        self.follow(here)

    def filter(self, query: str) -> None:
        """Show what a filter chooses; the cursor stays on its row if that is shown."""
        row = self.row
        self.view.filter(query)
        self.action_to(self.view.lines.index(row) if row is not None and row in self.view.lines else self.cursor)

    def sort(self, name: str) -> None:
        """Sort by a column; the cursor stays on its row."""
        key = self.key
        self.view.sort(name)
        self.follow(key)

    def group(self, name: str | None) -> None:
        """Put rows into groups; the cursor stays on its row."""
        key = self.key
        self.view.group(name)
        self.follow(key)

    def follow(self, here: str | Head | None) -> None:
        """Put the cursor on the row with a key or on a head, or where it was if that is not shown."""
        found = None if here is None else self.view.line_of(here)
        self.action_to(self.cursor if found is None else found)

    def action_to(self, line: int) -> None:
        """Put the cursor on a line, and let it be seen."""
        last = max(len(self.view.lines) - 1, 0)
        self.cursor = last if line < 0 else min(line, last)
        room = self.page
        self.top = min(max(self.top, self.cursor - room + 1), self.cursor)
        self.top = max(min(self.top, last - room + 1), 0)
        self.refresh()
        self.post_message(self.Moved(self))

    @property
    def page(self) -> int:
        """How many lines can be seen below the heading."""
        return max(self.size.height - 1, 1)

    def render_line(self, y: int) -> Strip:
        """Return a line of the screen: the heading, or a line of the list."""
        painter = self._painter = self._painter or self._made_painter()
        if y == 0:
            return painter.heading()
        number = self.top + y - 1
        if number >= len(self.view.lines):
            return painter.words(self._nothing() if y == 1 and not self.view.lines else "", "muted")
        strip = painter.line(self.view.lines[number])
        if number != self.cursor:
            return strip
        over = painter.palette["cursor" if self.has_focus else "cursor-away"]
        return Strip(Segment.apply_style(strip, post_style=over), self.size.width)

    def _nothing(self) -> str:
        said = f"nothing matches {self.view.query!r}; Esc clears the filter" if self.view.query else self.empty
        return said if self.is_read else ""

    def _made_painter(self) -> Painter[Row]:
        return Painter(self.view, palette_of(self.app), self.size.width, self.columns())

    def columns(self) -> list[tuple[Column[Row], int]]:
        """Return the columns that are on the screen, each with its cells."""
        first, *others = self.view.visible
        around = 3  # a mark and a blank in front, a blank at the end
        return fitted([first, *others[self.skipped :]], self.size.width - around)

    def refresh(self, *regions: Region, repaint: bool = True, layout: bool = False, recompose: bool = False) -> Self:
        """Paint again. Columns and colours may be others now."""
        if not regions:
            self._painter = None
        return super().refresh(*regions, repaint=repaint, layout=layout, recompose=recompose)

    def action_move(self, lines: int) -> None:
        """Move the cursor; only the two lines that change are painted where nothing scrolls."""
        before, top = self.cursor, self.top
        self.cursor = min(max(self.cursor + lines, 0), max(len(self.view.lines) - 1, 0))
        self.top = min(max(self.top, self.cursor - self.page + 1), self.cursor)
        if top == self.top:
            width = self.size.width
            self.refresh(Region(0, before - top + 1, width, 1), Region(0, self.cursor - top + 1, width, 1))
        else:
            self.refresh()
        self.post_message(self.Moved(self))

    def action_page(self, pages: int) -> None:
        """Move the cursor by what can be seen."""
        self.top = max(self.top + pages * self.page, 0)
        self.action_to(max(self.cursor + pages * self.page, 0))

    def action_aside(self, columns: int) -> None:
        """Show columns that are off the screen; the first stays."""
        most = max(len(self.view.visible) - 2, 0)
        self.skipped = min(max(self.skipped + columns, 0), most)
        self.refresh()

    def action_choose(self) -> None:
        """Open the row under the cursor, or fold the group."""
        line = self.view.lines[self.cursor] if self.view.lines else None
        if isinstance(line, Head):
            self.view.fold(line)
            self.action_to(self.cursor)
        elif line is not None:
            self.post_message(self.Opened(self))

    def action_mark(self) -> None:
        """Mark the row under the cursor, or all of its group, and go on to the next."""
        line = self.view.lines[self.cursor] if self.view.lines else None
        if line is None:
            return
        self.view.mark(self.view.in_group(line) if isinstance(line, Head) else [self.view.key(line)])
        self.refresh()
        self.action_move(1)

    def action_mark_all(self) -> None:
        """Mark all rows that the filter shows, or none if they are marked."""
        self.view.mark(map(self.view.key, self.view.found))
        self.refresh()
        self.post_message(self.Moved(self))

    def on_mouse_scroll_down(self) -> None:
        """Move three lines down."""
        self.action_move(3)

    def on_mouse_scroll_up(self) -> None:
        """Move three lines up."""
        self.action_move(-3)

    def on_click(self, event: events.Click) -> None:
        """Put the cursor on a row, and open it at the second click; on a heading, sort by its column."""
        if event.y == 0:
            at = 2
            for column, cells in self.columns():
                if at <= event.x < at + cells:
                    self.sort(column.name)
                at += cells + 1
            return
        line = self.top + event.y - 1
        if line < len(self.view.lines):
            was = self.cursor
            self.action_to(line)
            if line == was or event.chain > 1:
                self.action_choose()

    def on_resize(self) -> None:
        """Let the cursor be seen."""
        self.action_to(self.cursor)
