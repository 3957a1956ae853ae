"""Simulated suppliers: an order is promised and arrives, delivery by delivery, on the plan's dates."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime
from functools import partial

from flows.rehearsal.people import SOURCE, SimulatedPeople
from flows.rehearsal.planned_times import PlannedTimes
from flows.rehearsal.sampled_times import SampledTimes
from flows.rehearsal.simulated_time import Decision, SimulatedClock, nothing_but_a_look
from ledger.questions.snapshot import Snapshot
from ledger.rules.rows import OrderRow
from ledger.subjects.orders import decisions as orders
from ledger.subjects.orders import delivery_decisions as deliveries
from steps.stamps import local_day

BUYER, CLERK = "buyer", "receiving-clerk"


@dataclass
class SimulatedSuppliers:
    """Take every order, and deliver it by the clock."""

    times: PlannedTimes
    people: SimulatedPeople
    clock: SimulatedClock

    def places(self, snapshot: Snapshot, row: OrderRow) -> bool:
        """Return whether an order that can be placed is placed now: by the plan."""
        return self.times.placing(row.id) <= snapshot.now

    def place(self, row: OrderRow) -> None:
        """Place an order now, and schedule its deliveries."""
        now = self.clock()
        first = min(self.times.arrivals(row.id, now).values())
        orders.order(
            self.people.ledger,
            self.people.one(BUYER),
            row.id,
            promised=local_day(first, self.times.time_zone),
            supplier=f"simulated {row.supplier}",
            reference=SOURCE,
        )
        self.expect(row, now)

    def expect(self, row: OrderRow, placed_at: datetime) -> None:
        """Schedule the deliveries of an order that have not arrived."""
        arrivals = self.times.arrivals(row.id, placed_at)
        for tranche in row.tranches:
            if tranche.received_at is None:
                self.clock.schedule(arrivals[tranche.id], partial(self._receive, tranche.id))

    def _receive(self, tranche: str) -> None:
        clerk = self.people.one(CLERK)
        deliveries.receive(self.people.ledger, clerk, tranche, note=SOURCE, unscanned=SOURCE)


@dataclass
class SlippingSuppliers(SimulatedSuppliers):
    """Suppliers of a rehearsal with luck: they acknowledge with a first promise, and later name the day on which it will really come."""

    times: SampledTimes
    _awaited: set[str] = field(default_factory=set, init=False)

    def places(self, snapshot: Snapshot, row: OrderRow) -> bool:
        """Return whether an order that can be placed is placed now: as soon as the sample has it."""
        at = self.times.waits_until(snapshot, row)
        if at > snapshot.now and row.id not in self._awaited:
            self._awaited.add(row.id)
            self.clock.schedule(at, nothing_but_a_look)
        return at <= snapshot.now

    def place(self, row: OrderRow) -> None:
        """Place an order now, have it acknowledged with a promise, and schedule what the supplier says and does later."""
        now = self.clock()
        ledger, buyer = self.people.ledger, self.people.one(BUYER)
        orders.order(ledger, buyer, row.id, supplier=f"simulated {row.supplier}", reference=SOURCE)
        orders.acknowledge(
            ledger,
            buyer,
            row.id,
            on=self._day(now),
            reference=SOURCE,
            promised=self._day(min(self.times.first_promises(row.id, now).values())),
        )
        self.expect(row, now)

    def expect(self, row: OrderRow, placed_at: datetime) -> None:
        """Schedule for each delivery that has not arrived another promise if it slips, its shipping and its arrival.

        The other day is named halfway to the earlier of both days. A tenth of the lead time is transport. Both are assumptions.
        """
        super().expect(row, placed_at)
        promises, arrivals = self.times.first_promises(row.id, placed_at), self.times.arrivals(row.id, placed_at)
        for tranche in row.tranches:
            first, comes = promises[tranche.id], arrivals[tranche.id]
            if self._day(first) != self._day(comes):
                self._later(placed_at + (min(first, comes) - placed_at) / 2, partial(self._promise, tranche.id, comes))
            self._later(comes - (comes - placed_at) / 10, partial(self._ship, tranche.id))

    def _later(self, at: datetime, decision: Decision) -> None:
        """Schedule what has not been recorded yet: an earlier rehearsal of this ledger has taken what was due by then."""
        if at > self.clock():
            self.clock.schedule(at, decision)

    def _promise(self, tranche: str, comes: datetime) -> None:
        buyer = self.people.one(BUYER)
        orders.promise(self.people.ledger, buyer, tranche, self._day(comes), reason=f"{SOURCE}: another day")

    def _ship(self, tranche: str) -> None:
        buyer = self.people.one(BUYER)
        deliveries.ship(self.people.ledger, buyer, tranche, shipped=self._day(self.clock()), carrier=SOURCE)

    def _day(self, at: datetime) -> date:
        return local_day(at, self.times.time_zone)
