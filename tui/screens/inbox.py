"""What waits for the person: sign-offs, releases and starts, with what is missing before each."""

from __future__ import annotations

from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Static

from ledger.questions.inbox import InboxRow, inbox
from ledger.questions.site import site_of
from ledger.questions.snapshot import Snapshot
from steps.stamps import minute
from tui.looks import safe
from tui.screens.deciding import DecidingScreen
from tui.widgets.rows import Row, Rows

NOBODY = "No person at this site has this operating-system account; add `account:` in site.yaml."


class InboxScreen(DecidingScreen):
    """Sign or reject from here, or open the activity to see what is being approved."""

    TITLE = "Inbox"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "open", "Open", id="inbox.open")]

    def body(self) -> ComposeResult:
        """Return the list and a line for when it is empty."""
        yield Static("", id="empty")
        yield Rows(("do", "activity", "what", "as", "since", "missing"), id="inbox")

    def ask(self, snapshot: Snapshot) -> list[Row]:
        """Return what waits for the person."""
        site, zone = self.owner.site, site_of(snapshot).time_zone
        waiting = inbox(snapshot, site.person, site.lapsed(snapshot)) if site.person else []
        return [_row(one, zone) for one in waiting]

    def show(self, answer: Any) -> None:
        """Paint the list, or say that nothing waits."""
        person = self.owner.site.person
        nothing = f"Nothing waits for {person}. `p` acts as the next person of this account."
        self.query_one("#empty", Static).update("" if answer else safe(nothing if person else NOBODY))
        self.query_one("#inbox", Rows).replace(answer)

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
            self.owner.open_activity(self.chosen)


def _row(waiting: InboxRow, zone: str) -> Row:
    missing = ", ".join(waiting.missing_evidence) or waiting.blocked_by
    named = waiting.action, waiting.activity, waiting.title, waiting.role
    return f"{waiting.action} {waiting.activity}", (*named, minute(waiting.since, zone), missing)
