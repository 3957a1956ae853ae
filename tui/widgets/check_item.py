"""One item of a checklist, as it was found; Enter hands it over, Esc leaves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, NamedTuple

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.suggester import SuggestFromList
from textual.widgets import Checkbox, Input, Static

from tui.looks import safe


class Typed(NamedTuple):
    """What was typed, as it was typed; readings with `;` between them."""

    item: str
    passed: bool
    readings: str
    serial: str
    note: str


class CheckItem(ModalScreen[Typed | None]):
    """Asks for an item and how it was found; gives None where the person left."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", "Leave", id="check.leave")]

    def __init__(self, activity: str, items: Sequence[str], metrics: Sequence[str]) -> None:
        """Keep whose item it is, which are left, and what may be read."""
        super().__init__()
        self.activity = activity
        self.items = items
        self.metrics = metrics

    def compose(self) -> ComposeResult:
        """Give a line a thing to say."""
        metric = f"{self.metrics[0]}=0.05" if self.metrics else "metric=value"
        with Vertical(id="check"):
            yield Static(safe(f"Check an item of {self.activity}"))
            yield Input(
                id="item", placeholder=_first(self.items), suggester=SuggestFromList(self.items, case_sensitive=False)
            )
            yield Checkbox("it is good", value=True, id="passed")
            yield Input(id="readings", placeholder=f"readings: {metric}; …")
            yield Input(id="serial", placeholder="serial number, if it has one")
            yield Input(id="note", placeholder="note")
            yield Static("Enter records it under your name · Tab goes on · Space unticks · Esc leaves", classes="hint")

    def on_input_submitted(self) -> None:
        """Hand over what stands there."""
        passed = self.query_one("#passed", Checkbox).value
        self.dismiss(
            Typed(self._text("item"), passed, self._text("readings"), self._text("serial"), self._text("note"))
        )

    def _text(self, name: str) -> str:
        return self.query_one(f"#{name}", Input).value.strip()

    def action_leave(self) -> None:
        """Leave without an entry."""
        self.dismiss(None)


def _first(items: Sequence[str]) -> str:
    return f"item, as {items[0]}" if items else "item"
