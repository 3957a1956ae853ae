"""When to place an order: the first day that what comes before it allows, the last that its risk allows, and the price of being early.

Commands that look import this module, so it reads what the plan has and computes no quantile.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from steps.planning.activity import Dates

if TYPE_CHECKING:
    from steps.planning.plan import Plan, PlanOrder  # pydantic, which commands that look start without

HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
YEAR_DAYS = 365
GRANTED_BY = ("export-authority", "gas-supplier", "permit-office", "utility")
"""Suppliers of what a site can have from nobody else."""
RATE = "cost_of_capital"
"""The figure: percent a year of money that is tied up."""


class OrderTiming(NamedTuple):
    """When an order can and must be placed. Days are elapsed days."""

    order_from: datetime
    """All that comes before it is done."""
    order_by: datetime
    """The last moment that the P80 of its lead time allows. Before `order_from` if the order cannot be in time with that lead time."""
    latest: datetime
    """The last moment with the most likely lead time: placed then, it is late as often as not."""
    late_days_p80: float | None
    """How late its deliveries are with the P80 of the lead time: by how much `order_by` is before `order_from`. None in older plans."""
    early_days: float
    """How long its pieces wait on average until they are needed, if it is placed on `order_from` and takes its most likely time."""
    spare_days: float
    """The same if it is placed on `order_by`, or on `order_from` if that is later."""
    ways: tuple[str, ...]
    """What would bring its deliveries in time, if they are late with the P80 of the lead time."""


def timing_of(order: PlanOrder, placed_from: datetime | None = None) -> OrderTiming | None:
    """Return when an order can and must be placed; None without dates.

    `placed_from` is when it can be placed as the record knows it. It takes the place of the planned date.
    """
    if order.dates is None:
        return None
    order_from = order.dates.early_finish if placed_from is None else placed_from
    latest = order.dates.late_finish
    if order.lead_p80_h is None:
        order_by, late = latest, None
    else:
        order_by = latest - HOUR * max(0.0, order.lead_p80_h - order.lead.m)
        late = max(0.0, (order_from - order_by) / DAY)
    return OrderTiming(
        order_from=order_from,
        order_by=order_by,
        latest=latest,
        late_days_p80=late,
        early_days=_wait(order, order_from),
        spare_days=_wait(order, max(order_from, order_by)),
        ways=_ways_to_be_in_time(order) if late else (),
    )


def _ways_to_be_in_time(order: PlanOrder) -> tuple[str, ...]:
    """Return what a buyer can do about an order that is late. What an authority or a utility grants has no second source."""
    if order.supplier in GRANTED_BY:
        return ("an earlier application",)
    has_parts = len(order.tranches) == 1 and order.quantity > 1
    split = ("a split delivery, first what is needed first",) if has_parts else ()
    allocation = ("an allocation of the maker",) if order.supplier.endswith("-maker") else ()
    return (*split, "a second source", *allocation)


def _wait(order: PlanOrder, placed: datetime) -> float:
    """Return by how many days the pieces of an order placed then come before they are needed, on average."""
    dated = [(one.dates, one.after_first_h, float(one.quantity)) for one in order.tranches if one.dates]
    whole = sum(quantity for _, _, quantity in dated)
    if not whole:
        return 0.0
    return (
        sum(_days_early(dates, placed + HOUR * (order.lead.m + h)) * quantity for dates, h, quantity in dated) / whole
    )


def _days_early(needed: Dates, comes: datetime) -> float:
    return max(0.0, (needed.late_finish - comes) / DAY)


def cost_of_waiting(price: float | None, percent_a_year: float | None, days: float) -> float | None:
    """Return what `price` costs while it is tied up for so many days, in its currency; None where it or the rate is unknown."""
    if price is None or percent_a_year is None:
        return None
    return price * percent_a_year / 100 * days / YEAR_DAYS


class EarlyCost(NamedTuple):
    """What orders cost in US dollars by being early: all placed as soon as they can be, and all on their order-by dates.

    `unpriced` is the number of those of which the design has no price; they are in neither sum.
    """

    placed_early: float
    placed_by: float
    orders: int
    unpriced: int


def early_cost(plan: Plan) -> EarlyCost | None:
    """Return what the orders of a plan cost by being early; None in older plans, which have no rate."""
    rate = plan.figures.get(RATE)
    if rate is None:
        return None
    early = by = 0.0
    for order in plan.orders:
        if timing := timing_of(order):
            early += cost_of_waiting(order.usd, rate, timing.early_days) or 0.0
            by += cost_of_waiting(order.usd, rate, timing.spare_days) or 0.0
    return EarlyCost(early, by, len(plan.orders), sum(order.usd is None for order in plan.orders))
