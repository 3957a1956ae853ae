"""The answer of a command, line by line as it comes; it can be searched, copied, and stopped."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, NamedTuple

from textual import work
from textual.binding import Binding, BindingType

from ledger.questions.snapshot import Snapshot
from tui.acting.command import as_typed
from tui.acting.running import Running
from tui.lists.column import Column, Row
from tui.lists.view import View
from tui.screens.listing import ListScreen
from tui.screens.page_lines import laid, said

MARGIN = 3
"""What a list takes of a line's width: the place of the mark, and that at the end."""


class Line(NamedTuple):
    """A piece of a line of output, which is as wide as the screen. `text` is all of the line, by which each piece is found."""

    number: int
    piece: int
    shown: str
    text: str


class RunningScreen(ListScreen[Row]):
    """A list of what a command answers. Esc stops the command while it runs, then goes back."""

    running: Running | None = None

    def on_unmount(self) -> None:
        """Leave nothing running."""
        if self.running is not None:
            self.running.stop()

    def action_back(self) -> None:
        """Stop it if it runs; else go back."""
        if self.running is not None:
            self.running.stop()
        else:
            super().action_back()


class OutputScreen(RunningScreen[Line]):
    """What a command says. Esc stops it while it runs, then goes back."""

    EMPTY = "at work…"
    SHOW_S = 0.1
    """How often lines that came are shown."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+y", "copy", "Copy the command", id="output.copy")]

    def __init__(self, words: Sequence[str]) -> None:
        """Take the command."""
        super().__init__()
        self.words = words
        self.lines: list[str] = []
        self.rows: list[Line] = []
        self.shown = 0
        """How many of the lines are on the list."""

        self.cells = 0
        """The width for which they are broken."""

    def made(self) -> View[Line]:
        """Return a list of one column without a heading."""
        columns = (Column[Line]("text", "", 0, lambda line: line.shown),)
        return View(columns, lambda line: f"{line.number} {line.piece}", text=lambda line: line.text)

    def ask(self, _snapshot: Snapshot) -> list[Line]:
        """Return the lines that came; the record is not asked."""
        return self.rows

    def on_mount(self) -> None:
        """Run it."""
        super().on_mount()
        self.set_interval(self.SHOW_S, self.show_new)
        self.run_it()

    @work(group="output")
    async def run_it(self) -> None:
        """Run the command and show what it says; at its end the talk follows."""
        self.heard(f"$ {as_typed(self.words)}")
        self.running = self.site.running(self.words, self.heard)
        self.running.columns = max(self.size.width - 4, 60)
        done = await self.running.done()
        self.running = None
        for line in done.talk.splitlines():
            self.heard(line)
        if done.code:
            self.heard(f"exit code {done.code}")

    def heard(self, text: str) -> None:
        """Add a line."""
        self.lines.append(text)

    def show_new(self) -> None:
        """Show the lines that came since the last time, and all of them anew in another width."""
        cells = max(self.size.width - MARGIN, 20)
        if cells != self.cells:
            self.cells, self.shown, self.rows = cells, 0, []
        if len(self.lines) == self.shown:
            return
        for number in range(self.shown, len(self.lines)):
            text = self.lines[number]
            pieces = laid([said("", text)], cells)
            shown = ("".join(span for span, _ in row.spans) for row in pieces)
            self.rows += [Line(number, piece, part, text) for piece, part in enumerate(shown)]
        self.shown = len(self.lines)
        self.show(self.rows)

    def action_copy(self) -> None:
        """Copy the command."""
        self.app.copy_to_clipboard(as_typed(self.words))
        self.notify("copied")
