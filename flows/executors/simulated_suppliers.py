"""Simulated suppliers: an order is promised and arrives, delivery by delivery, on the plan's dates."""

from __future__ import annotations

from datetime import datetime
from functools import partial

from flows.executors.simulated_people import SOURCE, SimulatedPeople
from flows.planned_times import PlannedTimes
from flows.simulation import SimulatedClock
from ledger.decisions import deliveries, orders
from ledger.rules.rows import OrderRow
from steps.stamps import local_day

BUYER, CLERK = "buyer", "receiving-clerk"


class SimulatedSuppliers:
    """Take every order, and deliver it by the clock."""

    def __init__(self, times: PlannedTimes, people: SimulatedPeople, clock: SimulatedClock) -> None:
        """Take the plan's times, the people who order and receive, and the clock."""
        self.times = times
        self.people = people
        self.clock = clock

    def place(self, row: OrderRow) -> None:
        """Place an order now, and schedule its deliveries."""
        now = self.clock()
        first = min(self.times.arrivals(row.id, now).values())
        orders.order(
            self.people.ledger,
            self.people.one(BUYER),
            row.id,
            promised=local_day(first, self.times.time_zone),
            supplier_name=f"simulated {row.supplier}",
            reference=SOURCE,
            at=now,
        )
        self.expect(row, now)

    def expect(self, row: OrderRow, placed_at: datetime) -> None:
        """Schedule the deliveries of an order that have not arrived."""
        arrivals = self.times.arrivals(row.id, placed_at)
        for tranche in row.tranches:
            if tranche.received_at is None:
                self.clock.schedule(arrivals[tranche.id], partial(self._receive, tranche.id))

    def _receive(self, tranche: str, at: datetime) -> None:
        clerk = self.people.one(CLERK)
        deliveries.receive(self.people.ledger, clerk, tranche, note=SOURCE, unscanned=SOURCE, at=at)
