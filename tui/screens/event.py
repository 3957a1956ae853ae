"""One event whole: its columns and its payload, line by line, which can be searched."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ledger.questions.journal import event_lines
from ledger.questions.snapshot import Snapshot
from tui.acting.actions import Action
from tui.lists.column import Column
from tui.lists.view import View
from tui.screens.listing import ListScreen
from tui.screens.output import Line


class EventScreen(ListScreen[Line]):
    """What was recorded, as it was recorded. `z` corrects it by another event."""

    ABOUT = "site"
    EMPTY = "there is no such event"

    def __init__(self, seq: int) -> None:
        """Take the event's number."""
        self.seq = seq
        super().__init__()

    def made(self) -> View[Line]:
        """Return a list of lines."""
        column = Column[Line]("text", f"event {self.seq:,}", 0, lambda line: line.text)
        return View((column,), lambda line: str(line.number))

    def ask(self, snapshot: Snapshot) -> list[Line]:
        """Return the lines."""
        return [Line(number, text) for number, text in enumerate(event_lines(snapshot, self.seq))]

    def values(self, action: Action, _subjects: Sequence[str]) -> Mapping[str, str]:
        """Return its number for the form that corrects it."""
        return {"event": str(self.seq)} if action.command == "correct" else {}
