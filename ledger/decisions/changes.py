"""Change orders: one person asks for another quantity of a delivery or another value of an order, and another one decides.

A change order is also needed in order to keep more than was ordered. If it is refused, the surplus is sent back.
"""

from __future__ import annotations

from datetime import datetime

from ledger.log.chain import Event
from ledger.log.payloads.orders import ChangeAsked, ChangeDecided
from ledger.questions.orders import change, changes, order_named, plan_currency, require_placed, require_tranche
from ledger.questions.records import next_id
from ledger.questions.snapshot import Snapshot
from ledger.rules import orders as rules
from ledger.rules.money import Amount, amount
from ledger.rules.reasons import require_reason
from ledger.rules.rows import ChangeRow, OrderRow
from ledger.writing import Ledger
from steps.errors import InputError


def ask_change(
    ledger: Ledger,
    actor: str,
    subject: str,
    *,
    reason: str,
    quantity: Amount | None = None,
    value: Amount | None = None,
    at: datetime | None = None,
) -> Event:
    """Ask for a change. `subject` is an order or, if the quantity changes, one of its deliveries.

    `quantity` and `value` are the new totals, not what is added. `value` is that of the whole order.
    """
    require_reason(reason, "a change")
    if quantity is None and value is None:
        raise InputError("nothing changes", hint="add --quantity or --value")
    with ledger.write() as writing:
        asked = writing.at(at)
        writing.may(actor, "ask_change", subject)
        order = require_placed(asked, subject)
        wanted = None if quantity is None else amount(quantity, "a quantity")
        if wanted is not None:
            subject = _one_delivery(order, subject)
            rules.refuse_too_few(require_tranche(asked, subject), wanted)
        rules.refuse_second_change(order.id, changes(asked))
        payload = ChangeAsked(
            change=next_id(asked, "change_order", "CO"),
            quantity=wanted,
            value=None if value is None else amount(value, "the value of an order"),
            reason=reason,
        )
        return writing.append(actor, payload, subject=subject, at=asked.now)


def decide_change(
    ledger: Ledger,
    actor: str,
    change_id: str,
    *,
    approve: bool,
    reason: str = "",
    at: datetime | None = None,
) -> Event:
    """Approve a change order or refuse it. The person who asked for it may not decide it."""
    with ledger.write() as writing:
        asked = writing.at(at)
        found = change(asked, change_id)
        if found is None:
            raise InputError(f"there is no change order {change_id!r}", hint="`clusterwright change` lists them")
        role = writing.may(actor, "decide_change", change_id, theirs={found.asked_by})
        rules.refuse_decided(found)
        if not approve:
            require_reason(reason, "a refusal")
        payload = _decision(asked, found, role, approve=approve, reason=reason)
        return writing.append(actor, payload, subject=found.subject, at=asked.now)


def _decision(
    asked: Snapshot,
    found: ChangeRow,
    role: str,
    *,
    approve: bool,
    reason: str,
) -> ChangeDecided:
    """Return the decision with the figures that it replaces. So the person who signs it signs both."""
    order = order_named(asked, found.subject)
    tranche = None if found.quantity is None else require_tranche(asked, found.subject)
    before = None if tranche is None else tranche.quantity
    completes = False
    if approve and tranche is not None and found.quantity is not None:
        rules.refuse_too_few(tranche, found.quantity)
        completes = tranche.received_at is None and tranche.received_quantity == found.quantity
    figures = (("quantity", before, found.quantity), ("value", order.value, found.value))
    changed = [f"{name} {'not known' if was is None else was} to {to}" for name, was, to in figures if to is not None]
    return ChangeDecided(
        change=found.id,
        approved=approve,
        meaning=f"{'approves' if approve else 'refuses'} {found.id} of {found.subject}: {', '.join(changed)}",
        asked_by=found.asked_by,
        quantity=found.quantity,
        quantity_before=before,
        value=found.value,
        value_before=order.value,
        currency=order.currency or plan_currency(asked),
        completes=completes,
        role=role,
        reason=reason,
    )


def _one_delivery(order: OrderRow, subject: str) -> str:
    """Return the delivery that the subject names, or the only one of the order that it names."""
    if subject != order.id:
        return subject
    if len(order.tranches) != 1:
        raise InputError(
            f"{order.id} comes in {len(order.tranches)} deliveries", hint=f"name one, for example {order.id}/1"
        )
    return order.tranches[0].id
