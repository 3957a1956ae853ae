"""Orders with their deliveries: by when to place each, when it must be here, and how far it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from textual.binding import Binding, BindingType

from ledger.questions.snapshot import Snapshot
from ledger.questions.supplies import Supply, supplies
from tui.acting.actions import About
from tui.keyline import Shown
from tui.lists.view import View
from tui.screens.listing import ListScreen
from tui.screens.order_rows import columns, in_week, words


class OrdersScreen(ListScreen[Supply]):
    """What is to be placed first is on top. Enter opens an order's page; of a delivery that of its order."""

    TITLE = "Orders"
    ABOUT: ClassVar[About] = "order"
    EMPTY = "this site buys nothing"
    OWN_KEYS: ClassVar[tuple[Shown, ...]] = (("d", "Deliveries", "deliveries"), ("y", "Scan", "receive_by_scanner"))
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("d", "deliveries", "Deliveries: show or hide", id="orders.deliveries"),
        Binding("y", "receive_by_scanner", "Receive by scanner", id="orders.scan"),
    ]

    def __init__(self) -> None:
        """Begin with the deliveries below their orders."""
        super().__init__()
        self.with_deliveries = True
        self.rows: Sequence[Supply] = ()

    def made(self) -> View[Supply]:
        """Return the view of orders and deliveries."""
        fields = {"week": in_week(lambda: self.site.zone)}
        return View(columns(lambda: self.site.zone), lambda row: row.id, words(self._is_mine), fields)

    def ask(self, snapshot: Snapshot) -> Sequence[Supply]:
        """Return all orders and deliveries."""
        return supplies(snapshot)

    def show(self, answer: Any) -> None:
        """Show them, without the deliveries where these are hidden."""
        self.rows = answer
        shown = self.rows if self.with_deliveries else [row for row in self.rows if row.delivery is None]
        super().show(shown)

    @property
    def about(self) -> About:
        """An order or a delivery, as the first of the chosen rows is."""
        rows = self.chosen_rows
        return "delivery" if rows and rows[0].delivery is not None else "order"

    @property
    def chosen(self) -> Sequence[str]:
        """The marked rows that are of the kind of the first, else the one under the cursor."""
        is_delivery = self.about == "delivery"
        return [row.id for row in self.chosen_rows if (row.delivery is not None) == is_delivery]

    def open(self, row: Supply) -> None:
        """Show the page of an order."""
        self.owner.open_page("order", row.order.id)

    def action_deliveries(self) -> None:
        """Show the deliveries below their orders, or hide them."""
        self.with_deliveries = not self.with_deliveries
        self.show(self.rows)

    def action_receive_by_scanner(self) -> None:
        """Scan what came of the delivery under the cursor; of an order with one delivery, of that one."""
        from tui.screens.receiving import receive_by_scanner

        row = self.row
        if row is not None:
            receive_by_scanner(self, [row.id] if row.delivery else [one.id for one in row.order.tranches])

    def _is_mine(self, row: Supply) -> bool:
        return row.role in self.site.roles
