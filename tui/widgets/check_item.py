"""One item of a checklist, as it was found. Enter records it, Esc cancels."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.suggester import SuggestFromList
from textual.widgets import Checkbox, Input, Static

from tui.looks import safe


class TypedItem(NamedTuple):
    """What was typed, as it was typed; readings with `;` between them."""

    item: str
    passed: bool
    readings: str
    serial: str
    note: str


class CheckItem(ModalScreen[TypedItem | None]):
    """Asks for an item and how it was found. It returns None where the person cancels."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "cancel", "Cancel", id="check.leave")]

    def __init__(self, question: str, items: list[str], metric: str) -> None:
        """Keep the question, which items are offered, and a metric that may be read at one."""
        super().__init__()
        self.question = question
        self.items = items
        self.metric = metric

    def compose(self) -> ComposeResult:
        """Paint a line for each thing to say."""
        item = f"item, as {self.items[0]}" if self.items else "item"
        reading = f"{self.metric}=0.05" if self.metric else "metric=value"
        with Vertical(id="check"):
            yield Static(safe(self.question))
            yield Input(id="item", placeholder=item, suggester=SuggestFromList(self.items, case_sensitive=False))
            yield Checkbox("it is good", value=True, id="passed")
            yield Input(id="readings", placeholder=f"readings: {reading}; …")
            yield Input(id="serial", placeholder="serial number, if it has one")
            yield Input(id="note", placeholder="note")
            yield Static("Enter records it under your name · Tab goes on · Space unticks · Esc cancels", classes="hint")

    def on_input_submitted(self) -> None:
        """Return what was typed."""
        passed = self.query_one("#passed", Checkbox).value
        item, readings, serial, note = map(self._text, ("item", "readings", "serial", "note"))
        self.dismiss(TypedItem(item, passed, readings, serial, note))

    def _text(self, name: str) -> str:
        return self.query_one(f"#{name}", Input).value.strip()

    def action_cancel(self) -> None:
        """Return without an entry."""
        self.dismiss(None)
