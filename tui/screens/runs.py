"""Runs of software: those that run and those that failed first, with the output of the one under the cursor as it comes."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import ClassVar, NamedTuple

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, Vertical

from ledger.evidence.live_output import Tail, live_log
from ledger.questions.run_list import RunListRow, run_list
from ledger.questions.snapshot import Snapshot
from ledger.reading import open_snapshot
from schedule.errors import ClusterwrightError
from steps.stamps import minute
from tui.acting.actions import About
from tui.keyline import Shown
from tui.lists.column import Column
from tui.lists.grid import Grid
from tui.lists.view import View
from tui.looks import Role
from tui.screens.activity_record import run_words
from tui.screens.listing import ListScreen
from tui.screens.run_output import is_failure
from tui.screens.run_page import output_lines, runs_first

TAIL_S = 0.3
KEPT = 5000
"""How many lines of an output are kept."""

WIDE = 150
"""From this width on the output stands beside the list, else below it."""


MINUTE_S, HOUR_S = 60, 3600


class OutputLine(NamedTuple):
    """A line that a run printed."""

    number: int
    text: str


def _line_role(line: OutputLine) -> Role:
    if line.text.startswith("TASK "):
        return "ready"
    return "bad" if is_failure(line.text) else "text"


class RunsScreen(ListScreen[RunListRow]):
    """Enter opens a run's page; actions are about the activity of the run."""

    TITLE = "Runs"
    ABOUT: ClassVar[About] = "activity"
    EMPTY = "no software has run yet: `clusterwright up` starts the engine"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (WIDE, "-wide")]  # noqa: RUF012  as Textual declares it
    BINDINGS: ClassVar[list[BindingType]] = [Binding("y", "activity", "Open the activity", id="runs.activity")]
    DEFAULT_CSS = """
    RunsScreen #both { layout: vertical; }
    RunsScreen.-wide #both { layout: horizontal; }
    RunsScreen #list, RunsScreen #output { height: 1fr; width: 1fr; }
    RunsScreen.-wide #list { width: 3fr; }
    RunsScreen.-wide #output { width: 2fr; }
    RunsScreen #output { border-top: solid $panel; }
    RunsScreen.-wide #output { border-top: none; border-left: solid $panel; }
    """

    def __init__(self) -> None:
        """Follow nothing yet."""
        super().__init__()
        self.following: RunListRow | None = None
        self.tail: Tail | None = None
        self.reading = set[str]()
        self.printed: deque[OutputLine] = deque(maxlen=KEPT)
        self.count_printed = 0

    def made(self) -> View[RunListRow]:
        """Return the view of all runs."""
        return View(self.columns(), lambda row: row.id, {"mine": self._is_mine, "simulated": lambda row: row.simulated})

    def columns(self) -> list[Column[RunListRow]]:
        """Return the columns, the most telling first."""
        return [
            Column("status", "state", 13, lambda r: run_words(r.status)[0], role=_role, groups=True),
            Column("id", "run", 9, lambda r: r.id, rank=3),
            Column("activity", "activity", 15, lambda r: r.activity, groups=True),
            Column("title", "what", 0, lambda r: r.title),
            Column("started", "started", 16, self._started, lambda r: r.started_at, rank=1),
            Column("took", "took", 8, self._took, self._seconds, right=True, rank=4),
            Column(
                "hosts", "hosts", 6, lambda r: f"{r.hosts:,}" if r.hosts else "", lambda r: r.hosts, right=True, rank=2
            ),
            Column("failed", "failed", 6, _failed, lambda r: r.not_done, lambda _: "bad", right=True, rank=2),
            Column("summary", "summary", 34, lambda r: r.summary, rank=5),
            Column("host", "on", 14, lambda r: r.host, rank=7, groups=True),
            Column("phase", "phase", 14, lambda r: r.phase.replace("_", " "), rank=6, groups=True),
        ]

    def _started(self, row: RunListRow) -> str:
        return minute(row.started_at, self.site.zone)

    def _seconds(self, row: RunListRow) -> float | None:
        return None if row.settled_at is None else (row.settled_at - row.started_at).total_seconds()

    def _took(self, row: RunListRow) -> str:
        seconds = self._seconds(row)
        return "" if seconds is None else took_words(seconds)

    def _is_mine(self, row: RunListRow) -> bool:
        return any(one.id == row.activity and one.role in self.site.roles for one in self.site.rows)

    def body(self) -> ComposeResult:
        """Return the list and the output."""
        columns = (Column[OutputLine]("output", "output", 0, lambda line: line.text, role=_line_role),)
        with Container(id="both"):
            with Vertical(id="list"):
                yield from super().body()
            yield Grid(View(columns, lambda line: str(line.number)), id="output", empty="nothing was printed")

    @property
    def output(self) -> Grid[OutputLine]:
        """The output."""
        return self.query_one("#output", Grid)

    @property
    def chosen(self) -> Sequence[str]:
        """The activities of the marked runs, else of the one under the cursor."""
        return list(dict.fromkeys(map(self.subject, self.chosen_rows)))

    def subject(self, row: RunListRow) -> str:
        """Return the activity of a run."""
        return row.activity

    def ask(self, snapshot: Snapshot) -> Sequence[RunListRow]:
        """Return the runs."""
        return run_list(snapshot)

    def on_mount(self) -> None:
        """Follow the output a few times a second."""
        super().on_mount()
        self.set_interval(TAIL_S, self.follow)

    def follow(self) -> None:
        """Show what the run under the cursor has printed since the last look."""
        row = self.row
        if not self.is_current or row is None:
            return
        if self.following is None or self.following.id != row.id:
            self.printed.clear()
            self.following, self.tail = row, None
            self.add([f"{row.id} {row.activity} {run_words(row.status)[0]}: {row.summary}"])
        if row.id not in self.reading:
            self.reading.add(row.id)
            self.read_output(row, self.tail)

    @work(thread=True, group="tail")
    def read_output(self, row: RunListRow, tail: Tail | None) -> None:
        """Read in a thread, since a folder of another machine may not answer. Without a file, show what the run left as evidence."""
        is_first = tail is None
        if tail is None or (not tail.at and row.status == "running"):  # its first line may not be there yet
            tail = Tail(live_log(self.site.folder, row.id))
        lines = tail.lines()
        if is_first and not lines:
            lines = self._evidence(row)
        self.app.call_from_thread(self.show_output, row, tail, lines)

    def _evidence(self, row: RunListRow) -> list[str]:
        try:
            with open_snapshot(self.site.folder) as snapshot:
                lines, where = output_lines(snapshot, row)
        except ClusterwrightError as error:
            lines, where = [], error.what
        return lines or [where]

    def show_output(self, row: RunListRow, tail: Tail, lines: Sequence[str]) -> None:
        """Show new lines of a run if it is still the one under the cursor."""
        self.reading.discard(row.id)
        if self.following is not None and self.following.id == row.id:  # the list may have been read again meanwhile
            self.tail = tail
            if lines:
                self.add(lines)

    def add(self, lines: Sequence[str]) -> None:
        """Add lines to the output. The cursor stays at the end if it was there."""
        grid = self.output
        was_last = grid.cursor >= len(grid.view.lines) - 1
        for text in lines:
            self.count_printed += 1
            self.printed.append(OutputLine(self.count_printed, text))
        grid.show_rows(list(self.printed))
        if was_last:
            grid.action_to(-1)

    @on(Grid.Moved, "#output")
    def _moved_output(self, event: Grid.Moved) -> None:
        event.stop()

    def open(self, row: RunListRow) -> None:
        """Show a run's page."""
        self.owner.open_page("run", row.id)

    def action_activity(self) -> None:
        """Open the page of the run's activity."""
        if self.row is not None:
            self.owner.open_activity(self.row.activity)

    def keys(self) -> tuple[Shown, ...]:
        """Return the keys at the foot: what is done about runs first."""
        first, *others = runs_first(super().keys())
        return (first, ("Enter", "Page", "focused.choose"), ("y", "Activity", "activity"), *others)


def _role(row: RunListRow) -> Role:
    return run_words(row.status)[1]


def _failed(row: RunListRow) -> str:
    return f"{row.not_done:,}" if row.not_done else ""


def took_words(seconds: float) -> str:
    """Return how long a run took, in the unit that fits."""
    if seconds < 2 * MINUTE_S:
        return f"{seconds:.0f} s"
    if seconds < 2 * HOUR_S:
        return f"{seconds / MINUTE_S:.0f} min"
    return f"{seconds / HOUR_S:.0f} h"
