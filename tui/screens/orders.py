"""Orders: by when to place each, when it must be here, and how its deliveries stand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.text import Text
from textual.app import ComposeResult
from textual.widgets import Static

from ledger.questions.orders import changes, orders
from ledger.rules.orders import order_of
from tui.looks import COLOURS, safe
from tui.screens.base import SiteScreen
from tui.widgets.rows import Row, Rows

if TYPE_CHECKING:
    from ledger.questions.snapshot import Snapshot
    from ledger.rules.rows import OrderRow

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


class OrdersScreen(SiteScreen):
    """The order to place first is on top."""

    TITLE = "Orders"

    def body(self) -> ComposeResult:
        """Give the table and a line for when it is empty."""
        yield Static("", id="empty")
        yield Rows(HEADERS, id="orders")

    def ask(self, snapshot: Snapshot) -> Any:
        """Read every order."""
        changed: dict[str, list[str]] = {}
        for c in changes(snapshot):
            changed.setdefault(order_of(c.subject), []).append(f"{c.id} {c.state}")
        found = sorted(orders(snapshot), key=lambda o: (o.order_by is None, o.order_by))
        return [_cells(o, changed.get(o.id, [])) for o in found]

    def show(self, answer: Any) -> None:
        """Paint the table."""
        self.query_one("#empty", Static).update("" if answer else "This site buys nothing.")
        self.query_one("#orders", Rows).replace(answer)

    def on_data_table_row_selected(self, event: Rows.RowSelected) -> None:
        """Open the activity that the order belongs to."""
        self.owner.open_activity((event.row_key.value or "").partition("#")[0])


def _cells(o: OrderRow, changes: list[str]) -> Row:
    overdue = o.late and o.placed_at is None
    state = (
        Text(f"! {o.state}, overdue", style=COLOURS["bad"]) if overdue else Text(o.state, style=COLOURS[ROLES[o.state]])
    )
    came = sum(t.received_at is not None for t in o.tranches)
    return (
        o.id,
        (
            f"{o.order_by:%Y-%m-%d}" if o.order_by else "",
            state,
            safe(o.id),
            safe(o.title),
            f"{o.quantity} {o.unit_of_measure}",
            f"{o.promised:%Y-%m-%d}" if o.promised else "",
            f"{o.need_by:%Y-%m-%d}" if o.need_by else "",
            f"{came}/{len(o.tranches)}",
            f"{o.value:,} {o.currency}" if o.value is not None else "",
            safe(o.budget_line),
            safe(f"{o.acknowledged:%Y-%m-%d} {o.acknowledgement}" if o.acknowledged else ""),
            ", ".join(changes),
        ),
    )
