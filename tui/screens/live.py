"""Runs of software: what runs now and what ran, and the output of one of them as it comes."""

from __future__ import annotations

from typing import Any

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import RichLog, Static

from ledger.questions.records import RunRow, runs
from ledger.questions.site import site_of
from ledger.questions.snapshot import Snapshot
from steps.stamps import minute
from tui.looks import coloured, safe
from tui.screens.base import SiteScreen
from tui.widgets.rows import Row, Rows

TAIL_S = 0.3
SHOWN = 500
ROLES = {"running": "active", "ok": "good", "failed": "bad", "interrupted": "attention", "rehearsed": "muted"}


class LiveScreen(SiteScreen):
    """Choose a run above; its output follows below."""

    TITLE = "Runs"

    def __init__(self) -> None:
        """Follow nothing yet."""
        super().__init__()
        self.following: str | None = None
        self.at = 0

    def body(self) -> ComposeResult:
        """Return the list of runs and the output."""
        with Vertical():
            yield Static("", id="empty")
            yield Rows(("run", "state", "activity", "started", "hosts", "summary"), id="runs")
            yield RichLog(id="output", max_lines=5000, wrap=True)

    def on_mount(self) -> None:
        """Follow the chosen run's output a few times a second."""
        self.set_interval(TAIL_S, self.tail)

    def ask(self, snapshot: Snapshot) -> list[Row]:
        """Return the runs, the newest first."""
        newest = sorted(runs(snapshot), key=lambda run: run.started_at, reverse=True)
        zone = site_of(snapshot).time_zone
        return [_row(run, zone) for run in newest[:SHOWN]]

    def show(self, answer: Any) -> None:
        """Paint the runs; follow the newest until another is chosen."""
        nothing = "No software has run yet. `clusterwright up` starts the engine."
        self.query_one("#empty", Static).update("" if answer else nothing)
        self.query_one("#runs", Rows).replace(answer)
        if self.following is None and answer:
            newest, _ = answer[0]
            self.follow(newest)

    def follow(self, run: str) -> None:
        """Show another run's output from its beginning."""
        self.following, self.at = run, 0
        self.query_one("#output", RichLog).clear()
        self.tail()

    def tail(self) -> None:
        """Add what the run has written since."""
        if self.following is None or not self.is_current:
            return
        path = self.owner.site.folder / ".clusterwright" / "live" / f"{self.following}.log"
        try:
            with path.open("rb") as log:
                log.seek(self.at)
                new = log.read(256_000)
        except OSError:
            return
        whole = new[: new.rfind(b"\n") + 1]
        self.at += len(whole)
        for line in whole.decode("utf-8", "replace").splitlines():
            self.query_one("#output", RichLog).write(safe(line))

    def on_data_table_row_highlighted(self, event: Rows.RowHighlighted) -> None:
        """Follow the run under the cursor."""
        key = event.row_key.value if event.row_key else None
        if key and key != self.following:
            self.follow(key)

    def on_data_table_row_selected(self, event: Rows.RowSelected) -> None:
        """Open the activity of the run."""
        activity = event.data_table.get_cell(event.row_key, "activity")
        self.owner.open_activity(str(activity))


def _row(run: RunRow, zone: str) -> Row:
    cells = (
        run.id[:8],
        coloured(run.status, ROLES.get(run.status, "muted")),
        run.activity,
        minute(run.started_at, zone),
        run.items,
        run.summary,
    )
    return run.id, cells
