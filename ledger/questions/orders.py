"""Orders and deliveries as they are, what they cost by budget line, what was changed, and how it went."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import NamedTuple

from ledger.questions.order_history import HistoryRow, history
from ledger.questions.snapshot import Snapshot, one_of, rows_of, table
from ledger.rules.activity import words
from ledger.rules.money import currency_code, share
from ledger.rules.nearest import unknown_order
from ledger.rules.orders import (
    is_order_late,
    order_state,
    refuse_unplaced,
)
from ledger.rules.permission import is_same
from ledger.rules.rows import ChangeRow, OrderRow, TrancheRow
from ledger.rules.subjects import is_delivery, order_of

_CURRENCY = """
coalesce((SELECT o.currency FROM order_line o
  WHERE t.subject = o.id OR substr(t.subject, 1, length(o.id) + 1) = o.id || '/'), '')"""
_OF_ORDER = "WHERE t.subject = :order OR substr(t.subject, 1, length(:order) + 1) = :order || '/'"


@table("order_line")
class Line(NamedTuple):
    """An order as it is stored."""

    id: str
    step: str
    unit: str
    item: str
    title: str
    quantity: Decimal
    unit_of_measure: str
    supplier: str
    supplier_name: str
    reference: str
    order_by: datetime | None
    need_by: datetime | None
    ready_from: datetime | None
    promised: date | None
    placed_at: datetime | None
    lead_m_h: float
    total_float_h: float | None
    organisation: str
    value: Decimal | None
    currency: str
    budget_line: str
    acknowledged: date | None
    acknowledgement: str
    expedite_cost: Decimal


class BudgetRow(NamedTuple):
    """A budget line in one currency; `unpriced` counts placed orders without a value."""

    budget_line: str
    currency: str
    orders: int
    unpriced: int
    committed: Decimal
    received: Decimal
    open: Decimal


table("tranche", quantity="coalesce(t.contracted, t.quantity)", planned_quantity="t.quantity")(TrancheRow)
table(
    "change_order",
    state="CASE t.approved WHEN 1 THEN 'approved' WHEN 0 THEN 'refused' ELSE 'open' END",
    currency=_CURRENCY,
)(ChangeRow)


def orders(snapshot: Snapshot, *, organisation: str | None = None) -> list[OrderRow]:
    """Return every order of the plan with its deliveries, in plan order; or those of one organisation or supplier."""
    deliveries: dict[str, list[TrancheRow]] = {}
    for delivery in rows_of(snapshot, TrancheRow, "ORDER BY t.order_line, t.number"):
        deliveries.setdefault(order_of(delivery.id), []).append(delivery)
    found = rows_of(snapshot, Line, "ORDER BY t.ordinal")
    if organisation is not None:
        names = [(line, (line.organisation, line.supplier_name)) for line in found]
        found = [line for line, theirs in names if any(is_same(name, organisation) for name in theirs)]
    return [_order(line, tuple(deliveries.get(line.id, ())), snapshot.now) for line in found]


def order(snapshot: Snapshot, name: str) -> OrderRow | None:
    """Return an order, or None where there is none of that id."""
    line = one_of(snapshot, Line, "WHERE t.id = :name", name=name)
    if line is None:
        return None
    tranches = rows_of(snapshot, TrancheRow, "WHERE t.order_line = :name ORDER BY t.number", name=name)
    return _order(line, tuple(tranches), snapshot.now)


def require_order(snapshot: Snapshot, name: str) -> OrderRow:
    """Return an order. Raise for an unknown id, with the nearest ones."""
    found = order(snapshot, name)
    if found is None:
        known = snapshot.db.execute("SELECT id FROM order_line ORDER BY ordinal")
        raise unknown_order(name, [known_id for (known_id,) in known])
    return found


def tranche(snapshot: Snapshot, name: str) -> TrancheRow | None:
    """Return a delivery of an order, or None where there is none of that id."""
    return one_of(snapshot, TrancheRow, "WHERE t.id = :name", name=name)


def require_tranche(snapshot: Snapshot, name: str) -> TrancheRow:
    """Return a delivery of an order. Raise for an unknown id, with the nearest ones."""
    found = tranche(snapshot, name)
    if found is None:
        raise unknown_order(name, [known for (known,) in snapshot.db.execute("SELECT id FROM tranche")], "delivery")
    return found


def order_named(snapshot: Snapshot, subject: str) -> OrderRow:
    """Return the order that an order's or a delivery's id names."""
    if is_delivery(subject):
        require_tranche(snapshot, subject)
    return require_order(snapshot, order_of(subject))


def require_placed(snapshot: Snapshot, subject: str) -> OrderRow:
    """Return the placed order that an order's or a delivery's id names. Raise where it is not placed."""
    found = order_named(snapshot, subject)
    refuse_unplaced(found)
    return found


def plan_currency(snapshot: Snapshot) -> str:
    """Return the currency of the plan in force."""
    (code,) = snapshot.db.execute("SELECT currency FROM plan_revision ORDER BY revision DESC LIMIT 1").fetchone()
    return currency_code(code)


def budget(snapshot: Snapshot) -> list[BudgetRow]:
    """Return what is committed, received and open by budget line and currency. Expediting is committed too.

    What was received of an order is its share of the order's quantity. Currencies are never added.
    """
    lines: dict[tuple[str, str], list[OrderRow]] = {}
    for row in orders(snapshot):
        if row.placed_at is not None:
            lines.setdefault((row.budget_line, row.currency), []).append(row)
    return [_budget(*key, rows) for key, rows in sorted(lines.items())]


def changes(snapshot: Snapshot, order: str | None = None) -> list[ChangeRow]:
    """Return change orders, oldest first; those of one order and its deliveries where it is named."""
    wanted = _OF_ORDER if order is not None else ""
    return rows_of(snapshot, ChangeRow, f"{wanted} ORDER BY t.id", order=order)


def change(snapshot: Snapshot, name: str) -> ChangeRow | None:
    """Return a change order, or None where there is none of that id."""
    return one_of(snapshot, ChangeRow, "WHERE t.id = :name", name=name)


def order_history(snapshot: Snapshot, name: str) -> list[HistoryRow]:
    """Return everything that was recorded of an order and its deliveries, oldest first, in the words of that time."""
    require_order(snapshot, name)
    found = snapshot.db.execute(
        "SELECT seq, effective_at, actor, kind, subject, payload FROM event"
        " WHERE subject = :name OR (subject > :name || '/' AND subject < :name || '0') ORDER BY seq",  # '0' follows '/'
        {"name": name},
    )
    return history(found.fetchall())


def serials(snapshot: Snapshot, tranche: str) -> tuple[str, ...]:
    """Return the serial numbers that came with a delivery."""
    found = snapshot.db.execute("SELECT serials FROM delivery WHERE tranche = ? ORDER BY seq", [tranche])
    return tuple(serial for (came,) in found for serial in words(came))


def serials_received(snapshot: Snapshot) -> dict[str, tuple[str, str]]:
    """Return every serial number received, by its folded form, as it was written and with its delivery."""
    found = snapshot.db.execute("SELECT tranche, serials FROM delivery ORDER BY seq")
    return {serial.casefold(): (serial, tranche) for tranche, came in found for serial in words(came)}


def _order(line: Line, tranches: tuple[TrancheRow, ...], now: datetime) -> OrderRow:
    changed = sum((t.quantity - t.planned_quantity for t in tranches), Decimal(0))
    return OrderRow(
        id=line.id,
        step=line.step,
        unit=line.unit,
        item=line.item,
        title=line.title,
        quantity=line.quantity + changed,
        unit_of_measure=line.unit_of_measure,
        supplier=line.supplier,
        supplier_name=line.supplier_name,
        reference=line.reference,
        order_by=line.order_by,
        need_by=line.need_by,
        state=order_state(line.placed_at, tranches),
        ready_from=line.ready_from,
        promised=line.promised,
        placed_at=line.placed_at,
        lead_m_h=line.lead_m_h,
        float_h=line.total_float_h,
        critical=line.total_float_h is not None and line.total_float_h < 1e-6,
        late=is_order_late(now, line.order_by, line.placed_at, tranches),
        tranches=tranches,
        organisation=line.organisation,
        value=line.value,
        currency=line.currency,
        budget_line=line.budget_line,
        acknowledged=line.acknowledged,
        acknowledgement=line.acknowledgement,
        expedite_cost=line.expedite_cost,
    )


def _budget(line: str, currency: str, rows: Sequence[OrderRow]) -> BudgetRow:
    committed = received = Decimal(0)
    for row in rows:
        whole = (row.value or Decimal(0)) + row.expedite_cost
        came = sum((t.received_quantity for t in row.tranches), Decimal(0))
        committed += whole
        received += share(whole, came, row.quantity)
    unpriced = sum(row.value is None for row in rows)
    return BudgetRow(line, currency, len(rows), unpriced, committed, received, committed - received)
