"""Earned value of orders, in money: what was to be received by now, what was, and what that cost.

An order's value counts from its placing on. Work is counted in crew-hours (`steps.planning.record.earned_value`); the two are not added.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from decimal import Decimal

from ledger.questions.orders import orders
from ledger.questions.snapshot import Snapshot
from ledger.rules.rows import OrderRow, grouped
from ledger.subjects.orders.money_rules import share


@dataclass(frozen=True, slots=True)
class OrderValue:
    """Values of placed orders in one currency. `unpriced` is the number of orders without a value."""

    currency: str
    planned: Decimal
    """Of the deliveries that the plan has by now: the planned value."""
    received: Decimal
    """Of what was received: the earned value."""
    actual: Decimal
    """What that cost, with its share of what was paid for expediting: the actual cost."""
    total: Decimal
    unpriced: int
    spi: float | None
    """The schedule performance index: less than 1 is late. None before anything was to come."""
    cpi: float | None
    """The cost performance index: less than 1 cost more than ordered. None before anything came."""

    @property
    def words(self) -> str:
        """What was received of what was ordered, with the two indices."""
        if not self.total:
            return f"no value is recorded of {self.unpriced} placed orders"
        came = f"{self.currency} {self.received:,.0f} of {self.total:,.0f} ordered are received"
        said = f"{came}, {self.planned:,.0f} were planned by now, {self.actual:,.0f} is what they cost"
        without = f"; {self.unpriced} placed orders have no value" if self.unpriced else ""
        return said + index_words(self.spi, self.cpi) + without


def order_values(snapshot: Snapshot, due: Collection[str]) -> list[OrderValue]:
    """Return the earned value of placed orders by currency. `due` are the ids of the deliveries that the plan has by now."""
    placed = (row for row in orders(snapshot) if row.placed_at is not None)
    by_currency = grouped((row.currency, row) for row in placed)
    return [_value(currency, rows, due) for currency, rows in sorted(by_currency.items())]


def _value(currency: str, rows: Iterable[OrderRow], due: Collection[str]) -> OrderValue:
    planned = received = actual = total = Decimal(0)
    unpriced = 0
    for row in rows:
        value = row.value or Decimal(0)
        come = [one for one in row.tranches if one.id in due]
        was_due = sum((one.quantity for one in come), Decimal(0))
        came = sum((one.received_quantity for one in row.tranches), Decimal(0))
        planned += share(value, was_due, row.ordered)
        received += share(value, came, row.ordered)
        actual += share(value + row.expedite_cost, came, row.ordered)
        total += value
        unpriced += row.value is None
    spi, cpi = _index(received, planned), _index(received, actual)
    return OrderValue(currency, planned, received, actual, total, unpriced, spi, cpi)


def index_words(spi: float | None, cpi: float | None) -> str:
    """Return the indices of schedule and cost as the end of a sentence. Empty where neither is known."""
    both = (("SPI", spi), ("CPI", cpi))
    known = [f"{name} {value:.2f}" for name, value in both if value is not None]
    return f": {', '.join(known)}" if known else ""


def _index(earned: Decimal, of: Decimal) -> float | None:
    return round(float(earned / of), 4) if of else None
