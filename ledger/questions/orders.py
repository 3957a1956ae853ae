"""Orders and their deliveries, the budget, change orders, the history of an order, and serial numbers."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from typing import NamedTuple

from ledger.questions.case import lapsed
from ledger.questions.links import predecessors
from ledger.questions.ordered_products import other_products
from ledger.questions.site import site_of
from ledger.questions.snapshot import Snapshot, one_of, rows_of, table
from ledger.rules.activity import words
from ledger.rules.permission import is_same
from ledger.rules.readiness import unmet
from ledger.rules.rows import NEEDED, ORDERED, RECEIVED_AT, ChangeRow, OrderRow, TrancheRow, grouped
from ledger.rules.subjects import is_delivery, order_of
from ledger.stored_fields import NOT_READ, fields_of
from ledger.subjects.orders.manifest_rules import Received
from ledger.subjects.orders.money_rules import currency_code, share
from ledger.subjects.orders.rules import (
    days_overdue,
    is_order_late,
    is_unready,
    latest_delivery,
    order_days_late,
    order_state,
    refuse_unplaced,
    refuse_unready,
    unknown_order,
)
from ledger.subjects.orders.words import WORDS, Payload
from steps.stamps import stamp, stamped

_CURRENCY = """
coalesce(t.asked_in, (SELECT o.currency FROM order_line o
  WHERE t.subject = o.id OR substr(t.subject, 1, length(o.id) + 1) = o.id || '/'), '')"""
_HISTORY = """
SELECT seq, effective_at, actor, kind, subject, payload, (SELECT taken_back FROM entry WHERE seq = event.seq) FROM event
WHERE (subject = :name OR (subject > :name || '/' AND subject < :name || '0'))
  AND seq NOT IN (SELECT seq FROM refused) ORDER BY seq"""
"""The character 0 follows the slash, so the range has every id that begins with the order's id and a slash."""

_PLACEABLE = "o.placed_at IS NULL AND o.in_plan AND o.ready_from <= :now"
_OF_ORDER = "WHERE t.subject = :order OR substr(t.subject, 1, length(:order) + 1) = :order || '/'"


class BudgetRow(NamedTuple):
    """A budget line in one currency. `unpriced` is the number of placed orders without a value."""

    budget_line: str
    currency: str
    orders: int
    unpriced: int
    committed: Decimal
    received: Decimal
    open: Decimal


class HistoryRow(NamedTuple):
    """An event, as one about an order or one of its deliveries. `said` is what happened, in words."""

    seq: int
    at: datetime
    person: str
    kind: str
    subject: str
    said: str


table(
    "order_line",
    float_h="t.total_float_h",
    critical="coalesce(t.total_float_h < 1e-6, 0)",
    state="NULL",
    late="NULL",
    ordered="t.quantity",
    tranches="NULL",
    time_zone="NULL",
    days_late="NULL",
    late_delivery="NULL",
    days_overdue="NULL",
    product_was="''",
)(OrderRow)  # those that are NULL follow from the deliveries: see `_order`
table(
    "tranche",
    quantity=NEEDED,
    planned_quantity="t.quantity",
    ordered=ORDERED,
    received_at=RECEIVED_AT,
)(TrancheRow)
table(
    "change_order",
    state="CASE t.approved WHEN 1 THEN 'approved' WHEN 0 THEN 'refused' ELSE 'open' END",
    currency=_CURRENCY,
)(ChangeRow)


def orders(snapshot: Snapshot, *, organisation: str | None = None) -> list[OrderRow]:
    """Return the orders with their deliveries, in plan order: all, or those of one organisation or supplier."""
    found = _orders(snapshot)
    if organisation is not None:
        found = [row for row in found if _is_theirs(row, organisation)]
    return found


def orders_to_place(snapshot: Snapshot) -> list[OrderRow]:
    """Return the orders that can be placed now, with their deliveries, in plan order."""
    return _orders(snapshot, f"WHERE {_PLACEABLE}", now=stamp(snapshot.now))


def _orders(snapshot: Snapshot, only: str = "", **values: str) -> list[OrderRow]:
    """Return the orders for which an SQL condition on `o` is true."""
    joined = f"JOIN order_line o ON o.id = t.order_line {only} ORDER BY t.order_line, t.number"
    rows = rows_of(snapshot, TrancheRow, joined, **values)
    deliveries = grouped((order_of(one.id), one) for one in rows)
    found = rows_of(snapshot, OrderRow, f"JOIN order_line o ON o.id = t.id {only} ORDER BY t.ordinal", **values)
    zone = site_of(snapshot).time_zone
    others = other_products(snapshot, found)
    found = [row._replace(product_was=others.get(row.id, "")) for row in found]
    pairs = ((row, deliveries.get(row.id, ())) for row in found)
    return [_order(row, tranches, snapshot.now, zone) for row, tranches in pairs]


def _is_theirs(row: OrderRow, organisation: str) -> bool:
    return is_same(row.organisation, organisation) or is_same(row.supplier_name, organisation)


def order(snapshot: Snapshot, name: str) -> OrderRow | None:
    """Return an order. None if there is none with this id."""
    found = _orders(snapshot, "WHERE o.id = :name", name=name)
    return found[0] if found else None


def require_order(snapshot: Snapshot, name: str) -> OrderRow:
    """Return an order. Raise InputError for an unknown id, with the most similar ids as a hint."""
    found = order(snapshot, name)
    if found is None:
        raise unknown_order(name, snapshot.column("SELECT id FROM order_line ORDER BY ordinal"))
    return found


def tranche(snapshot: Snapshot, name: str) -> TrancheRow | None:
    """Return a delivery of an order. None if there is none with this id."""
    return one_of(snapshot, TrancheRow, "WHERE t.id = :name", name=name)


def require_tranche(snapshot: Snapshot, name: str) -> TrancheRow:
    """Return a delivery of an order. Raise InputError for an unknown id, with the most similar ids as a hint."""
    found = tranche(snapshot, name)
    if found is None:
        raise unknown_order(name, snapshot.column("SELECT id FROM tranche"), "delivery")
    return found


def order_named(snapshot: Snapshot, subject: str) -> OrderRow:
    """Return the order with this id, or the order of the delivery with this id. Raise InputError for an unknown id."""
    if is_delivery(subject):
        require_tranche(snapshot, subject)
    return require_order(snapshot, order_of(subject))


def require_placed(snapshot: Snapshot, subject: str) -> OrderRow:
    """Return the order of an order's or a delivery's id. Raise NotSatisfiedError if it was not placed yet."""
    found = order_named(snapshot, subject)
    refuse_unplaced(found)
    return found


def refuse_unready_order(snapshot: Snapshot, order: OrderRow) -> None:
    """Raise NotSatisfiedError for an order that cannot be placed now."""
    waits = unmet(predecessors(snapshot, order.id), "start", snapshot.now, order.time_zone)
    refuse_unready(order, waits, snapshot.now, lapsed=order.id in lapsed(snapshot))


def early_order(snapshot: Snapshot, order: OrderRow, why: str) -> str:
    """Return why an order is placed out of sequence. Empty if nothing before it is open.

    Raise NotSatisfiedError for an order that is placed already, or that waits for something while nobody says why.
    """
    is_early = is_unready(order, snapshot.now, lapsed=order.id in lapsed(snapshot))
    if order.placed_at is None and is_early and why.strip():
        return why
    refuse_unready_order(snapshot, order)
    return ""


def plan_currency(snapshot: Snapshot) -> str:
    """Return the currency of the plan in force."""
    (code,) = snapshot.first("SELECT currency FROM plan_revision ORDER BY revision DESC LIMIT 1")
    return currency_code(code)


def budget(snapshot: Snapshot) -> list[BudgetRow]:
    """Return the committed, received and open value by budget line and currency. The cost of expediting is committed too.

    Of an order that was partly received, the same share of its value is received. Different currencies are never added.
    """
    placed = (row for row in orders(snapshot) if row.placed_at is not None)
    lines = grouped(((row.budget_line, row.currency), row) for row in placed)
    return [_budget(*key, rows) for key, rows in sorted(lines.items())]


def changes(snapshot: Snapshot, order: str | None = None) -> list[ChangeRow]:
    """Return change orders, oldest first: all, or those of one order and its deliveries."""
    wanted = _OF_ORDER if order is not None else ""
    return rows_of(snapshot, ChangeRow, f"{wanted} ORDER BY t.id", order=order)


def change(snapshot: Snapshot, name: str) -> ChangeRow | None:
    """Return a change order. None if there is none with this id."""
    return one_of(snapshot, ChangeRow, "WHERE t.id = :name", name=name)


def order_history(snapshot: Snapshot, name: str) -> list[HistoryRow]:
    """Return every event about an order and its deliveries, or about one delivery, oldest first, each as a sentence.

    A new date is shown with the earlier one, and an entry that was taken back says so.
    """
    order_named(snapshot, name)
    found: list[HistoryRow] = []
    promised: dict[str, str] = {}
    for row in snapshot.ask(_HISTORY, name=name):
        seq, happened, person, kind, subject, text, taken_back = row
        at = stamped(happened)
        if at is None:  # somebody appended it by hand; the audit names it
            continue
        payload = fields_of(text)
        said = said_by(kind, payload)
        if payload.get("promised"):
            before = promised.get(subject) or promised.get(subject.partition("/")[0])
            said += f", promised for {payload['promised']}" + (f", before {before}" if before else "")
            if not taken_back:
                promised[subject] = payload["promised"]
        said += f" (taken back by event {taken_back})" if taken_back else ""
        found.append(HistoryRow(seq, at, person, kind, subject, said))
    return found


def said_by(kind: str, payload: Payload) -> str:
    """Return what an event says in words; its kind, if it has no words or lacks what they are made of."""
    try:
        return WORDS[kind](payload)
    except NOT_READ:
        return kind


def serials(snapshot: Snapshot, tranche: str) -> tuple[str, ...]:
    """Return the serial numbers that came with a delivery."""
    found = snapshot.column("SELECT serials FROM delivery WHERE tranche = :tranche ORDER BY seq", tranche=tranche)
    return tuple(serial for came in found for serial in words(came))


def serials_received(snapshot: Snapshot) -> Received:
    """Return every serial number that was received."""
    received: dict[str, tuple[str, str]] = {}
    for tranche, came in snapshot.ask("SELECT tranche, serials FROM delivery ORDER BY seq"):
        received |= {serial.casefold(): (serial, tranche) for serial in words(came)}
    return received


def _order(row: OrderRow, tranches: Sequence[TrancheRow], now: datetime, zone: str) -> OrderRow:
    """Return an order with what follows from its deliveries: its quantity, its state, and whether and by how much it is late."""
    planned = [t for t in tranches if t.in_plan] or tranches
    changed = sum((t.quantity - t.planned_quantity for t in planned), Decimal(0))
    late = latest_delivery(tranches, now, zone) if row.placed_at else None
    found = row._replace(
        quantity=row.quantity + changed,
        ordered=sum((t.ordered for t in tranches), Decimal(0)),
        need_by=row.need_by if late is None else late.need_by,
        state=order_state(row.placed_at, tranches),
        late=is_order_late(now, row.order_by, row.placed_at, tranches, zone),
        tranches=tuple(tranches),
        time_zone=zone,
        late_delivery=late,
        days_overdue=max((days_overdue(t, now, zone) for t in tranches), default=0),
    )
    return found._replace(days_late=order_days_late(found, now))


def _budget(line: str, currency: str, rows: Sequence[OrderRow]) -> BudgetRow:
    committed = received = Decimal(0)
    for row in rows:
        whole = (row.value or Decimal(0)) + row.expedite_cost
        came = sum((t.received_quantity for t in row.tranches), Decimal(0))
        committed += whole
        received += share(whole, came, row.ordered)
    unpriced = sum(row.value is None for row in rows)
    return BudgetRow(line, currency, len(rows), unpriced, committed, received, committed - received)
