"""Orders placed, acknowledged and expedited; delivery dates promised; deliveries shipped and received."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal

from sqlalchemy import select
from sqlmodel import col

from ledger.database import Ledger
from ledger.events import Event
from ledger.money import amount, currency_code
from ledger.nearest import unknown_order
from ledger.payloads import (
    OrderAcknowledged,
    OrderExpedited,
    OrderPlaced,
    OrderPromised,
    TrancheReceived,
    TrancheShipped,
)
from ledger.services.blocked import refuse_order
from ledger.services.permitting import may
from ledger.tables import Delivery, OrderLine, PlanRevision, Tranche
from ledger.writing import SLACK, Writing
from steps.errors import InputError, NotSatisfiedError


def order(
    ledger: Ledger,
    actor: str,
    order_id: str,
    *,
    promised: date | None = None,
    supplier_name: str = "",
    reference: str = "",
    value: Decimal | int | str | None = None,
    currency: str | None = None,
    budget_line: str = "",
    organisation: str = "",
    at: datetime | None = None,
) -> Event:
    """Record that an order went out; refused while the decision it waits for is open.

    Without a currency the value is in the plan's.
    """
    with ledger.write() as writing:
        held = order_line(writing, order_id)
        may(writing, actor, "order", order_id)
        if held.placed_at is not None:
            raise NotSatisfiedError(
                f"{order_id} was placed on {held.placed_at:%Y-%m-%d}",
                hint="`clusterwright promise` records another delivery date, `change request` another value",
            )
        refuse_order(writing, held, writing.when(at))
        payload = OrderPlaced(
            promised=promised,
            supplier=supplier_name,
            reference=reference,
            value=None if value is None else amount(value, "the value of an order"),
            currency="" if value is None and currency is None else _currency(writing, currency),
            budget_line=" ".join(budget_line.split()),
            organisation=organisation.strip(),
        )
        return writing.append(actor, payload, subject=order_id, at=at)


def acknowledge(
    ledger: Ledger,
    actor: str,
    order_id: str,
    *,
    on: date,
    reference: str,
    promised: date | None = None,
    at: datetime | None = None,
) -> Event:
    """Record that the supplier accepted an order, under its own reference."""
    if not reference.strip():
        raise InputError("an acknowledgement has the supplier's reference", hint="give --reference")
    with ledger.write() as writing:
        held = placed(writing, order_id)
        may(writing, actor, "acknowledge", order_id, row=held)
        _refuse_ahead(writing, on, "acknowledged")
        payload = OrderAcknowledged(on=on, reference=reference.strip(), promised=promised)
        return writing.append(actor, payload, subject=order_id, at=at)


def promise(
    ledger: Ledger,
    actor: str,
    order_id: str,
    promised: date,
    *,
    reason: str,
    at: datetime | None = None,
) -> Event:
    """Record another delivery date for an order, or for one delivery of it."""
    if not reason.strip():
        raise InputError("a changed delivery date needs a reason", hint="give --reason")
    with ledger.write() as writing:
        held = placed(writing, order_id)
        may(writing, actor, "promise", order_id, row=held)
        payload = OrderPromised(promised=promised, reason=reason)
        return writing.append(actor, payload, subject=order_id, at=at)


def expedite(
    ledger: Ledger,
    actor: str,
    order_id: str,
    *,
    reason: str,
    cost: Decimal | int | str = 0,
    currency: str | None = None,
    at: datetime | None = None,
) -> Event:
    """Record that an order, or one delivery of it, is pressed for, and what that costs in the order's currency."""
    if not reason.strip():
        raise InputError("expediting needs a reason", hint="give --reason")
    with ledger.write() as writing:
        held = placed(writing, order_id)
        may(writing, actor, "expedite", order_id, row=held)
        code = currency_code(currency) if currency else held.currency or _currency(writing, None)
        if held.currency and code != held.currency:
            raise InputError(f"{held.id} is in {held.currency}, not {code}")
        payload = OrderExpedited(reason=reason, cost=amount(cost, "the cost of expediting"), currency=code)
        return writing.append(actor, payload, subject=order_id, at=at)


def ship(
    ledger: Ledger,
    actor: str,
    tranche_id: str,
    *,
    shipped: date,
    carrier: str,
    tracking: str = "",
    handling: str = "",
    at: datetime | None = None,
) -> Event:
    """Record that a delivery left the supplier, and what its tilt and shock indicators are to show."""
    if not carrier.strip():
        raise InputError("a shipment has a carrier", hint="give --carrier")
    with ledger.write() as writing:
        tranche = delivery(writing, tranche_id)
        held = placed(writing, tranche_id)
        may(writing, actor, "ship", tranche_id, row=held)
        if outstanding(tranche) <= 0:
            raise NotSatisfiedError(f"{tranche_id} is received in full already")
        _refuse_ahead(writing, shipped, "shipped")
        payload = TrancheShipped(shipped=shipped, carrier=carrier, tracking=tracking, handling=handling)
        return writing.append(actor, payload, subject=tranche_id, at=at)


def receive(
    ledger: Ledger,
    actor: str,
    tranche_id: str,
    quantity: Decimal | float | None = None,
    *,
    serials: Sequence[str] = (),
    note: str = "",
    at: datetime | None = None,
) -> Event:
    """Record a delivery, all that is outstanding if no quantity is given; complete, it releases work."""
    with ledger.write() as writing:
        tranche = receivable(writing, actor, tranche_id, at)
        left = outstanding(tranche)
        came = left if quantity is None else Decimal(str(quantity))
        _refuse_serials(writing, tranche_id, came, serials)
        refuse_surplus(tranche, came)
        payload = TrancheReceived(
            quantity=came,
            serials=tuple(serials),
            note=note,
            complete=came == left,
            manifest=None,
            scan=None,
            differences=(),
            ncr=None,
            ncr_class="",
        )
        return writing.append(actor, payload, subject=tranche_id, at=at)


def receivable(writing: Writing, actor: str, tranche_id: str, at: datetime | None) -> Tranche:
    """Give a delivery of which something may arrive."""
    may(writing, actor, "receive", tranche_id)
    tranche = delivery(writing, tranche_id)
    placed_at = order_line(writing, tranche.order_line).placed_at
    if placed_at is None:
        raise NotSatisfiedError(
            f"{tranche.order_line} is not placed; nothing can arrive",
            hint=f"clusterwright order '{tranche.order_line}'",
        )
    if writing.when(at) < placed_at:
        raise InputError(f"{tranche.order_line} was placed only at {placed_at:%Y-%m-%d %H:%M}Z")
    if outstanding(tranche) <= 0:
        raise NotSatisfiedError(f"{tranche_id} is received in full already", hint=_surplus_hint(tranche_id))
    return tranche


def ordered(tranche: Tranche) -> Decimal:
    """Give the quantity in force: what a change order set, else what the plan says."""
    return tranche.quantity if tranche.contracted is None else tranche.contracted


def outstanding(tranche: Tranche) -> Decimal:
    """Give how many have not come."""
    return ordered(tranche) - tranche.received_quantity


def refuse_surplus(tranche: Tranche, came: Decimal) -> None:
    """Refuse more than is outstanding: keeping it is a decision, and a change order records it."""
    left = outstanding(tranche)
    if not 0 < came <= left:
        hint = _surplus_hint(tranche.id) if came > left else ""
        raise InputError(f"{tranche.id}: {left} outstanding, so not {came}", hint=hint)


def _surplus_hint(tranche: str) -> str:
    return f"send it back, or keep it by decision: clusterwright change request '{tranche}' --quantity N --reason WHY"


def serials_received(writing: Writing) -> dict[str, tuple[str, str]]:
    """Give every serial number received, folded, as it was written and with the delivery it came in."""
    found = writing.session.execute(select(col(Delivery.tranche), col(Delivery.serials)).order_by(col(Delivery.seq)))
    return {serial.casefold(): (serial, tranche) for tranche, serials in found for serial in serials}


def _refuse_serials(writing: Writing, tranche: str, came: Decimal, serials: Sequence[str]) -> None:
    if not serials:
        return
    if len({s.casefold() for s in serials}) != len(serials):
        raise InputError(f"{tranche}: a serial number is there twice")
    if len(serials) > came:
        raise InputError(f"{tranche}: {len(serials)} serial numbers for {came} received")
    there = serials_received(writing)
    again = [f"{s} (in {there[s.casefold()][1]})" for s in serials if s.casefold() in there]
    if again:
        raise InputError(f"{tranche}: received already: {', '.join(again[:20])}")


def placed(writing: Writing, subject: str) -> OrderLine:
    """Give the placed order that an order's or a delivery's id names."""
    held = order_named(writing, subject)
    if held.placed_at is None:
        raise NotSatisfiedError(
            f"{held.id} is not placed yet; nobody promised anything", hint=f"clusterwright order '{held.id}'"
        )
    return held


def order_named(writing: Writing, subject: str) -> OrderLine:
    """Give the order that an order's or a delivery's id names."""
    is_delivery = "/" in subject.partition("#")[2]
    return order_line(writing, delivery(writing, subject).order_line if is_delivery else subject)


def _refuse_ahead(writing: Writing, day: date, what: str) -> None:
    if day > (writing.when(None) + SLACK).date():
        raise InputError(f"it cannot have been {what} on {day}: that day has not come")


def _currency(writing: Writing, given: str | None) -> str:
    """Give a currency's code, the plan's where none is given."""
    return currency_code(given) if given else plan_currency(writing)


def plan_currency(writing: Writing) -> str:
    """Give the currency of the plan in force."""
    revision = select(col(PlanRevision.currency)).order_by(col(PlanRevision.revision).desc()).limit(1)
    return currency_code(writing.session.execute(revision).scalar_one())


def order_line(writing: Writing, name: str) -> OrderLine:
    """Give an order; an unknown id is the caller's mistake, with the nearest named."""
    held = writing.session.get(OrderLine, name)
    if held is None:
        raise unknown_order(name, list(writing.session.scalars(select(col(OrderLine.id)))))
    return held


def delivery(writing: Writing, name: str) -> Tranche:
    """Give a delivery of an order, in the same way."""
    held = writing.session.get(Tranche, name)
    if held is None:
        raise unknown_order(name, list(writing.session.scalars(select(col(Tranche.id)))), "delivery")
    return held
