"""The map of the halls: a cell a rack. It paints the lines that can be seen and no others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, NamedTuple

from rich.segment import Segment
from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from ledger.questions.floor import RackRow
from tui.lists.column import Span
from tui.looks import palette_of

LABEL = 5
"""Cells for the name of a row."""

BETWEEN = 3
"""Cells between two halls."""

Paint = Callable[[RackRow, int], Span]
"""Returns the text of a rack's cell, not longer than so many cells, and its colour role."""


class At(NamedTuple):
    """Where a rack is on the map: the line, and the first cell."""

    line: int
    x: int


class FloorMap(Widget, can_focus=True):
    """Halls beside each other as far as there is room, each a line a row. The cursor is on a rack."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "aside(-1)", "Left", show=False, id="floor.left"),
        Binding("right", "aside(1)", "Right", show=False, id="floor.right"),
        Binding("up,k", "down(-1)", "Up", show=False, id="floor.up"),
        Binding("down,j", "down(1)", "Down", show=False, id="floor.down"),
        Binding("pageup", "page(-1)", "Page up", show=False, id="floor.page-up"),
        Binding("pagedown", "page(1)", "Page down", show=False, id="floor.page-down"),
        Binding("home", "end(0)", "First rack", show=False, id="floor.first"),
        Binding("end", "end(-1)", "Last rack", show=False, id="floor.last"),
        Binding("enter", "choose", "Open", show=False, id="floor.open"),
    ]
    DEFAULT_CSS = "FloorMap { height: 1fr; }"

    class Moved(Message):
        """The cursor is on another rack."""

    class Opened(Message):
        """A rack was chosen with Enter or the mouse."""

    def __init__(self, paint: Paint, *, empty: str) -> None:
        """Take how a rack is painted, and what is said where there is none."""
        super().__init__(id="map")
        self.paint = paint
        self.empty = empty
        self.is_read = False
        self.racks: dict[str, RackRow] = {}
        self.cursor = ""
        self.top = self.left = 0
        self.cell = 5
        self._places: dict[str, At] = {}
        self._lines: list[list[tuple[int, str, Sequence[RackRow]]]] = []
        """By line: the first cell of each hall, what is written there, and the racks of the row."""

    @property
    def rack(self) -> RackRow | None:
        """The rack under the cursor."""
        return self.racks.get(self.cursor)

    def show_racks(self, racks: Sequence[RackRow]) -> None:
        """Show other racks; the cursor stays where it is."""
        self.racks, self.is_read = {rack.id: rack for rack in racks}, True
        if self.cursor not in self.racks:
            self.cursor = next(iter(self.racks), "")
        self._arrange()

    def _arrange(self) -> None:
        halls: dict[int, dict[int, list[RackRow]]] = {}
        for rack in self.racks.values():
            halls.setdefault(rack.spot.hall, {}).setdefault(rack.spot.row, []).append(rack)
        most = max((rack.spot.place for rack in self.racks.values()), default=0)
        self.cell = next((cell for cell in (5, 4, 2) if LABEL + most * cell <= self.size.width), 4)
        block = LABEL + most * self.cell + BETWEEN
        beside = max((self.size.width + BETWEEN) // block, 1)
        numbers = list(halls)
        self._lines, self._places = [], {}
        for first in range(0, len(numbers), beside):
            self._band([(hall, halls[hall]) for hall in numbers[first : first + beside]], block)
        self._to(self.cursor)

    def _band(self, halls: Sequence[tuple[int, dict[int, list[RackRow]]]], block: int) -> None:
        """Add the lines of halls that are beside each other."""
        self._lines.append([(number * block, f"hall-{hall}", ()) for number, (hall, _) in enumerate(halls)])
        for row in range(1, max(max(rows) for _, rows in halls) + 1):
            line: list[tuple[int, str, Sequence[RackRow]]] = []
            for number, (_, rows) in enumerate(halls):
                racks = rows.get(row, [])
                if not racks and row > max(rows):
                    continue
                line.append((number * block, f"r{row:<3}", racks))
                for rack in racks:
                    x = number * block + LABEL + (rack.spot.place - 1) * self.cell
                    self._places[rack.id] = At(len(self._lines), x)
            self._lines.append(line)
        self._lines.append([])

    def render_line(self, y: int) -> Strip:
        """Return a line of the map."""
        palette, width = palette_of(self.app), self.size.width
        number = self.top + y
        if not self.racks:
            said = self.empty if y == 0 and self.is_read else ""
            return Strip([Segment(said[:width].ljust(width), palette["muted"])], width)
        parts: list[Segment] = []
        at = 0
        for x, label, racks in self._lines[number] if number < len(self._lines) else ():
            parts.append(Segment(" " * (x - at), palette["text"]))
            parts.append(Segment(label.ljust(LABEL), palette["muted" if racks else "head"]))
            at = x + max(LABEL, len(label))
            for rack in racks:
                place = self._places[rack.id]
                text, role = self.paint(rack, self.cell)
                is_here = rack.id == self.cursor
                over = palette["cursor" if self.has_focus else "cursor-away"] if is_here else palette[role]
                parts.append(Segment(" " * (place.x - at), palette["text"]))
                parts.append(Segment(text[: self.cell].ljust(self.cell), over))
                at = place.x + self.cell
        return Strip(parts).crop(self.left, self.left + width).adjust_cell_length(width, palette["text"])

    # Keys and the mouse

    def _to(self, name: str) -> None:
        """Put the cursor on a rack, and let it be seen."""
        place = self._places.get(name)
        if place is not None:
            self.cursor = name
            height, width = max(self.size.height, 1), max(self.size.width, 1)
            self.top = min(max(self.top, place.line - height + 1), max(place.line - 1, 0))
            self.left = 0 if place.x + self.cell <= width else place.x + self.cell - width
        self.refresh()
        self.post_message(self.Moved())

    def action_aside(self, step: int) -> None:
        """Go to the next rack of the line."""
        here = self._places.get(self.cursor)
        line = [(at.x, name) for name, at in self._places.items() if here is not None and at.line == here.line]
        beyond = [one for one in line if here is not None and (one[0] - here.x) * step > 0]
        if beyond:
            self._to((min if step > 0 else max)(beyond)[1])

    def action_down(self, step: int, most: int = 1) -> None:
        """Go to the nearest rack of another line."""
        here = self._places.get(self.cursor)
        if here is None:
            return
        lines = sorted({at.line for at in self._places.values() if (at.line - here.line) * step > 0}, reverse=step < 0)
        if lines:
            wanted = lines[min(most, len(lines)) - 1]
            near = [(abs(at.x - here.x), name) for name, at in self._places.items() if at.line == wanted]
            self._to(min(near)[1])

    def action_page(self, step: int) -> None:
        """Go as many lines as can be seen."""
        self.action_down(step, max(self.size.height - 1, 1))

    def action_end(self, number: int) -> None:
        """Go to the first or the last rack."""
        if self.racks:
            self._to(list(self.racks)[number])

    def action_choose(self) -> None:
        """Open what the rack waits for."""
        if self.racks:
            self.post_message(self.Opened())

    def on_click(self, event: events.Click) -> None:
        """Put the cursor on a rack, and open it at the second click."""
        line, x = self.top + event.y, self.left + event.x
        for name, at in self._places.items():
            if at.line == line and at.x <= x < at.x + self.cell:
                was = self.cursor
                self._to(name)
                if name == was or event.chain > 1:
                    self.action_choose()
                return

    def on_mouse_scroll_down(self) -> None:
        """Go three lines down."""
        self.action_down(1, 3)

    def on_mouse_scroll_up(self) -> None:
        """Go three lines up."""
        self.action_down(-1, 3)

    def on_resize(self) -> None:
        """Put the halls where there is room now."""
        self._arrange()
