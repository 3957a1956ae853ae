"""The columns of a list of orders, and their order: for the command and for pages that are handed on."""

from clusterwright.order_words import late_cell, price
from clusterwright.output import day, money
from ledger.questions.order_timing import TimedOrder, TimedOrders
from ledger.rules.rows import OrderRow

OPEN, PLACED, ALL = "open", "placed", "all"
COLUMNS = {
    "order": ALL,
    "what": ALL,
    "order from": OPEN,
    "order by": ALL,
    "quantity": ALL,
    "state": ALL,
    "promised": PLACED,
    "need by": ALL,
    "late at P80": OPEN,
    "supplier": PLACED,
    "value": ALL,
    "early costs": OPEN,
}
"""Columns, and the orders that each is for: those to be placed, those that are placed, or all."""
LAST = "~"
"""Sorts after every date."""
NUMBERS = {"late at P80", "value", "early costs"}


def days_late(row: OrderRow, timed: TimedOrders) -> float:
    """Return by how many days an order is late, or would be with the P80 of its lead time; 0 if it is in time."""
    return max(row.days_late, timed.by_id[row.id].late_days_p80 or 0)


def latest_first(row: OrderRow, timed: TimedOrders) -> tuple[float, bool, str]:
    """Return what orders are sorted by: late ones first, then those to come, by their order-by date."""
    by = row.order_by.isoformat() if row.order_by else LAST
    return -days_late(row, timed), row.state == "received", by


def order_cells(r: OrderRow, timed: TimedOrder, zone: str) -> dict[str, str]:
    """Return the cells of an order by column."""
    return {
        "order from": day(timed.order_from, zone),
        "order by": day(r.order_by, zone),
        "order": r.id,
        "what": r.title,
        "quantity": r.size,
        "state": state_cell(r),
        "promised": day(r.promised_last, zone),
        "need by": day(r.need_by, zone),
        "late at P80": late_cell(timed.late_days_p80),
        "supplier": r.supplier_name,
        "value": _value(r, timed),
        "early costs": "" if timed.early_cost_usd is None else money(float(timed.early_cost_usd)),
    }


def _value(r: OrderRow, timed: TimedOrder) -> str:
    """Return the value on record; before the order is placed, about what the design has for it."""
    if r.value is not None:
        return f"{r.value:,} {r.currency}"
    if timed.order_from is None:
        return ""
    return price(timed.price_usd, about="about ")


def state_cell(r: OrderRow) -> str:
    """Return the state with what the supplier said last: that it accepted, or that some of it is on its way; and how late it is."""
    under_way = sum(t.shipped is not None and t.received_at is None for t in r.tranches)
    said = f"{under_way} shipped" if under_way else ""
    if not under_way and r.acknowledged and r.state == "placed":
        said = "acknowledged"
    return ", ".join(filter(None, (r.state, said, r.late_words)))
