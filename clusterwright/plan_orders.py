"""The orders of a plan for eyes, and as JSON: between which days to place each, whether its risk allows it, what being early costs."""

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from typing import NamedTuple

from clusterwright.order_words import LateOrder, and_more, early_cost_words, late_cell, late_lines, price
from clusterwright.output import Cells, Document, day, money, table
from steps.amount import counted
from steps.design.export_licences import ITEM
from steps.planning.dates.order_timing import RATE, OrderTiming, cost_of_waiting, early_cost, timing_of
from steps.planning.plan import Plan, PlanOrder

WEEK_H = 168
REFUSALS = (
    "2 % of all applications to the US Bureau of Industry and Security were refused in the fiscal year 2023 (Reuters in Wallstreetcn, "
    "2 August 2025); for accelerators and group D:5 it is more"
)
"""The risk that an export licence is refused. What is refused has no date, so no sample has it."""


class _Timed(NamedTuple):
    order: PlanOrder
    timing: OrderTiming


def print_orders(plan: Plan) -> None:
    """Print orders, the one to place first on top; those that every pod places for itself on one line."""
    alike: dict[tuple[str, str], list[_Timed]] = {}
    for one in _by_date(plan):
        alike.setdefault((one.order.step, one.order.item), []).append(one)
    table(
        (
            *("order from", "order by", "order", "what", "quantity", "lead weeks", "P80", "need by"),
            *("late at P80", "price", "early costs"),
        ),
        [_line(orders, plan) for orders in alike.values()],
        title="Orders: the first day on which to place each, and the last one that the P80 of its lead time allows",
        right=(4, 5, 6, 8, 9, 10),
    )
    for line in late_lines(_late(alike.values()), plan.start, plan.time_zone):
        print(line)
    cost = early_cost(plan)
    if cost is not None:
        print(early_cost_words(cost, plan.figures[RATE]))
    print()


def _by_date(plan: Plan) -> list[_Timed]:
    timed = [_Timed(order, timing) for order in plan.orders if (timing := timing_of(order))]
    return sorted(timed, key=lambda one: one.timing.order_by)


def _line(orders: Sequence[_Timed], plan: Plan) -> Cells:
    (first, timing), zone = orders[0], plan.time_zone
    cost = _sum([_cost(one, plan) for one in orders])
    quantity = sum((one.order.quantity for one in orders), Decimal(0))
    return (
        day(timing.order_from, zone),
        day(timing.order_by, zone),
        and_more(first.id, len(orders)),
        first.title,
        counted(quantity, first.unit_of_measure),
        f"{first.lead.m / WEEK_H:g}",
        "" if first.lead_p80_h is None else f"{first.lead_p80_h / WEEK_H:.0f}",
        day(first.need_by, zone),
        late_cell(_worst(orders).timing.late_days_p80),
        price(_sum([one.order.usd for one in orders])),
        "" if cost is None else money(cost),
    )


def _late(alike: Iterable[Sequence[_Timed]]) -> Iterator[LateOrder]:
    """Yield what is late with the P80 of its lead time: of orders that each pod has for itself, the one that is latest."""
    for orders in alike:
        late = [one for one in orders if one.timing.late_days_p80]
        if late:
            order, worst = _worst(late)
            name = and_more(order.id, len(late))
            yield LateOrder(name, worst.late_days_p80 or 0.0, worst.order_from, worst.ways)


def _worst(orders: Sequence[_Timed]) -> _Timed:
    return max(orders, key=lambda one: one.timing.late_days_p80 or 0.0)


def _cost(one: _Timed, plan: Plan) -> float | None:
    return cost_of_waiting(one.order.usd, plan.figures.get(RATE), one.timing.early_days)


def _sum(values: Sequence[float | None]) -> float | None:
    """Return the sum; None if one of them is not known."""
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None


def orders_document(plan: Plan) -> Document:
    """Return the orders with their dates, the one to place first on top, and what all of them cost by being early."""
    cost = early_cost(plan)
    return {
        "orders_by_date": [_document(one, plan) for one in _by_date(plan)],
        "early_cost_usd": None if cost is None else {name: round(value, 2) for name, value in cost._asdict().items()},
    }


def _document(one: _Timed, plan: Plan) -> Document:
    order, timing, rate = one.order, one.timing, plan.figures.get(RATE)
    early, by = (cost_of_waiting(order.usd, rate, days) for days in (timing.early_days, timing.spare_days))
    return {
        "id": order.id,
        "order_from": timing.order_from,
        "order_by": timing.order_by,
        "latest": timing.latest,
        "need_by": order.need_by,
        "float_h": order.dates.total_float_h if order.dates else None,
        "late_days_p80": None if timing.late_days_p80 is None else round(timing.late_days_p80, 2),
        "in_time_with": timing.ways,
        "price_usd": order.usd,
        "early_days": round(timing.early_days, 2),
        "early_cost_usd": None if early is None else round(early, 2),
        "spare_cost_usd": None if by is None else round(by, 2),
    }


def licence_lines(plan: Plan) -> Iterator[str]:
    """Yield what a plan says whose accelerators need an export licence."""
    for order in plan.orders:
        if order.item == ITEM:
            yield (
                f"The accelerators need an export licence, {order.id}. It may be refused: {REFUSALS}. No date and no chance of this plan "
                "counts that. Ask before the order is binding, and agree who pays if it is refused."
            )
