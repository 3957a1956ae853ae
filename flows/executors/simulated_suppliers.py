"""Simulated suppliers: an order arrives, delivery by delivery, after its drawn lead time."""

from __future__ import annotations

from datetime import datetime
from functools import partial

from flows.executors.simulated_people import SOURCE, SimulatedPeople
from flows.simulation import SimulatedClock, after, drawn
from ledger.decisions import deliveries, orders
from ledger.rules.rows import OrderRow
from steps.schedule.plan import Plan

BUYER, CLERK = "buyer", "receiving-clerk"


class SimulatedSuppliers:
    """Take every order, and deliver it by the clock."""

    def __init__(self, plan: Plan, people: SimulatedPeople, clock: SimulatedClock, seed: int) -> None:
        """Take the plan's orders, the people who order and receive, the clock, and the seed of lead times."""
        self.people = people
        self.clock = clock
        self.seed = seed
        self.planned = {order.id: order for order in plan.orders}

    def place(self, row: OrderRow) -> None:
        """Place an order now, and schedule its deliveries."""
        now = self.clock()
        promised = self._first(row.id, now)
        orders.order(
            self.people.ledger,
            self.people.one(BUYER),
            row.id,
            promised=promised.date(),
            supplier_name=f"simulated {row.supplier}",
            reference=SOURCE,
            at=now,
        )
        self.expect(row, now)

    def expect(self, row: OrderRow, placed_at: datetime) -> None:
        """Schedule the deliveries of an order that have not arrived."""
        first = self._first(row.id, placed_at)
        later = {tranche.id: tranche.after_first_h for tranche in self.planned[row.id].tranches}
        for tranche in row.tranches:
            if tranche.received_at is None:
                arrives = after(first, later[tranche.id])
                self.clock.schedule(arrives, partial(self._receive, tranche.id))

    def _first(self, order: str, placed_at: datetime) -> datetime:
        """Return when an order's first delivery arrives."""
        return after(placed_at, drawn(self.planned[order].lead, self.seed, order))

    def _receive(self, tranche: str, at: datetime) -> None:
        clerk = self.people.one(CLERK)
        deliveries.receive(self.people.ledger, clerk, tranche, note=SOURCE, unscanned=SOURCE, at=at)
