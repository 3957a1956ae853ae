"""One event whole: its columns and its payload, line by line, which can be searched."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from rich.text import Text

from ledger.questions.journal import event_lines
from ledger.questions.snapshot import Snapshot
from tui.acting.actions import About, Action
from tui.screens.page import Page, PageScreen
from tui.screens.page_lines import said


class EventScreen(PageScreen):
    """What was recorded, as it was recorded. `z` corrects it by another event."""

    TITLE = "Event"
    ABOUT: ClassVar[About] = "site"
    EMPTY = "there is no such event"
    HINT: ClassVar[str] = "/ finds, z corrects it by another event"

    def __init__(self, seq: int) -> None:
        """Take the event's number."""
        super().__init__()
        self.seq = seq

    def ask(self, snapshot: Snapshot) -> Page:
        """Return the lines."""
        lines = [said("", text) for text in event_lines(snapshot, self.seq)]
        return Page(Text(f"event {self.seq:,}", style="bold"), lines)

    @property
    def chosen(self) -> Sequence[str]:
        """Nothing: actions are about the site."""
        return ()

    def values(self, action: Action, _subjects: Sequence[str]) -> Mapping[str, str]:
        """Return its number for the form that corrects it."""
        return {"event": str(self.seq)} if action.command == "correct" else {}
