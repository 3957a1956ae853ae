"""What waits for the person: sign-offs, releases and starts, with what is missing before each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Static

from ledger.questions.inbox import inbox
from tui.deciding import Decisions
from tui.looks import safe
from tui.screens.base import SiteScreen
from tui.widgets.rows import Row, Rows

if TYPE_CHECKING:
    from ledger.questions.inbox import InboxRow
    from ledger.questions.snapshot import Snapshot


class InboxScreen(Decisions, SiteScreen):
    """Sign or reject from here, or open the activity to see what is being approved."""

    TITLE = "Inbox"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "open", "Open", id="inbox.open")]

    def body(self) -> ComposeResult:
        """Give the list and a line for when it is empty."""
        yield Static("", id="empty")
        yield Rows(("do", "activity", "what", "as", "since", "missing"), id="inbox")

    def ask(self, snapshot: Snapshot) -> Any:
        """Read what waits for the person."""
        person = self.owner.site.person
        return inbox(snapshot, person) if person else []

    def show(self, answer: Any) -> None:
        """Paint the list, or say that nothing waits."""
        person = self.owner.site.person
        empty = (
            f"Nothing waits for {person}. `p` acts as the next person of this account."
            if person
            else ("No person at this site has this operating-system account; add `account:` in site.yaml.")
        )
        self.query_one("#empty", Static).update("" if answer else safe(empty))
        self.query_one("#inbox", Rows).replace([_cells(r) for r in answer])

    @property
    def chosen(self) -> str | None:
        """The activity under the cursor."""
        key = self.query_one("#inbox", Rows).selected_key
        return key.partition(" ")[2] if key else None

    @on(Rows.RowSelected, "#inbox")
    def _opened(self) -> None:
        self.action_open()

    def action_open(self) -> None:
        """Show the activity under the cursor."""
        if self.chosen:
            self.owner.open_activity(self.chosen.partition("#")[0])  # an order's page is its activity's


def _cells(r: InboxRow) -> Row:
    since = f"{r.since:%Y-%m-%d %H:%M}" if r.since else ""
    return (
        f"{r.action} {r.activity}",
        (r.action, safe(r.activity), safe(r.title), safe(r.role), since, safe(", ".join(r.missing_evidence))),
    )
