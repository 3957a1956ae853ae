"""What follows from a decision, before it is recorded. Enter records it, Esc cancels."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Static

from tui.looks import safe


class Confirm(ModalScreen[str | None]):
    """A sentence over the screen. It returns an empty text, or None where the person cancels."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "record", "Record", id="confirm.record"),
        Binding("escape", "cancel", "Cancel", id="confirm.leave"),
    ]

    def __init__(self, sentence: str) -> None:
        """Keep the sentence."""
        super().__init__()
        self.sentence = sentence

    def compose(self) -> ComposeResult:
        """Paint the sentence and the keys."""
        with Vertical(id="ask"):
            yield Static(safe(self.sentence))
            yield Static("Enter records it under your name · Esc cancels", classes="hint")

    def action_record(self) -> None:
        """Return that the person goes on."""
        self.dismiss("")

    def action_cancel(self) -> None:
        """Return without an answer."""
        self.dismiss(None)
