"""When to place each order, and what being early costs: as planned, and as the record knows what may be placed now."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, NamedTuple

from ledger.rules.rows import OrderRow
from steps.planning.dates.order_timing import RATE, EarlyCost, cost_of_waiting, timing_of

if TYPE_CHECKING:
    from steps.planning.plan import Plan, PlanOrder  # pydantic, which commands that look start without


class TimedOrder(NamedTuple):
    """What follows for an order that is not placed: dates, days and US dollars. None for what the plan in force does not know."""

    order_from: datetime | None
    """When it can be placed: now if nothing before it is open, otherwise as planned, and not before now."""
    latest: datetime | None
    """The last moment with the most likely lead time."""
    late_days_p80: float | None
    """How late it is with the P80 of its lead time, if it is placed by its order-by date, or on `order_from` where that has passed."""
    in_time_with: tuple[str, ...]
    """What would bring its deliveries in time, if they are late."""
    price_usd: Decimal | None
    """The design's price; None where the design has none for it."""
    early_days: float | None
    """How long its pieces wait on average until they are needed, if it is placed on `order_from`."""
    early_cost_usd: Decimal | None
    """What that costs."""
    spare_cost_usd: Decimal | None
    """What it costs if it is placed on its order-by date, or on `order_from` where that has passed."""


UNKNOWN = TimedOrder(None, None, None, (), None, None, None, None)
"""What is known of an order that is placed, or that the plan in force does not have any more."""


class TimedOrders(NamedTuple):
    """Orders by id, and the figure `cost_of_capital` of the plan in force: percent a year, None in older plans."""

    by_id: dict[str, TimedOrder]
    rate: float | None

    @property
    def early_cost(self) -> EarlyCost:
        """What those that are not placed cost by being early, together."""
        dated = [one for one in self.by_id.values() if one.order_from is not None]
        early = sum(float(one.early_cost_usd or 0) for one in dated)
        by = sum(float(one.spare_cost_usd or 0) for one in dated)
        return EarlyCost(early, by, len(dated), sum(one.price_usd is None for one in dated))


def timed_orders(rows: Iterable[OrderRow], plan: Plan, now: datetime) -> TimedOrders:
    """Return when to place each of these orders under the plan in force, and what being early costs."""
    planned = {order.id: order for order in plan.orders}
    rate = plan.figures.get(RATE)
    found = {}
    for row in rows:
        order = planned.get(row.id)
        if order is None or row.placed_at is not None:
            found[row.id] = UNKNOWN
        else:
            found[row.id] = _timed(order, row, rate, now)
    return TimedOrders(found, rate)


def _timed(order: PlanOrder, row: OrderRow, rate: float | None, now: datetime) -> TimedOrder:
    planned = order.dates.early_finish if order.dates else now
    timing = timing_of(order, max(now, row.ready_from or planned))
    if timing is None:
        return UNKNOWN._replace(price_usd=_usd(order.usd))
    return TimedOrder(
        order_from=timing.order_from,
        latest=timing.latest,
        late_days_p80=timing.late_days_p80,
        in_time_with=timing.ways,
        price_usd=_usd(order.usd),
        early_days=timing.early_days,
        early_cost_usd=_usd(cost_of_waiting(order.usd, rate, timing.early_days)),
        spare_cost_usd=_usd(cost_of_waiting(order.usd, rate, timing.spare_days)),
    )


def _usd(value: float | None) -> Decimal | None:
    return None if value is None else Decimal(f"{value:.2f}")
