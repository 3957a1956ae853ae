"""Orders in words: which cannot be in time if their lead times are long, and what being early costs."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from decimal import Decimal
from math import ceil
from typing import NamedTuple

from clusterwright.output import day, money
from ledger.questions.forecast_words import days_words
from steps.planning.dates.order_timing import EarlyCost


class LateOrder(NamedTuple):
    """An order that is late with the P80 of its lead time: by how many days if it is placed on `order_from`, and what would help."""

    name: str
    days: float
    order_from: datetime
    ways: tuple[str, ...]


def late_cell(late_days_p80: float | None) -> str:
    """Return by how many days an order is late with the P80 of its lead time; empty if it is in time, or nothing is known."""
    return f"{ceil(late_days_p80)} d" if late_days_p80 else ""


def late_lines(orders: Iterable[LateOrder], now: datetime, zone: str, left: int | None = None) -> Iterator[str]:
    """Yield for each of these orders when to place it, by how much it is late all the same, and what would bring it in time.

    `left` are the days of schedule contingency that are left, of which it takes so many.
    """
    for name, days, order_from, ways in orders:
        when = "now" if order_from <= now else f"on {day(order_from, zone)}, its first day"
        late = ceil(days)
        taken = "" if left is None else f", {_of_contingency(late, left)}"
        yield (
            f"! {name}: order {when}; with the P80 lead time it is {days_words(late)} late for the working schedule{taken}. "
            f"What may help: {', '.join(ways)}"
        )


def _of_contingency(late: int, left: int) -> str:
    """Return what a delay takes of the schedule contingency, and by how much it goes beyond."""
    if late <= left:
        return f"and takes as many of the {days_words(left)} of schedule contingency"
    return f"and {days_words(late - max(0, left))} too late for the commitment"


def and_more(name: str, orders: int) -> str:
    """Return the name of one of several orders alike, with the number of the others."""
    return name if orders == 1 else f"{name} and {orders - 1} more"


def price(usd: float | Decimal | None, *, about: str = "") -> str:
    """Return the design's price in short, after `about`; `no price` where it has none of its own."""
    return "no price" if usd is None else f"{about}{money(float(usd))}"


def early_cost_words(cost: EarlyCost, rate: float) -> str:
    """Return what all orders together cost by being early at `rate` percent a year, and how many of them have no price."""
    early, by = money(cost.placed_early), money(cost.placed_by)
    said = f"Early deliveries tie up money at {rate:g} % a year: {early} if each order is placed on its first day, {by} on its order-by date."
    return f"{said} {cost.unpriced} of {cost.orders} orders have no price in the design." if cost.unpriced else said
