"""The line of keys at the foot of a screen: what can be done here, each with its key. A click does it too."""

from __future__ import annotations

from rich.segment import Segment
from textual import events
from textual.strip import Strip
from textual.widget import Widget

from tui.looks import palette_of

Shown = tuple[str, str, str]
"""A key as it is shown, what it does in a word, and the action."""


class KeyLine(Widget):
    """Keys that fit, in the order of their weight. `?` has all of them."""

    DEFAULT_CSS = "KeyLine { height: 1; dock: bottom; }"

    def __init__(self) -> None:
        """Show nothing yet."""
        super().__init__()
        self.keys: tuple[Shown, ...] = ()

    def show(self, keys: tuple[Shown, ...]) -> None:
        """Show other keys."""
        if keys != self.keys:
            self.keys = keys
            self.refresh()

    def render_line(self, _y: int) -> Strip:
        """Return the only line."""
        palette, width = palette_of(self.app), self.size.width
        parts = []
        for key, label, _ in self._fitting(width):
            parts += [Segment(f" {key}", palette["ready"]), Segment(f" {label} ", palette["muted"])]
        return Strip(parts).adjust_cell_length(width, palette["text"])

    def _fitting(self, width: int) -> list[Shown]:
        kept, used = [], 0
        for shown in self.keys:
            used += len(shown[0]) + len(shown[1]) + 3
            if used > width:
                break
            kept.append(shown)
        return kept

    async def on_click(self, event: events.Click) -> None:
        """Do what was clicked."""
        at = 0
        for key, label, action in self._fitting(self.size.width):
            end = at + len(key) + len(label) + 3
            if at <= event.x < end:
                await self.screen.run_action(action)
            at = end
