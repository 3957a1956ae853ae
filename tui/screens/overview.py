"""The first screen: phases, go-live, what is late, which orders are due, what waits for a decision."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.widgets import Static

from ledger.questions.activities import activities
from ledger.questions.orders import orders
from ledger.questions.site import counts, phases, site_of
from tui.looks import COLOURS, safe
from tui.screens.base import SiteScreen
from tui.widgets.rows import Row, Rows

if TYPE_CHECKING:
    from ledger.questions.snapshot import Snapshot

HORIZON = timedelta(weeks=3)
BAR = 24


class Overview(NamedTuple):
    """What the overview shows, ready to paint."""

    phases: list[Row]
    facts: Text
    late: list[Row]
    orders: list[Row]


class OverviewScreen(SiteScreen):
    """Phases with their progress on the left; the forecast, late work and orders on the right."""

    TITLE = "Overview"

    def body(self) -> ComposeResult:
        """Give the phases, the facts, late work and orders."""
        with Horizontal():
            with Vertical(id="left"):
                yield Static("Phases", classes="heading")
                yield Rows(
                    ("phase", "progress", "done", "work", "sign", "ready", "blocked", "failed", "late"), id="phases"
                )
                yield Static("", id="facts")
            with VerticalScroll(id="right", can_focus=False):
                yield Static("Late, the least float first", classes="heading")
                yield Rows(("activity", "what", "planned", "float d"), id="late")
                yield Static("Orders due in three weeks", classes="heading")
                yield Rows(("order by", "order", "what", "quantity"), id="due")

    def ask(self, snapshot: Snapshot) -> Overview:
        """Read phases, counts, late activities and orders."""
        forecast = self.owner.site.go_live(snapshot)
        return Overview(_phases(snapshot), _facts(snapshot, forecast), _late(snapshot), _orders(snapshot))

    def show(self, answer: Any) -> None:
        """Paint the four parts."""
        self.query_one("#phases", Rows).replace(answer.phases)
        self.query_one("#facts", Static).update(answer.facts)
        self.query_one("#late", Rows).replace(answer.late)
        self.query_one("#due", Rows).replace(answer.orders)

    def on_data_table_row_selected(self, event: Rows.RowSelected) -> None:
        """Open what was chosen: the phase's steps, the activity, or the orders."""
        key = event.row_key.value or ""
        match event.data_table.id:
            case "phases":
                self.owner.show_phase(key)
            case "late":
                self.owner.open_activity(key)
            case _:
                self.app.switch_mode("orders")


def _phases(snapshot: Snapshot) -> list[Row]:
    rows: list[Row] = []
    for p in phases(snapshot):
        live = p.total - p.not_applicable
        filled = round(BAR * p.done / live) if live else 0
        bar = Text("█" * filled, style=COLOURS["good"]) + Text("░" * (BAR - filled), style="grey37")
        if not live:
            bar = Text("not applicable", style=COLOURS["muted"])
        cells = (f"{p.done}/{live}", p.running + p.in_progress, p.awaiting, p.ready, p.blocked, p.failed, p.late)
        styled = [_count(cell, name) for cell, name in zip(cells, _STYLES, strict=True)]
        rows.append((p.phase, [Text(p.phase.replace("_", " ")), bar, *styled]))
    return rows


_STYLES = ("", "active", "attention", "ready", "muted", "bad", "bad")


def _count(cell: object, role: str) -> Text:
    shown = "" if cell == 0 else str(cell)
    return Text(shown, style=COLOURS[role] if role else "", justify="right")


def _facts(snapshot: Snapshot, forecast: datetime | None) -> Text:
    n, site = counts(snapshot), site_of(snapshot)
    by_state = {state.value: n for state, n in n.by_state.items()}
    live = n.total - by_state.get("not_applicable", 0)
    lines = [
        f"{by_state.get('done', 0)} of {live} activities done, {by_state.get('not_applicable', 0)} not applicable",
        f"waived {n.waived} · attested {n.attested} · stale {n.stale} · simulated {n.simulated}",
    ]
    if site.plan_finish:
        lines.append(f"go-live planned  {site.plan_finish:%Y-%m-%d}")
    if forecast is not None:
        lines.append(f"go-live forecast {forecast:%Y-%m-%d}{_slip(site.plan_finish, forecast)}")
    return Text("\n".join(lines))


def _slip(planned: datetime | None, forecast: datetime) -> str:
    days = (forecast - planned).days if planned else 0
    if days == 0:
        return ", as planned"
    return f", {abs(days)} days {'late' if days > 0 else 'early'}"


def _late(snapshot: Snapshot) -> list[Row]:
    late = [r for r in activities(snapshot) if r.late]
    dated = sorted((r.plan.dates.total_float_h, r.id, r.plan.title, r.plan.dates) for r in late if r.plan.dates)
    return [
        (name, (safe(name), safe(title), f"{dates.early_finish:%Y-%m-%d}", f"{slack / 8:.0f}"))
        for slack, name, title, dates in dated[:200]
    ]


def _orders(snapshot: Snapshot) -> list[Row]:
    due = [o for o in orders(snapshot) if o.state == "planned" and o.order_by and o.order_by <= snapshot.now + HORIZON]
    due.sort(key=lambda o: (o.order_by or snapshot.now, o.id))
    return [
        (o.id, (f"{o.order_by:%Y-%m-%d}", safe(o.id), safe(o.title), f"{o.quantity} {o.unit_of_measure}")) for o in due
    ]
