"""Questions that a form asks before something is recorded: what it would do, by the name of its command.

A question is a command of its own. It runs in a process, so that the form stays usable, and records nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from datetime import date

from textual import work
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Static

from ledger.questions.snapshot import Snapshot
from ledger.questions.supplies import supply_named
from schedule.errors import InputError
from tui.acting.running import Running
from tui.looks import safe, safe_lines

Values = Mapping[str, str]


def _impact_of_promise(snapshot: Snapshot, subject: str, values: Values) -> list[str]:
    """Return the question what a promise moves: by as many days as it is later than the present one."""
    name = subject or values.get("order_id", "")
    if not name or not values["on"]:
        raise InputError("type the new delivery date first")
    try:
        typed = date.fromisoformat(values["on"])
    except ValueError:
        raise InputError(f"{values['on']!r} is not a date", hint="write 2026-11-21") from None
    present = supply_named(snapshot, name).comes
    if present is None:
        raise InputError(f"{name} has no promise and no need-by date to compare with")
    days = (typed - present).days
    if days < 1:
        raise InputError(f"{typed} is not later than {present}, when it comes as things are; nothing moves later")
    return ["impact", f"--days={days}", name]


BEFORE: Mapping[str, Callable[[Snapshot, str, Values], Sequence[str]]] = {"promise": _impact_of_promise}
"""By the name of a command: what returns the question before it from what is typed, or raises InputError where that is not enough."""


class BeforeAnswer(VerticalScroll):
    """What the question answered, below the fields of a form. It says how long it has been at work."""

    DEFAULT_CSS = "BeforeAnswer { height: auto; max-height: 34vh; display: none; border-top: solid $panel; }"

    def __init__(self, started: Callable[[Sequence[str]], Running]) -> None:
        """Take what makes a command that runs at the site."""
        super().__init__(id="before")
        self.started = started
        self.running: Running | None = None
        self._since = 0.0

    def compose(self) -> ComposeResult:
        """Paint nothing yet."""
        yield Static("", id="before-said")

    def on_mount(self) -> None:
        """Count the seconds."""
        self.set_interval(1, self._count)

    def say(self, lines: Sequence[str]) -> None:
        """Show lines."""
        self.display = True
        self.query_one("#before-said", Static).update(safe_lines(lines))

    @work(exclusive=True)
    async def ask(self, words: Sequence[str]) -> None:
        """Run the question to its end and show what it says."""
        self.running, self._since = self.started(words), time.monotonic()
        self.running.columns = max(self.size.width - 2, 76)
        self._count()
        done = await self.running.done()
        self.running = None
        said = done.answer if done.is_done else done.talk or done.answer
        self.say((said.strip() or "stopped").splitlines())

    def stop(self) -> None:
        """Stop the question."""
        if self.running is not None:
            self.running.stop()

    def on_unmount(self) -> None:
        """Stop the question with the form."""
        self.stop()

    def _count(self) -> None:
        if self.running is not None:
            self.display = True
            line = f"at work, {time.monotonic() - self._since:.0f} s; nothing is recorded; Esc stops it"
            self.query_one("#before-said", Static).update(safe(line))
