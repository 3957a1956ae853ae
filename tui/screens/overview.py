"""The first screen: phases, go-live, what is past its planned finish, and which orders are due."""

from __future__ import annotations

from collections.abc import Container
from datetime import timedelta
from typing import Any, NamedTuple

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.widgets import Static

from ledger.questions.activities import activities
from ledger.questions.calendar import working_weeks
from ledger.questions.counts import PhaseRow, counts, phases
from ledger.questions.halls import halls, halls_words
from ledger.questions.headlines import headlines
from ledger.questions.orders import orders
from ledger.questions.site import site_of
from ledger.questions.snapshot import Snapshot
from ledger.rules.activity import State
from steps.amount import counted
from tui.looks import COLOURS, coloured, day_text, float_days, safe_lines
from tui.screens.base import SiteScreen
from tui.widgets.rows import Row, Rows

HORIZON = timedelta(weeks=3)
BAR = 24
SHOWN = 200
"""How many activities past their planned finish are shown."""

COUNTED = {
    "work": "active",
    "sign": "attention",
    "ready": "ready",
    "blocked": "muted",
    "failed": "bad",
    "past": "bad",
}
"""The columns of counts, with the colour of each."""


class Overview(NamedTuple):
    """What the overview shows, ready to paint."""

    phases: list[Row]
    facts: Text
    past: list[Row]
    orders: list[Row]


class OverviewScreen(SiteScreen):
    """Phases with their progress on the left; work past its planned finish and orders on the right."""

    TITLE = "Overview"

    def body(self) -> ComposeResult:
        """Return the phases, the facts, work past its planned finish, and orders."""
        with Horizontal():
            with Vertical(id="left"):
                yield Static("Phases", classes="heading")
                yield Rows(("phase", "progress", "done", *COUNTED), id="phases")
                yield Static("", id="facts")
            with VerticalScroll(id="right", can_focus=False):
                yield Static("Past its planned finish, the least float first", classes="heading")
                yield Rows(("activity", "what", "planned", "float d"), id="past")
                yield Static("Orders due in three weeks", classes="heading")
                yield Rows(("order by", "order", "what", "quantity"), id="due")

    def ask(self, snapshot: Snapshot) -> Overview:
        """Return phases, counts, activities past their planned finish, and orders."""
        rows = [_phase(phase) for phase in phases(snapshot)]
        return Overview(rows, facts(snapshot, self.owner.site.lapsed(snapshot)), _past(snapshot), _due(snapshot))

    def show(self, answer: Any) -> None:
        """Paint the four parts."""
        self.query_one("#phases", Rows).replace(answer.phases)
        self.query_one("#facts", Static).update(answer.facts)
        self.query_one("#past", Rows).replace(answer.past)
        self.query_one("#due", Rows).replace(answer.orders)

    def on_data_table_row_selected(self, event: Rows.RowSelected) -> None:
        """Open what was chosen: the phase's steps, the activity, or the orders."""
        key = event.row_key.value or ""
        match event.data_table.id:
            case "phases":
                self.owner.show_phase(key)
            case "past":
                self.owner.open_activity(key)
            case _:
                self.app.switch_mode("orders")


def _phase(p: PhaseRow) -> Row:
    live, work = p.total - p.not_applicable, p.running + p.in_progress
    done = Text(f"{p.done}/{live}", justify="right")
    counted = (work, p.awaiting, p.ready, p.blocked, p.failed, p.past_planned_finish)
    cells = [p.phase.replace("_", " "), _bar(p.done, live), done]
    for count, role in zip(counted, COUNTED.values(), strict=True):
        cells.append(Text(str(count or ""), style=COLOURS[role], justify="right"))
    return p.phase, cells


def _bar(done: int, live: int) -> Text:
    if not live:
        return coloured("not applicable", "muted")
    filled = round(BAR * done / live)
    return coloured("█" * filled, "good").append("░" * (BAR - filled), style="grey37")


def facts(snapshot: Snapshot, lapsed: Container[str]) -> Text:
    """Return the figures of the site, with what every view begins with."""
    top = headlines(snapshot, lapsed)
    n, site = counts(snapshot), site_of(snapshot)
    left_out = n.by_state[State.NOT_APPLICABLE]
    lines = [
        *top.lines,
        f"{n.by_state[State.DONE]} of {n.total - left_out} activities done, {left_out} not applicable",
        f"waived {n.waived} · attested {n.attested} · stale {n.stale} · simulated {n.simulated}",
        f"out of sequence {n.out_of_sequence}",
        *halls_words(
            halls(snapshot, top.fresh.forecast if top.fresh else None), lambda at: day_text(at, site.time_zone)
        ),
    ]
    return safe_lines(lines)


def _past(snapshot: Snapshot) -> list[Row]:
    weeks, zone = working_weeks(snapshot), site_of(snapshot).time_zone
    found = []
    for row in activities(snapshot):
        dates = row.plan.dates
        if row.past_planned_finish and dates is not None:
            planned, slack = day_text(dates.early_finish, zone), float_days(row, weeks)
            cells = (row.id, row.plan.title, planned, slack)
            found.append((dates.total_float_h, row.id, cells))
    return [(name, cells) for _, name, cells in sorted(found)[:SHOWN]]


def _due(snapshot: Snapshot) -> list[Row]:
    until, found = snapshot.now + HORIZON, []
    for order in orders(snapshot):
        if order.placed_at is None and order.order_by is not None and order.order_by <= until:
            quantity = counted(order.quantity, order.unit_of_measure)
            cells = (day_text(order.order_by, order.time_zone), order.id, order.title, quantity)
            found.append((order.order_by, order.id, cells))
    return [(name, cells) for _, name, cells in sorted(found)]
