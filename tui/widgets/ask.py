"""One question with a line to answer it; Enter answers, Esc leaves."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from tui.looks import safe


class Ask(ModalScreen[str | None]):
    """A question over the screen; gives the answer, None where the person left."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", "Leave", id="ask.leave")]

    def __init__(self, question: str) -> None:
        """Keep the question."""
        super().__init__()
        self.question = question

    def compose(self) -> ComposeResult:
        """Give the question, the line and the keys."""
        with Vertical(id="ask"):
            yield Static(safe(self.question))
            yield Input(id="answer")
            yield Static("Enter records it under your name · Esc leaves it", classes="hint")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Answer."""
        self.dismiss(event.value)

    def action_leave(self) -> None:
        """Leave without an answer."""
        self.dismiss(None)
