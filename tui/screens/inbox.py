"""What waits for the person who acts: what unblocks most first, alike items decided together, the evidence beside them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, ClassVar

from rich.text import Text
from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, VerticalScroll
from textual.timer import Timer
from textual.widgets import Static

from ledger.questions.snapshot import Snapshot
from ledger.questions.waiting import WaitingItem, waiting
from ledger.reading import open_snapshot
from schedule.errors import ClusterwrightError
from tui.acting.actions import About
from tui.keyline import Shown
from tui.leaving import is_open
from tui.lists.grid import Grid
from tui.lists.view import View
from tui.lists.words import Test
from tui.looks import safe
from tui.screens.inbox_detail import detail
from tui.screens.listing import ListScreen
from tui.screens.waiting_columns import answer_of, waiting_columns
from tui.site import STRANGER

DETAIL_S = 0.12
"""How long the cursor rests on a row before its evidence is read."""


class InboxScreen(ListScreen[WaitingItem]):
    """`=` marks what is alike, `,` groups; Enter opens the activity's page, the first key at the foot decides."""

    TITLE = "Inbox"
    ABOUT: ClassVar[About] = "activity"
    EMPTY = "nothing waits for you; 2 shows every step, @ acts as another person"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-below"), (170, "-beside")]  # noqa: RUF012  as Textual declares it
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("equals_sign", "mark_alike", "Mark alike", key_display="=", id="inbox.mark-alike"),
    ]
    DEFAULT_CSS = """
    InboxScreen #inbox { height: 1fr; }
    InboxScreen #detail { padding: 0 1; border-top: solid $primary; border-title-color: $text-muted; }
    InboxScreen.-narrow #detail { display: none; }
    InboxScreen.-below #detail { height: 40%; }
    InboxScreen.-beside #inbox { layout: horizontal; }
    InboxScreen.-beside #grid { width: 2fr; }
    InboxScreen.-beside #detail { width: 1fr; height: 100%; border-top: none; border-left: solid $primary; }
    """

    def __init__(self) -> None:
        """Begin without a time."""
        self.now: datetime | None = None
        self._timer: Timer | None = None
        super().__init__()

    def made(self) -> View[WaitingItem]:
        """Return the view of what waits."""
        words: dict[str, Test[WaitingItem]] = {
            "can": lambda row: not row.blocked_by,
            "refused": lambda row: bool(row.blocked_by),
            "incomplete": lambda row: bool(row.missing),
        }
        columns = waiting_columns(lambda: self.site.zone, lambda: self.now)
        return View(columns, lambda row: row.key, words)

    def body(self) -> ComposeResult:
        """Return the filter, the list, and beside or below it what is known of the row under the cursor."""
        prompt, grid = super().body()
        yield prompt
        with Container(id="inbox"):
            yield grid
            with VerticalScroll(id="detail"):
                yield Static("", id="about")

    def ask(self, snapshot: Snapshot) -> tuple[datetime, list[WaitingItem]]:
        """Return what waits for the person who acts."""
        person = self.site.person
        if person is None:
            return snapshot.now, []
        return snapshot.now, waiting(snapshot, person, self.site.lapsed(snapshot))

    def show(self, answer: Any) -> None:
        """Show the rows."""
        self.now, rows = answer
        self.grid.empty = self.EMPTY if self.site.person else STRANGER
        super().show(rows)

    # What is chosen

    @property
    def about(self) -> About:
        """What the first of the chosen rows is about."""
        rows = self.chosen_rows
        return rows[0].kind if rows else self.ABOUT

    @property
    def chosen(self) -> Sequence[str]:
        """The ids of the chosen rows that are about the same kind of thing, each once."""
        about = self.about
        return list(dict.fromkeys(row.subject for row in self.chosen_rows if row.kind == about))

    def subject(self, row: WaitingItem) -> str:
        """Return the id that a row is about."""
        return row.subject

    def keys(self) -> tuple[Shown, ...]:
        """Return the keys: first that of the usual answer to what is chosen."""
        found, rows = super().keys(), self.chosen_rows
        if not rows or self.site.read_only:
            return found
        first = f"act('{answer_of(rows[0]).id}')"
        alike: Shown = ("=", "Mark alike", "mark_alike")
        mine = [shown for shown in found if shown[2] == first]
        return (*mine, alike, *(shown for shown in found if shown[2] != first))

    def action_mark_alike(self) -> None:
        """Mark all that is shown with the same step and verb as the row under the cursor, or none of it if all is marked."""
        row = self.row
        if row is None:
            return
        alike = [one.key for one in self.view.found if (one.action, one.step) == (row.action, row.step)]
        self.view.mark(alike)
        self.grid.refresh()
        self.grid.post_message(Grid.Moved(self.grid))

    def open(self, row: WaitingItem) -> None:
        """Show the page of the activity that a row is about, if it is about one."""
        if row.activity:
            self.owner.open_activity(row.activity)

    # What is known of the row under the cursor

    @on(Grid.Moved, "#grid")
    def _rests(self) -> None:
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(DETAIL_S, self._look)

    def _look(self) -> None:
        pane, row = self.query_one("#detail"), self.row
        pane.border_title = safe(f"before you decide on {row.subject}") if row else ""
        if row is None:
            self.query_one("#about", Static).update("")
        elif pane.display:
            self.read_detail(row)

    @work(thread=True, exclusive=True, group="detail")
    def read_detail(self, row: WaitingItem) -> None:
        """Read what is known of a row, and show it if the cursor is still there."""
        try:
            with open_snapshot(self.site.folder) as snapshot:
                text = detail(snapshot, row, self.site.zone)
        except ClusterwrightError as error:
            text = safe(error.what)
        self.owner.call_from_thread(self._show_detail, row, text)

    def _show_detail(self, row: WaitingItem, text: Text) -> None:
        if is_open(self) and self.grid.key == row.key:
            self.query_one("#about", Static).update(text)
            self.query_one("#detail").scroll_home(animate=False)
