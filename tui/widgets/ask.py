"""One question with a line to answer it. Enter answers, Esc cancels."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from tui.looks import safe


class Ask(ModalScreen[str | None]):
    """A question over the screen. It returns the answer, or None where the person cancels."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "cancel", "Cancel", id="ask.leave")]

    def __init__(self, question: str) -> None:
        """Keep the question."""
        super().__init__()
        self.question = question

    def compose(self) -> ComposeResult:
        """Paint the question, the line and the keys."""
        with Vertical(id="ask"):
            yield Static(safe(self.question))
            yield Input(id="answer")
            yield Static("Enter records it under your name · Esc cancels", classes="hint")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Return the answer."""
        self.dismiss(event.value.strip())

    def action_cancel(self) -> None:
        """Return without an answer."""
        self.dismiss(None)
