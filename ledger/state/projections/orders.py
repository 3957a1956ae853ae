"""Orders placed, acknowledged and changed; dates promised; deliveries shipped and received."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING

from ledger.log.payloads.orders import (
    ChangeAsked,
    ChangeDecided,
    OrderAcknowledged,
    OrderExpedited,
    OrderPlaced,
    OrderPromised,
    TrancheReceived,
    TrancheShipped,
)
from ledger.state.projection import Handler, Projection

if TYPE_CHECKING:
    from ledger.log.chain import Event

_FIRST = "SELECT id FROM tranche WHERE order_line = :order ORDER BY number LIMIT 1"
_RECEIVED = "SELECT received_quantity, received_at FROM tranche WHERE id = :id"


def order_of(subject: str) -> str:
    """Return the id of the order that an order's or a delivery's id names."""
    head, mark, tail = subject.partition("#")
    return f"{head}{mark}{tail.partition('/')[0]}"


def place(p: Projection, event: Event, payload: OrderPlaced) -> None:
    """Keep that an order was placed."""
    ((organisation,),) = p.ask("SELECT organisation FROM order_line WHERE id = :id", id=event.subject)
    p.update(
        "order_line",
        event.subject,
        placed_at=event.effective_at,
        placed_by=event.actor,
        supplier_name=payload.supplier,
        reference=payload.reference,
        value=payload.value,
        currency=payload.currency,
        budget_line=payload.budget_line,
        organisation=payload.organisation or organisation,
    )
    if payload.promised is not None:
        _promise(p, event.subject, payload.promised)
    p.touch(event.subject)


def acknowledge(p: Projection, event: Event, payload: OrderAcknowledged) -> None:
    """Keep that the supplier accepted an order."""
    p.update("order_line", event.subject, acknowledged=payload.on, acknowledgement=payload.reference)
    if payload.promised is not None:
        _promise(p, event.subject, payload.promised)


def promise(p: Projection, event: Event, payload: OrderPromised) -> None:
    """Keep another date for an order, or for one delivery of it."""
    if "/" in event.subject.partition("#")[2]:
        p.update("tranche", event.subject, promised=payload.promised)
    else:
        _promise(p, event.subject, payload.promised)


def _promise(p: Projection, order: str, promised: date) -> None:
    """Set the order's date, which is its first delivery's. Later deliveries are promised one by one."""
    p.update("order_line", order, promised=promised)
    for (first,) in p.ask(_FIRST, order=order):
        p.update("tranche", first, promised=promised)


def expedite(p: Projection, event: Event, payload: OrderExpedited) -> None:
    """Add what it costs that an order comes sooner."""
    order = order_of(event.subject)
    ((cost, currency),) = p.ask("SELECT expedite_cost, currency FROM order_line WHERE id = :id", id=order)
    p.update(
        "order_line",
        order,
        expedite_cost=Decimal(cost) + payload.cost,
        currency=currency or payload.currency,
    )


def ship(p: Projection, event: Event, payload: TrancheShipped) -> None:
    """Keep that a delivery left the supplier."""
    p.update(
        "tranche",
        event.subject,
        shipped=payload.shipped,
        carrier=payload.carrier,
        tracking=payload.tracking,
        handling=payload.handling,
    )


def receive(p: Projection, event: Event, payload: TrancheReceived) -> None:
    """Keep what arrived, with its manifest and scan, and the non-conformance that differences open."""
    tranche = event.subject
    ((came, received_at),) = p.ask(_RECEIVED, id=tranche)
    p.update("tranche", tranche, received_quantity=Decimal(came) + payload.quantity)
    if payload.complete and received_at is None:
        p.update("tranche", tranche, received_at=event.effective_at)
    p.add(
        "delivery",
        seq=event.seq,
        tranche=tranche,
        quantity=payload.quantity,
        serials=payload.serials,
        note=payload.note,
        person=event.actor,
        at=event.effective_at,
    )
    activity = tranche.partition("#")[0]
    files = [file for file in (payload.manifest, payload.scan) if file is not None]
    for ordinal, file in enumerate(files):
        p.add_evidence(event, activity, file, ordinal)
    if payload.ncr is not None:
        p.open_ncr(
            event,
            activity,
            ncr=payload.ncr,
            ncr_class=payload.ncr_class,
            reason=payload.note,
        )
    p.touch(tranche)


def ask_change(p: Projection, event: Event, payload: ChangeAsked) -> None:
    """Keep a change order that waits for a decision."""
    p.add(
        "change_order",
        id=payload.change,
        subject=event.subject,
        quantity=payload.quantity,
        value=payload.value,
        reason=payload.reason,
        asked_by=event.actor,
        asked_at=event.effective_at,
        approved=None,
        decided_by=None,
        decided_at=None,
        role=None,
        comment="",
    )


def decide_change(p: Projection, event: Event, payload: ChangeDecided) -> None:
    """Keep what was decided about a change order, and change the order."""
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
        p.update("tranche", event.subject, contracted=payload.quantity)
        if payload.completes and received_at is None:
            p.update("tranche", event.subject, received_at=event.effective_at)
        p.touch(event.subject)


HANDLERS: dict[str, tuple[Handler, ...]] = {
    OrderPlaced.kind: (place,),
    OrderAcknowledged.kind: (acknowledge,),
    OrderPromised.kind: (promise,),
    OrderExpedited.kind: (expedite,),
    TrancheShipped.kind: (ship,),
    TrancheReceived.kind: (receive,),
    ChangeAsked.kind: (ask_change,),
    ChangeDecided.kind: (decide_change,),
}
