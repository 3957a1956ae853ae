"""A panel of a screen with several: a small list with a title, whose rows open something, and can be decided about."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from rich.text import Text

from tui.acting.actions import About
from tui.lists.column import Column, Span
from tui.lists.grid import Grid
from tui.lists.view import View
from tui.looks import Role


class PanelRow(NamedTuple):
    """A row of a panel: its cells, what actions about it are about, and what Enter opens.

    `opens` is the id of an activity, an order or a delivery, or else the name of a main screen. `steps` is a filter of the list of steps,
    which is opened with it.
    """

    key: str
    cells: tuple[Span, ...]
    opens: str = ""
    about: About = "site"
    subject: str = ""
    steps: str = ""


class Shape(NamedTuple):
    """A column of a panel: its heading and width, whether it is on the right, and how soon it goes where there is no room."""

    title: str
    width: int
    right: bool = False
    rank: int = 0


class Panel(Grid[PanelRow]):
    """A list with a title. It has no filter and no marks; the screen that its row opens has them."""

    DEFAULT_CSS = """
    Panel { border-top: solid $panel; border-title-color: $text-muted; }
    Panel:focus { border-top: solid $primary; border-title-color: $text; border-title-style: bold; }
    """

    def __init__(self, name: str, title: str, shapes: Sequence[Shape], *, empty: str) -> None:
        """Take the id, the title, the columns, and what is said where there is nothing."""
        columns = [
            Column(shape.title, shape.title, shape.width, _text(at), role=_role(at), right=shape.right, rank=shape.rank)
            for at, shape in enumerate(shapes)
        ]
        super().__init__(View(columns, lambda row: row.key), id=name, empty=empty)
        self.heading = title
        self.border_title = title

    def show_panel(self, rows: Sequence[PanelRow], note: str = "") -> None:
        """Show rows, and a note behind the title."""
        self.border_title = Text(f"{self.heading}  {note}" if note else self.heading)
        self.show_rows(rows)

    def action_mark(self) -> None:
        """Mark nothing."""

    def action_mark_all(self) -> None:
        """Mark nothing."""


def _text(at: int) -> Callable[[PanelRow], str]:
    return lambda row: row.cells[at][0]


def _role(at: int) -> Callable[[PanelRow], Role]:
    return lambda row: row.cells[at][1]
