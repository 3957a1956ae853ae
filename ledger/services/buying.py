"""Orders placed, delivery dates promised, deliveries received."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal

from sqlalchemy import select
from sqlmodel import col

from ledger.database import Ledger
from ledger.events import Event
from ledger.payloads import OrderPlaced, OrderPromised, TrancheReceived
from ledger.services.blocked import refuse_order
from ledger.tables import OrderLine, Tranche
from ledger.writing import Writing
from steps.errors import InputError, NotSatisfiedError


def order(
    ledger: Ledger,
    actor: str,
    order_id: str,
    *,
    promised: date | None = None,
    supplier_name: str = "",
    reference: str = "",
    at: datetime | None = None,
) -> Event:
    """Record that an order went out; refused while the decision it waits for is open."""
    with ledger.write() as writing:
        writing.known(actor)
        held = _order(writing, order_id)
        if held.placed_at is not None:
            raise NotSatisfiedError(
                f"{order_id} was placed on {held.placed_at:%Y-%m-%d}",
                hint="`clusterwright promise` records another delivery date",
            )
        refuse_order(writing, held, writing.when(at))
        payload = OrderPlaced(promised=promised, supplier=supplier_name, reference=reference)
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
        writing.known(actor)
        subject = order_id
        if "/" in order_id.partition("#")[2]:
            order_id = _tranche(writing, order_id).order_line
        if _order(writing, order_id).placed_at is None:
            raise NotSatisfiedError(f"{order_id} is not placed yet; nobody promised anything")
        payload = OrderPromised(promised=promised, reason=reason)
        return writing.append(actor, payload, subject=subject, at=at)


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
        writing.known(actor)
        tranche = _tranche(writing, tranche_id)
        placed = _order(writing, tranche.order_line).placed_at
        if placed is None:
            raise NotSatisfiedError(
                f"{tranche.order_line} is not placed; nothing can arrive",
                hint=f"clusterwright order '{tranche.order_line}'",
            )
        if writing.when(at) < placed:
            raise InputError(f"{tranche.order_line} was placed only at {placed:%Y-%m-%d %H:%M}Z")
        outstanding = tranche.quantity - tranche.received_quantity
        if tranche.received_at is not None:
            raise NotSatisfiedError(f"{tranche_id} is received in full already")
        amount = outstanding if quantity is None else Decimal(str(quantity))
        _refuse_amount(tranche_id, amount, outstanding, serials)
        payload = TrancheReceived(
            quantity=amount,
            serials=tuple(serials),
            note=note,
            complete=amount == outstanding,
        )
        return writing.append(actor, payload, subject=tranche_id, at=at)


def _refuse_amount(tranche: str, amount: Decimal, outstanding: Decimal, serials: Sequence[str]) -> None:
    if not 0 < amount <= outstanding:
        raise InputError(f"{tranche}: {outstanding} outstanding, so not {amount}")
    if len(set(serials)) != len(serials):
        raise InputError(f"{tranche}: a serial number is there twice")
    if serials and len(serials) > amount:
        raise InputError(f"{tranche}: {len(serials)} serial numbers for {amount} received")


def _order(writing: Writing, name: str) -> OrderLine:
    held = writing.session.get(OrderLine, name)
    if held is None:
        raise _unknown(name, "order", list(writing.session.scalars(select(col(OrderLine.id)))))
    return held


def _tranche(writing: Writing, name: str) -> Tranche:
    held = writing.session.get(Tranche, name)
    if held is None:
        raise _unknown(name, "delivery", list(writing.session.scalars(select(col(Tranche.id)))))
    return held


def _unknown(name: str, what: str, known: list[str]) -> InputError:
    from difflib import get_close_matches

    near = get_close_matches(name, known, n=3, cutoff=0.4)
    return InputError(
        f"there is no {what} {name!r}",
        hint="did you mean " + ", ".join(near) + "?" if near else "`clusterwright orders` lists them",
    )
