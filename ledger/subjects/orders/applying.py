"""Orders that are placed, acknowledged, expedited and changed, and deliveries that are promised, shipped and received."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from msgspec.json import encode

from ledger.log.chain import Event
from ledger.rules.subjects import is_delivery, order_of
from ledger.rules.version import ITEMS_AND_WAIVERS
from ledger.state.projection import Handlers, Projection
from ledger.subjects.later_words import PROMISED, said_later
from ledger.subjects.orders.payloads import (
    ChangeAsked,
    ChangeDecided,
    OrderAcknowledged,
    OrderExpedited,
    OrderPlaced,
    OrderPromised,
    TrancheReceived,
    TrancheShipped,
)

_FIRST = "SELECT id FROM tranche WHERE order_line = :order ORDER BY number LIMIT 1"
_RECEIVED = "SELECT received_quantity, received_at FROM tranche WHERE id = :id"


def place(p: Projection, event: Event, payload: OrderPlaced) -> None:
    """Note that an order was placed."""
    (organisation,) = p.ids("SELECT organisation FROM order_line WHERE id = :id", id=event.subject)
    p.update(
        "order_line",
        event.subject,
        placed_at=event.effective_at,
        placed_by=event.actor,
        early_because=payload.out_of_sequence,
        supplier_name=payload.supplier,
        reference=payload.reference,
        value=payload.value,
        currency=payload.currency,
        budget_line=payload.budget_line,
        organisation=payload.organisation or organisation,
        ordered=encode(payload.ordered).decode() if payload.ordered is not None else None,
    )
    if payload.promised is not None:
        _promise(p, event, payload.promised)
    p.touch(event.subject)


def acknowledge(p: Projection, event: Event, payload: OrderAcknowledged) -> None:
    """Note that the supplier accepted an order."""
    p.update("order_line", event.subject, acknowledged=payload.on, acknowledgement=payload.reference)
    if payload.promised is not None:
        _promise(p, event, payload.promised)


def promise(p: Projection, event: Event, payload: OrderPromised) -> None:
    """Note another date for an order, or for one of its deliveries."""
    if is_delivery(event.subject):
        _promise_delivery(p, event, event.subject, payload.promised)
    else:
        _promise(p, event, payload.promised)


def _promise(p: Projection, event: Event, promised: date) -> None:
    """Set the date of an order, which is that of its first delivery. Later deliveries have their own dates."""
    if PROMISED not in said_later(p, event, event.subject):
        p.update("order_line", event.subject, promised=promised)
    for first in p.ids(_FIRST, order=event.subject):
        _promise_delivery(p, event, first, promised)


def _promise_delivery(p: Projection, event: Event, delivery: str, promised: date) -> None:
    """Set the date of a delivery, unless the supplier named another one later. A word on the order is one on its first delivery."""
    (first,) = p.ids(_FIRST, order=order_of(delivery))
    subjects = (delivery, order_of(delivery)) if delivery == first else (delivery,)
    if PROMISED not in said_later(p, event, *subjects):
        p.update("tranche", delivery, promised=promised)


def expedite(p: Projection, event: Event, payload: OrderExpedited) -> None:
    """Add the cost of expediting to the order."""
    order = order_of(event.subject)
    ((cost, currency),) = p.ask("SELECT expedite_cost, currency FROM order_line WHERE id = :id", id=order)
    p.update(
        "order_line",
        order,
        expedite_cost=Decimal(cost) + payload.cost,
        currency=currency or payload.currency,
    )


def ship(p: Projection, event: Event, payload: TrancheShipped) -> None:
    """Note that a delivery left the supplier."""
    p.update(
        "tranche",
        event.subject,
        shipped=payload.shipped,
        carrier=payload.carrier,
        tracking=payload.tracking,
        handling=payload.handling,
    )


def receive(p: Projection, event: Event, payload: TrancheReceived) -> None:
    """Note what arrived. Manifest and scan become evidence, and differences open a non-conformance."""
    tranche, activity = event.subject, event.subject.partition("#")[0]
    ((came, received_at),) = p.ask(_RECEIVED, id=tranche)
    p.update("tranche", tranche, received_quantity=Decimal(came) + payload.quantity)
    if payload.complete and (received_at is None or p.rules >= ITEMS_AND_WAIVERS):
        p.update("tranche", tranche, received_at=event.effective_at)
    p.record("delivery", event, payload, tranche=tranche)
    files = (payload.manifest, payload.scan)
    p.add_evidence(event, activity, *(file for file in files if file is not None))
    p.open_ncr(event, activity, payload, payload.note)
    p.touch(tranche)


def ask_change(p: Projection, event: Event, payload: ChangeAsked) -> None:
    """Add a change order, which waits for a decision."""
    p.record(
        "change_order",
        event,
        payload,
        id=payload.change,
        subject=event.subject,
        asked_by=event.actor,
        asked_at=event.effective_at,
    )


def decide_change(p: Projection, event: Event, payload: ChangeDecided) -> None:
    """Note the decision about a change order. If it is approved, change the order or the delivery."""
    p.update(
        "change_order",
        payload.change,
        approved=payload.approved,
        decided_by=event.actor,
        decided_at=event.effective_at,
        role=payload.role,
        comment=payload.reason,
    )
    if payload.approved and payload.value is not None:
        p.update("order_line", order_of(event.subject), value=payload.value, currency=payload.currency)
    if payload.approved and payload.quantity is not None:
        ((_, received_at),) = p.ask(_RECEIVED, id=event.subject)
        p.update("tranche", event.subject, contracted=payload.quantity, contracted_for=payload.planned)
        if payload.completes and received_at is None:
            p.update("tranche", event.subject, received_at=event.effective_at)
        p.touch(event.subject)


HANDLERS: Handlers = {
    OrderPlaced: place,
    OrderAcknowledged: acknowledge,
    OrderPromised: promise,
    OrderExpedited: expedite,
    TrancheShipped: ship,
    TrancheReceived: receive,
    ChangeAsked: ask_change,
    ChangeDecided: decide_change,
}
