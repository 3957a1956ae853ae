"""A long page as one list of lines in sections that fold: searched, walked and opened as every list is."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, ClassVar, NamedTuple

from rich.cells import cell_len, set_cell_size
from rich.text import Text
from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Static

from ledger.questions.snapshot import Snapshot
from steps.amount import counted
from tui.keyline import Shown
from tui.leaving import is_open
from tui.lists.column import Column, Span
from tui.lists.prompt import Prompt
from tui.lists.view import Head, View
from tui.printing import Printed
from tui.screens.listing import ListScreen
from tui.screens.page_lines import PageLine, PageRow, Target, laid

ARROW = "→ "
"""Before a line that Enter opens."""

MANY = 2000
"""More lines than these are laid in a thread."""

MARGIN = 3 + len(ARROW)
"""What a list takes of a line's width: the place of the mark, the place at the end, and the arrow."""


class Page(NamedTuple):
    """What a page shows: a few lines on top that stay, and all others in sections. `folded` are sections that are closed at first."""

    head: Text
    lines: list[PageLine]
    folded: frozenset[str] = frozenset()


class PageScreen(ListScreen[PageRow]):
    """`ask` answers with a `Page`. Enter on a heading folds its section, Enter on a line with an arrow opens what it names."""

    FIRST_KEYS: ClassVar[tuple[Shown, ...]] = (("/", "Find", "filter"), (",", "Fold", "fold"))
    BINDINGS: ClassVar[list[BindingType]] = [Binding("comma", "fold", "Fold all", key_display=",", id="page.fold")]
    DEFAULT_CSS = "PageScreen #head { height: auto; max-height: 4; padding: 0 2; }"
    HINT: ClassVar[str] = "Enter opens what has an arrow, or folds a section"

    def __init__(self) -> None:
        """Show nothing yet."""
        super().__init__()
        self.lines: list[PageLine] = []
        self.width = 0
        self._met: dict[str, str] = {}
        self._before_search: set[str] | None = None

    def made(self) -> View[PageRow]:
        """Return the view: the line is the only column, and the section groups."""
        columns = (
            Column[PageRow]("line", self.HINT, 0, lambda row: row.text, spans=painted_cells),
            Column[PageRow]("section", "section", 1, lambda row: row.section, shown=False, groups=True),
        )
        return View(columns, lambda row: row.key, counts=lambda row: row.is_first)

    def body(self) -> ComposeResult:
        """Return the lines on top, the filter and the list."""
        yield Static("", id="head")
        yield from super().body()

    def ask(self, snapshot: Snapshot) -> Page:
        """Return what the page shows."""
        raise NotImplementedError

    def show(self, answer: Any) -> None:
        """Show a page. Sections that are shown for the first time are folded if the page says so."""
        self.query_one("#head", Static).update(answer.head)
        self._fold(dict.fromkeys(line.section for line in answer.lines), answer.folded)
        if answer.lines != self.lines or not self.view.rows:
            self.lines = answer.lines
            self.lay()

    def _fold(self, sections: Iterable[str], at_first: Collection[str]) -> None:
        """Fold new sections if the page says so. One of which only the counts have changed stays as it was."""
        folded = self.view.folded if self._before_search is None else self._before_search
        for section in sections:
            stem = section.partition(": ")[0]
            before = self._met.get(stem)
            if before == section:
                continue
            if section in at_first if before is None else before in folded:
                folded.add(section)
            self._met[stem] = section

    def lay(self) -> None:
        """Lay the lines into the width of the screen: many of them in a thread, so that no key waits."""
        self.width = self.size.width
        cells = max(self.width - MARGIN, 20)
        if len(self.lines) > MANY:
            self.lay_aside(self.lines, cells)
        else:
            self.show_laid(self.lines, laid(self.lines, cells))

    @work(thread=True, exclusive=True, group="lay")
    def lay_aside(self, lines: list[PageLine], cells: int) -> None:
        """Lay lines, then show them."""
        rows = laid(lines, cells)
        self.app.call_from_thread(self.show_laid, lines, rows)

    def show_laid(self, lines: list[PageLine], rows: list[PageRow]) -> None:
        """Show the rows of lines, unless others have come since."""
        if lines is self.lines and is_open(self):
            is_divided = any(line.section for line in lines)
            self.view.grouped_by = self.view.column("section") if is_divided else None
            self.grid.show_rows(rows)
            self.count()

    def page(self) -> Printed:
        """Return the lines as they are laid, each section below its heading."""
        texts = (
            row.name if isinstance(row, Head) else "".join(text for text, _ in row.spans) for row in self.view.lines
        )
        return super().page()._replace(rows=[[text] for text in texts])

    def count(self) -> None:
        """Say in how many lines is what is searched for."""
        found = sum(row.is_first for row in self.view.found) if self.view.query else len(self.lines)
        self.prompt.say(counted(found, "line"))

    def on_resize(self, event: events.Resize) -> None:
        """Lay the lines into another width."""
        if self.lines and event.size.width != self.width:
            self.lay()

    def open(self, row: PageRow) -> None:
        """Open what a line names."""
        if row.target is not None:
            self.open_target(row.target)

    def open_target(self, target: Target) -> None:
        """Open what has a page. Say what can be done about what has none."""
        match target.kind:
            case "activity":
                self.owner.open_activity(target.id)
            case "delivery":
                self.notify(f"on this line, keys are about {target.id}")
            case "entry":
                self.notify("z takes this entry back")
            case "event":
                self.notify("what follows from this event cannot be taken back with it")
            case _:
                self.owner.open_page(target.kind, target.id)

    @on(Prompt.Typed, "#prompt")
    def _search(self, event: Prompt.Typed) -> None:
        """Search in folded sections too; they are folded again when the search is over."""
        if event.prompt.text and self._before_search is None:
            self._before_search, self.view.folded = self.view.folded, set()
        elif not event.prompt.text:
            self._searched()

    @on(Prompt.Entered, "#prompt")
    def _found(self) -> None:
        """Go to the first line that was found, below the heading of its section, so that Enter opens it."""
        if self.row is None:
            self.grid.action_move(1)

    @on(Prompt.Left, "#prompt")
    def _searched(self) -> None:
        if self._before_search is not None:
            self.view.folded, self._before_search = self._before_search, None
            self.view.arrange()

    def action_fold(self) -> None:
        """Fold all sections, or unfold them if they are folded."""
        sections = {line.section for line in self.lines}
        row = self.row
        self.view.folded = set() if self.view.folded >= sections else sections
        self.view.arrange()
        self.grid.follow(self.grid.key if row is None else self.view.key(row))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return whether an action is possible: a page has an order of its own."""
        return False if action in {"sort", "group"} else super().check_action(action, parameters)


def painted_cells(row: PageRow, cells: int) -> list[Span]:
    """Return the pieces of a row in a width, an arrow before what Enter opens."""
    leads_on = row.is_first and row.target is not None and row.target.opens
    arrow = ARROW if leads_on else " " * len(ARROW)
    left = cells - len(arrow)
    spans: list[Span] = [(arrow, "ready")]
    for text, role in row.spans:
        shown = set_cell_size(text, min(cell_len(text), max(left, 0)))
        spans.append((shown, role))
        left -= cell_len(shown)
    return [*spans, (" " * max(left, 0), "text")]
