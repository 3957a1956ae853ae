"""Orders placed, dates promised, deliveries received."""

from __future__ import annotations

from datetime import date

from sqlalchemy import select
from sqlmodel import col

from ledger import payloads as say
from ledger.events import Event
from ledger.projector.base import Handler, Projection
from ledger.refresh import refresh
from ledger.tables import Delivery, OrderLine, Tranche


def _placed(p: Projection, event: Event, payload: say.OrderPlaced) -> None:
    order = p.session.get_one(OrderLine, event.subject)
    order.placed_at = event.effective_at
    order.placed_by = event.actor
    order.supplier_name = payload.supplier
    order.reference = payload.reference
    if payload.promised is not None:
        _promise(p, order, payload.promised)
    p.session.flush()
    refresh(p.session, [order.id])


def _promised(p: Projection, event: Event, payload: say.OrderPromised) -> None:
    subject = event.subject
    if "/" in subject.partition("#")[2]:
        p.session.get_one(Tranche, subject).promised = payload.promised
    else:
        _promise(p, p.session.get_one(OrderLine, subject), payload.promised)


def _promise(p: Projection, order: OrderLine, promised: date) -> None:
    """Set the order's date, which is its first delivery's; later deliveries are promised one by one."""
    order.promised = promised
    first = p.session.scalars(
        select(Tranche).where(col(Tranche.order_line) == order.id).order_by(col(Tranche.number))
    ).first()
    if first is not None:
        first.promised = order.promised


def _received(p: Projection, event: Event, payload: say.TrancheReceived) -> None:
    tranche = p.session.get_one(Tranche, event.subject)
    tranche.received_quantity += payload.quantity
    if payload.complete:
        tranche.received_at = event.effective_at
    p.session.add(
        Delivery(
            seq=event.seq,
            tranche=tranche.id,
            quantity=payload.quantity,
            serials=payload.serials,
            note=payload.note,
            person=event.actor,
            at=event.effective_at,
        )
    )
    p.session.flush()
    refresh(p.session, [tranche.id])


HANDLERS: dict[str, Handler] = {
    say.OrderPlaced.kind: _placed,
    say.OrderPromised.kind: _promised,
    say.TrancheReceived.kind: _received,
}
