"""One of several, from a list that can be searched as one types. Enter takes it, Esc goes back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, NamedTuple

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Static

from tui.lists.column import Column
from tui.lists.grid import Grid
from tui.lists.prompt import Prompt
from tui.lists.view import View
from tui.looks import Role, safe


class Choice(NamedTuple):
    """Something that can be chosen. `why_not` says why it cannot be now; empty if it can."""

    id: str
    key: str
    label: str
    more: str = ""
    why_not: str = ""


def _role(choice: Choice) -> Role:
    return "muted" if choice.why_not else "text"


COLUMNS = (
    Column[Choice]("key", "key", 8, lambda choice: choice.key, role=lambda _: "ready"),
    Column[Choice]("label", "what", 26, lambda choice: choice.label, role=_role),
    Column[Choice]("more", "", 0, lambda choice: f"✘ {choice.why_not}" if choice.why_not else choice.more, role=_role),
)


class Choose(ModalScreen[str | None]):
    """Asks for one of several. It returns the id, or None where the person goes back."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "move(1)", "Down", show=False, id="choose.down"),
        Binding("up", "move(-1)", "Up", show=False, id="choose.up"),
        Binding("pagedown", "page(1)", "Page down", show=False, id="choose.page-down"),
        Binding("pageup", "page(-1)", "Page up", show=False, id="choose.page-up"),
    ]
    DEFAULT_CSS = """
    Choose { align: center middle; }
    Choose > Vertical { width: 120; max-width: 96%; height: 80%; padding: 1 2; background: $surface; border: round $primary; }
    """

    def __init__(self, title: str, choices: Sequence[Choice]) -> None:
        """Take what to choose from."""
        super().__init__()
        self.heading = title
        self.choices = choices

    def compose(self) -> ComposeResult:
        """Paint the title, the line to search in, and the list."""
        with Vertical():
            yield Static(safe(self.heading))
            yield Prompt("/", tuple, id="search")
            yield Grid(View(COLUMNS, lambda choice: choice.id), id="choices")

    @property
    def grid(self) -> Grid[Choice]:
        """The list."""
        return self.query_one("#choices", Grid)

    def on_mount(self) -> None:
        """Show all."""
        self.grid.show_rows(self.choices)
        self.set_focus(self.query_one(Prompt))

    @on(Prompt.Typed)
    def _typed(self, event: Prompt.Typed) -> None:
        self.grid.filter(event.prompt.text)
        self.grid.action_to(self._nearest(event.prompt.text.casefold()))

    def _nearest(self, typed: str) -> int:
        """Return the line of the choice that is called what was typed, else of the first that begins so, else the first."""
        labels = [line.label.casefold() for line in self.grid.view.lines if isinstance(line, Choice)]
        if typed in labels:
            return labels.index(typed)
        return next((number for number, label in enumerate(labels) if label.startswith(typed)), 0)

    @on(Prompt.Left)
    def _left(self) -> None:
        self.dismiss(None)

    @on(Prompt.Entered)
    @on(Grid.Opened)
    def _opened(self) -> None:
        row = self.grid.row
        if row is None:
            return
        if row.why_not:
            self.notify(row.why_not, severity="warning", markup=False)
            return
        self.dismiss(row.id)

    def action_move(self, lines: int) -> None:
        """Move the cursor of the list."""
        self.grid.action_move(lines)

    def action_page(self, pages: int) -> None:
        """Move the cursor of the list by a page."""
        self.grid.action_page(pages)
