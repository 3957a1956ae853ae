"""Simulated suppliers: what is ordered arrives, delivery by delivery, at its drawn lead time."""

from __future__ import annotations

from datetime import datetime

from flows.executors.simulated_people import SOURCE, SimulatedPeople
from flows.simulation import SimulatedClock, after, drawn
from ledger.decisions import deliveries, orders
from ledger.rules.rows import OrderRow
from steps.schedule.plan import Plan

BUYER, CLERK = "buyer", "receiving-clerk"


class SimulatedSuppliers:
    """Take every order, and deliver it on the clock."""

    def __init__(self, plan: Plan, people: SimulatedPeople, clock: SimulatedClock, seed: int) -> None:
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
        """Schedule what has not arrived of an order."""
        first = self._first(row.id, placed_at)
        later = {tranche.id: tranche.after_first_h for tranche in self.planned[row.id].tranches}
        for tranche in row.tranches:
            if tranche.received_at is None:
                self._expect(tranche.id, after(first, later[tranche.id]))

    def _first(self, order: str, placed_at: datetime) -> datetime:
        return after(placed_at, drawn(self.planned[order].lead, self.seed, order))

    def _expect(self, tranche: str, arrives: datetime) -> None:
        def receive(at: datetime) -> None:
            deliveries.receive(self.people.ledger, self.people.one(CLERK), tranche, note=SOURCE, at=at)

        self.clock.schedule(arrives, receive)
