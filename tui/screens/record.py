"""The record: every event, newest first, and whether it was verified. A ledger of any length is read piece by piece."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any, ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Static

from ledger.machine_time import machine_time
from ledger.questions.journal import JournalRow, journal
from ledger.questions.snapshot import Snapshot
from ledger.reading import open_snapshot
from schedule.errors import InputError
from steps.stamps import local_day, minute
from tui.acting.actions import Action
from tui.acting.running import Running
from tui.keyline import Shown
from tui.lists.column import Column
from tui.lists.view import View
from tui.lists.words import Test
from tui.looks import safe
from tui.screens.listing import ListScreen

PIECE = 5000
"""How many events are read at once."""

AUDIT = ("audit",)

LATE = timedelta(days=1)
"""How long after it happened an event counts as recorded late."""

UNREADABLE = datetime(1, 1, 2, tzinfo=UTC)
"""Where an event whose time cannot be read is put in order."""


class RecordScreen(ListScreen[JournalRow]):
    """Enter shows an event whole, `z` corrects it, `v` verifies the record."""

    TITLE = "Record"
    ABOUT = "site"
    EMPTY = "no event yet"
    OWN_KEYS: ClassVar[tuple[Shown, ...]] = (("v", "Verify", "verify"), ("o", "Older", "older"))
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("v", "verify", "Verify", id="record.verify"),
        Binding("o", "older", "Older events", id="record.older"),
    ]
    DEFAULT_CSS = "RecordScreen #verified { height: 1; color: $text-muted; }"

    def __init__(self) -> None:
        """Begin with nothing read."""
        super().__init__()
        self.rows: list[JournalRow] = []
        self.running: Running | None = None
        self.verified = "not verified from these screens yet: v runs `clusterwright audit`"

    def body(self) -> ComposeResult:
        """Return the filter, the list, and the line about the audit."""
        yield from super().body()
        yield Static(safe(self.verified), id="verified")

    def made(self) -> View[JournalRow]:
        """Return the view of the events."""
        return View(self._columns(), lambda row: str(row.seq), self._words(), {"since": self._since})

    def ask(self, snapshot: Snapshot) -> list[JournalRow]:
        """Return the events that are new since the last look, newest first; at the first, a piece."""
        return journal(snapshot, PIECE, after=self.rows[0].seq if self.rows else 0)

    def show(self, answer: Any) -> None:
        """Show new events above those that are shown."""
        newest = self.rows[0].seq if self.rows else 0
        self.rows = [*(row for row in answer if row.seq > newest), *self.rows]
        super().show(self.rows)

    def values(self, action: Action, _subjects: Sequence[str]) -> Mapping[str, str]:
        """Return the number of the event under the cursor for the form that corrects it."""
        key = self.grid.key
        return {"event": key} if action.command == "correct" and key is not None else {}

    def open(self, row: JournalRow) -> None:
        """Show an event whole."""
        from tui.screens.event import EventScreen

        self.app.push_screen(EventScreen(row.seq))

    def count(self) -> None:
        """Say how many events are read, and whether there are older ones."""
        super().count()
        if self.rows and self.rows[-1].seq > 1 and not self.view.wrong:
            self.prompt.say(f"{self.prompt.note}, {self.rows[-1].seq - 1:,} older: o reads them")

    @work(thread=True, exclusive=True, group="older")
    def action_older(self) -> None:
        """Read a piece of older events."""
        if not self.rows or self.rows[-1].seq == 1:
            self.app.call_from_thread(self.notify, "there are no older events")
            return
        with self.owner.saying(), open_snapshot(self.site.folder) as snapshot:
            found = journal(snapshot, PIECE, before=self.rows[-1].seq)
            self.app.call_from_thread(self._below, found)

    def _below(self, older: list[JournalRow]) -> None:
        oldest = self.rows[-1].seq
        self.rows = [*self.rows, *(row for row in older if row.seq < oldest)]
        super().show(self.rows)

    def action_verify(self) -> None:
        """Run the audit; stop it if it runs."""
        if self.running is None:
            self.verify()
        else:
            self.running.stop()

    @work(group="verify")
    async def verify(self) -> None:
        """Run the audit in a process of its own, and say what it found."""
        when = minute(machine_time(), self.site.zone)
        self._say("verifying: chain, evidence, rules, replay… v stops it")
        self.running = self.site.running(AUDIT)
        done = await self.running.done()
        self.running = None
        lines = done.answer.strip().splitlines() or done.talk.strip().splitlines() or ["stopped"]
        with_mark = f"✔ {lines[0]}" if done.is_done else f"✘ {lines[0]}"
        self._say(f"{with_mark}; begun on {when}")
        if not done.is_done:
            self.notify("\n".join([*lines, *done.talk.splitlines()][:12]), severity="error", markup=False, timeout=12)

    def on_unmount(self) -> None:
        """Stop the audit with the screens."""
        if self.running is not None:
            self.running.stop()

    def _say(self, text: str) -> None:
        self.verified = text
        self.query_one("#verified", Static).update(safe(text))

    def _columns(self) -> list[Column[JournalRow]]:
        return [
            Column("number", "event", 7, lambda r: f"{r.seq:,}", lambda r: r.seq, right=True),
            Column(
                "when",
                "when",
                16,
                lambda r: minute(r.effective_at, self.site.zone),
                lambda r: r.effective_at or UNREADABLE,
            ),
            Column("who", "who", 18, lambda r: r.actor, rank=3, groups=True),
            Column("kind", "what", 18, lambda r: r.words, groups=True),
            Column("subject", "about", 15, lambda r: r.subject, rank=2, groups=True),
            Column("summary", "says", 0, lambda r: r.summary),
            Column("signed", "signed", 6, lambda r: "✔ yes" if r.is_signed else "", rank=4),
            Column(
                "recorded", "recorded", 16, lambda r: minute(r.recorded_at, self.site.zone), lambda r: r.seq, rank=5
            ),
            Column("day", "day", 10, self._day, rank=6, groups=True),
        ]

    def _words(self) -> dict[str, Test[JournalRow]]:
        return {
            "signed": lambda r: r.is_signed,
            "people": lambda r: not r.actor.startswith("engine"),
            "mine": lambda r: r.actor == self.site.person,
            "late": lambda r: (r.recorded_at or UNREADABLE) - (r.effective_at or UNREADABLE) > LATE,
        }

    def _day(self, row: JournalRow) -> str:
        return "" if row.recorded_at is None else str(local_day(row.recorded_at, self.site.zone))

    def _since(self, text: str) -> Test[JournalRow]:
        """Return the test whether an event was recorded on a day or later, or has a number or a higher one."""
        if text.isdecimal():
            return lambda row: row.seq >= int(text)
        try:
            first = date.fromisoformat(text)
        except ValueError:
            raise InputError(f"{text!r} is no day and no number", hint="since:2026-11-24 or since:120") from None
        return lambda row: local_day(row.recorded_at or UNREADABLE, self.site.zone) >= first
