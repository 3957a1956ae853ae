"""Orders placed, acknowledged and changed; dates promised; deliveries shipped and received."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from sqlalchemy import bindparam, select
from sqlmodel import col

from ledger import payloads as say
from ledger.events import Event
from ledger.projector.base import Handler, Projection
from ledger.projector.signing import open_ncr
from ledger.refresh import refresh
from ledger.tables import Activity, ChangeOrder, Delivery, EvidenceItem, OrderLine, Tranche


def _placed(p: Projection, event: Event, payload: say.OrderPlaced) -> None:
    order = p.row(OrderLine, event.subject)
    order.placed_at = event.effective_at
    order.placed_by = event.actor
    order.supplier_name = payload.supplier
    order.reference = payload.reference
    order.value = payload.value
    order.currency = payload.currency
    order.budget_line = payload.budget_line
    order.organisation = payload.organisation or order.organisation
    if payload.promised is not None:
        _promise(p, order, payload.promised)
    refresh(p.unflushed, [order.id])


def _acknowledged(p: Projection, event: Event, payload: say.OrderAcknowledged) -> None:
    order = p.row(OrderLine, event.subject)
    order.acknowledged = payload.on
    order.acknowledgement = payload.reference
    if payload.promised is not None:
        _promise(p, order, payload.promised)


def _promised(p: Projection, event: Event, payload: say.OrderPromised) -> None:
    subject = event.subject
    if "/" in subject.partition("#")[2]:
        p.row(Tranche, subject).promised = payload.promised
    else:
        _promise(p, p.row(OrderLine, subject), payload.promised)


_FIRST = (
    select(col(Tranche.id)).where(col(Tranche.order_line) == bindparam("order")).order_by(col(Tranche.number)).limit(1)
)


def _promise(p: Projection, order: OrderLine, promised: date) -> None:
    """Set the order's date, which is its first delivery's; later deliveries are promised one by one."""
    order.promised = promised
    first = p.unflushed.scalars(_FIRST, {"order": order.id}).first()
    if first is not None:
        p.row(Tranche, first).promised = order.promised


def _expedited(p: Projection, event: Event, payload: say.OrderExpedited) -> None:
    order = p.row(OrderLine, order_of(event.subject))
    order.expedite_cost += payload.cost
    order.currency = order.currency or payload.currency


def _shipped(p: Projection, event: Event, payload: say.TrancheShipped) -> None:
    tranche = p.row(Tranche, event.subject)
    tranche.shipped = payload.shipped
    tranche.carrier = payload.carrier
    tranche.tracking = payload.tracking
    tranche.handling = payload.handling


def _received(p: Projection, event: Event, payload: say.TrancheReceived) -> None:
    tranche = p.row(Tranche, event.subject)
    tranche.received_quantity += payload.quantity
    if payload.complete and tranche.received_at is None:
        tranche.received_at = event.effective_at
    p.keep(
        Delivery,
        seq=event.seq,
        tranche=tranche.id,
        quantity=payload.quantity,
        serials=payload.serials,
        note=payload.note,
        person=event.actor,
        at=event.effective_at,
    )
    _keep(p, event, payload)
    refresh(p.unflushed, [tranche.id])


def _keep(p: Projection, event: Event, payload: say.TrancheReceived) -> None:
    """Lay the manifest and the scan on the table of the order's activity, and open its non-conformance."""
    activity = event.subject.partition("#")[0]
    for ordinal, file in enumerate(left for left in (payload.manifest, payload.scan) if left is not None):
        p.keep(
            EvidenceItem,
            seq=event.seq,
            ordinal=ordinal,
            activity=activity,
            attempt=p.activity(activity).attempt,
            kind=file.evidence,
            name=file.name,
            digest=file.digest,
            size=file.size,
            person=event.actor,
            at=event.effective_at,
        )
    if payload.ncr is not None:
        open_ncr(p, replace(event, subject=activity), ncr=payload.ncr, ncr_class=payload.ncr_class, reason=payload.note)


def _change_asked(p: Projection, event: Event, payload: say.ChangeAsked) -> None:
    p.session.add(
        ChangeOrder(
            id=payload.change,
            subject=event.subject,
            quantity=payload.quantity,
            value=payload.value,
            reason=payload.reason,
            asked_by=event.actor,
            asked_at=event.effective_at,
        )
    )


def _change_decided(p: Projection, event: Event, payload: say.ChangeDecided) -> None:
    change = p.row(ChangeOrder, payload.change)
    change.approved = payload.approved
    change.decided_by = event.actor
    change.decided_at = event.effective_at
    change.role = payload.role
    change.comment = payload.reason
    if not payload.approved:
        return
    if payload.value is not None:
        order = p.row(OrderLine, order_of(event.subject))
        order.value = payload.value
        order.currency = payload.currency
    if payload.quantity is not None:
        tranche = p.row(Tranche, event.subject)
        tranche.contracted = payload.quantity
        if payload.completes and tranche.received_at is None:
            tranche.received_at = event.effective_at
        refresh(p.unflushed, [tranche.id])


def _organisation(p: Projection, event: Event, payload: say.OrganisationAssigned) -> None:
    """Give it to an organisation; who it was given to before is asked no more."""
    if "#" in event.subject:
        p.row(OrderLine, event.subject).organisation = payload.organisation
        return
    row = p.row(Activity, event.subject)
    row.organisation = payload.organisation
    row.assignee = None


def order_of(subject: str) -> str:
    """Give the order that an order's or a delivery's id names."""
    head, mark, tail = subject.partition("#")
    return f"{head}{mark}{tail.partition('/')[0]}"


HANDLERS: dict[str, Handler] = {
    say.OrderPlaced.kind: _placed,
    say.OrderPromised.kind: _promised,
    say.TrancheReceived.kind: _received,
    say.OrderAcknowledged.kind: _acknowledged,
    say.OrderExpedited.kind: _expedited,
    say.TrancheShipped.kind: _shipped,
    say.ChangeAsked.kind: _change_asked,
    say.ChangeDecided.kind: _change_decided,
    say.OrganisationAssigned.kind: _organisation,
}
