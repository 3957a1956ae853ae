"""Orders: by when to place each, when it must be here, and how far its deliveries are."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from rich.text import Text
from textual.app import ComposeResult
from textual.widgets import Static

from ledger.questions.orders import changes, orders
from ledger.questions.snapshot import Snapshot
from ledger.rules.rows import OrderRow
from ledger.rules.subjects import order_of
from steps.amount import counted
from tui.looks import coloured, day_text
from tui.screens.base import SiteScreen
from tui.widgets.rows import Row, Rows

ROLES = {"planned": "ready", "placed": "active", "part received": "active", "received": "good"}
HEADERS = (
    "order by",
    "state",
    "order",
    "what",
    "quantity",
    "promised",
    "need by",
    "tranches",
    "value",
    "budget line",
    "acknowledged",
    "changes",
)
NEVER = datetime.max.replace(tzinfo=UTC)


class OrdersScreen(SiteScreen):
    """The order to place first is on top."""

    TITLE = "Orders"

    def body(self) -> ComposeResult:
        """Return the table and a line for when it is empty."""
        yield Static("", id="empty")
        yield Rows(HEADERS, id="orders")

    def ask(self, snapshot: Snapshot) -> list[Row]:
        """Return every order, with its change orders."""
        changed: dict[str, list[str]] = {}
        for change in changes(snapshot):
            changed.setdefault(order_of(change.subject), []).append(f"{change.id} {change.state}")
        found = sorted(orders(snapshot), key=lambda order: order.order_by or NEVER)
        return [_row(order, changed.get(order.id, [])) for order in found]

    def show(self, answer: Any) -> None:
        """Paint the table."""
        self.query_one("#empty", Static).update("" if answer else "This site buys nothing.")
        self.query_one("#orders", Rows).replace(answer)

    def on_data_table_row_selected(self, event: Rows.RowSelected) -> None:
        """Open the activity that the order belongs to."""
        self.owner.open_activity(event.row_key.value or "")


def _row(order: OrderRow, changed: list[str]) -> Row:
    came = sum(tranche.received_at is not None for tranche in order.tranches)
    cells = (
        day_text(order.order_by, order.time_zone),
        _state(order),
        order.id,
        order.title,
        counted(order.quantity, order.unit_of_measure),
        day_text(order.promised_last, order.time_zone),
        day_text(order.late_delivery.need_by if order.late_delivery else order.need_by, order.time_zone),
        f"{came}/{len(order.tranches)}",
        f"{order.value:,} {order.currency}" if order.value is not None else "",
        order.budget_line,
        f"{day_text(order.acknowledged, order.time_zone)} {order.acknowledgement}".strip(),
        ", ".join(changed),
    )
    return order.id, cells


def _state(order: OrderRow) -> Text:
    if order.late and order.placed_at is None:
        return coloured(f"! {order.state}, overdue", "bad")
    if order.late_words:
        return coloured(f"! {order.state}, {order.late_words}", "bad")
    return coloured(order.state, ROLES[order.state])
