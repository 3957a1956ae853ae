"""Change orders: another quantity of a delivery or value of an order, asked for by one person and decided by another.

Keeping more than was ordered is such a decision too; refused, the surplus goes back.
"""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal

from sqlalchemy import select
from sqlmodel import col

from ledger.database import Ledger
from ledger.events import Event
from ledger.money import amount
from ledger.payloads import ChangeAsked, ChangeDecided
from ledger.services.buying import delivery, order_named, ordered, placed, plan_currency
from ledger.services.permitting import may
from ledger.tables import ChangeOrder, OrderLine, Tranche
from ledger.writing import Writing
from steps.errors import InputError, NotSatisfiedError


def ask_change(
    ledger: Ledger,
    actor: str,
    subject: str,
    *,
    reason: str,
    quantity: Decimal | int | str | None = None,
    value: Decimal | int | str | None = None,
    at: datetime | None = None,
) -> Event:
    """Ask for a change; `subject` is an order or, to change a quantity, one delivery of it.

    Both figures are what is to stand afterwards, not what is added; the value is the whole order's.
    """
    if not reason.strip():
        raise InputError("a change needs a reason", hint="give --reason")
    if quantity is None and value is None:
        raise InputError("nothing changes", hint="give --quantity or --value")
    with ledger.write() as writing:
        may(writing, actor, "ask_change", subject)
        held = placed(writing, subject)
        subject = subject if quantity is None else _one_delivery(writing, held, subject).id
        wanted = None if quantity is None else amount(quantity, "a quantity")
        if wanted is not None:
            _refuse_too_few(delivery(writing, subject), wanted)
        _refuse_second(writing, held.id)
        payload = ChangeAsked(
            change=writing.next_id(ChangeOrder, "CO"),
            quantity=wanted,
            value=None if value is None else amount(value, "the value of an order"),
            reason=reason,
        )
        return writing.append(actor, payload, subject=subject, at=at)


def decide_change(
    ledger: Ledger, actor: str, change_id: str, *, approve: bool, reason: str = "", at: datetime | None = None
) -> Event:
    """Approve a change or refuse it; never by the person who asked for it."""
    with ledger.write() as writing:
        change = writing.session.get(ChangeOrder, change_id)
        if change is None:
            raise InputError(f"there is no change order {change_id!r}", hint="`clusterwright change` lists them")
        role = may(writing, actor, "decide_change", change_id, theirs={change.asked_by})
        if change.approved is not None:
            said = "approved" if change.approved else "refused"
            raise NotSatisfiedError(f"{change_id} was {said} by {change.decided_by}")
        if not approve and not reason.strip():
            raise InputError("a refusal needs a reason", hint="give --reason")
        return writing.append(
            actor, _decision(writing, change, role, approve=approve, reason=reason), subject=change.subject, at=at
        )


def _decision(writing: Writing, change: ChangeOrder, role: str, *, approve: bool, reason: str) -> ChangeDecided:
    """Give the decision with what stood before it, so that whoever signs it signs both."""
    order = order_named(writing, change.subject)
    tranche = None if change.quantity is None else delivery(writing, change.subject)
    before = None if tranche is None else ordered(tranche)
    completes = False
    if approve and tranche is not None and change.quantity is not None:
        _refuse_too_few(tranche, change.quantity)
        completes = tranche.received_at is None and tranche.received_quantity == change.quantity
    said = [
        f"{name} {'not known' if was is None else was} to {to}"
        for name, was, to in (("quantity", before, change.quantity), ("value", order.value, change.value))
        if to is not None
    ]
    return ChangeDecided(
        change=change.id,
        approved=approve,
        meaning=f"{'approves' if approve else 'refuses'} {change.id} of {change.subject}: {', '.join(said)}",
        asked_by=change.asked_by,
        quantity=change.quantity,
        quantity_before=before,
        value=change.value,
        value_before=order.value,
        currency=order.currency or plan_currency(writing),
        completes=completes,
        role=role,
        reason=reason,
    )


def _one_delivery(writing: Writing, held: OrderLine, subject: str) -> Tranche:
    if subject != held.id:
        return delivery(writing, subject)
    found = writing.session.scalars(select(Tranche).where(col(Tranche.order_line) == held.id)).all()
    if len(found) != 1:
        raise InputError(f"{held.id} comes in {len(found)} deliveries", hint=f"which one? as {held.id}/1")
    return found[0]


def _refuse_too_few(tranche: Tranche, wanted: Decimal) -> None:
    if wanted <= 0:
        raise InputError(f"{tranche.id} cannot be for {wanted}", hint="what is not bought is taken out of the plan")
    if wanted < tranche.received_quantity:
        raise NotSatisfiedError(f"{tranche.received_quantity} of {tranche.id} are here; it cannot be for {wanted}")


def _refuse_second(writing: Writing, order: str) -> None:
    waiting = select(ChangeOrder).where(col(ChangeOrder.approved).is_(None))
    for change in writing.session.scalars(waiting).all():
        if change.subject == order or change.subject.startswith(f"{order}/"):
            raise NotSatisfiedError(f"{change.id} of {change.subject} waits for a decision", hint="decide it first")
