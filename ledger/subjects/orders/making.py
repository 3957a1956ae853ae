"""Payloads about orders: placed, acknowledged, promised, expedited and changed, and the change orders that permit it."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from ledger.questions.moment import Moment
from ledger.questions.orders import (
    change,
    changes,
    early_order,
    order_named,
    plan_currency,
    require_order,
    require_placed,
    require_tranche,
)
from ledger.questions.snapshot import Snapshot
from ledger.rules.rows import ChangeRow, OrderRow
from ledger.rules.text import require_reason
from ledger.rules.version import DATES_AND_TIMES, ITEMS_AND_WAIVERS
from ledger.subjects.again import Named, Tables, about_named, about_supply
from ledger.subjects.orders import rules
from ledger.subjects.orders.money_rules import Amount, amount, currency_code
from ledger.subjects.orders.payloads import (
    ChangeAsked,
    ChangeDecided,
    OrderAcknowledged,
    OrderExpedited,
    OrderPlaced,
    OrderPromised,
)
from schedule.errors import InputError


def placed(
    moment: Moment,
    actor: str,
    order_id: str,
    *,
    promised: date | None = None,
    supplier: str = "",
    reference: str = "",
    value: Amount | None = None,
    currency: str | None = None,
    budget_line: str = "",
    organisation: str = "",
    out_of_sequence: str = "",
) -> OrderPlaced:
    """Return an order that was placed. While the decision that it waits for is open, `out_of_sequence` says why.

    Without `currency`, `value` is in the plan's currency.
    """
    found = require_order(moment.snapshot, order_id)
    moment.may(actor, "order", order_id)
    why_early = early_order(moment.snapshot, found, out_of_sequence)
    _refuse_bad_promise(moment, found, order_id, promised)
    code = ""
    if currency:
        code = currency_code(currency)
    elif value is not None:
        code = plan_currency(moment.snapshot)
    ordered = None
    if moment.rules >= ITEMS_AND_WAIVERS:
        ordered = {one.id: one.quantity for one in found.tranches if one.in_plan == found.in_plan}
    return OrderPlaced(
        promised=promised,
        supplier=supplier,
        reference=reference,
        value=None if value is None else amount(value, "the value of an order"),
        currency=code,
        budget_line=" ".join(budget_line.split()),
        organisation=organisation.strip(),
        out_of_sequence=why_early,
        ordered=ordered,
    )


def acknowledged(
    moment: Moment,
    actor: str,
    order_id: str,
    *,
    on: date,
    reference: str,
    promised: date | None = None,
) -> OrderAcknowledged:
    """Return the supplier's acceptance of an order. `reference` is the supplier's own."""
    if not reference.strip():
        raise InputError("an acknowledgement needs the supplier's reference", hint="add --reference")
    found = _reported(moment, actor, "acknowledge", order_id)
    rules.refuse_ahead(on, "acknowledged", moment.latest_day)
    if moment.rules >= DATES_AND_TIMES:
        rules.refuse_before_order(found, on, "acknowledged")
    _refuse_bad_promise(moment, found, order_id, promised, made_on=on)
    return OrderAcknowledged(on=on, reference=reference.strip(), promised=promised)


def promised_anew(
    moment: Moment,
    actor: str,
    order_id: str,
    promised: date,
    *,
    reason: str,
) -> OrderPromised:
    """Return another promised date of an order or of one of its deliveries."""
    require_reason(reason, "a changed delivery date")
    found = _reported(moment, actor, "promise", order_id)
    _refuse_bad_promise(moment, found, order_id, promised)
    return OrderPromised(promised=promised, reason=reason)


def _refuse_bad_promise(
    moment: Moment,
    order: OrderRow,
    subject: str,
    day: date | None,
    *,
    made_on: date | None = None,
) -> None:
    """Raise for a promise of what is here already, or of a day that was over when it was made: on `made_on`, or when it happened."""
    if day is None or moment.rules < DATES_AND_TIMES:
        return
    rules.refuse_past_promise(subject, day, min(moment.day, made_on or moment.day))
    promised = [tranche for tranche in order.tranches if subject in {tranche.id, order.id}]
    rules.refuse_promise_of_received(subject, promised)


def expedited(
    moment: Moment,
    actor: str,
    order_id: str,
    *,
    reason: str,
    cost: Amount = 0,
    currency: str | None = None,
) -> OrderExpedited:
    """Return that an order or a delivery is expedited, with the cost in the currency of the order."""
    require_reason(reason, "expediting")
    found = _reported(moment, actor, "expedite", order_id)
    code = currency_code(currency) if currency else found.currency or plan_currency(moment.snapshot)
    if found.currency and code != found.currency:
        raise InputError(f"{found.id} is in {found.currency}, not {code}")
    return OrderExpedited(reason=reason, cost=amount(cost, "the cost of expediting"), currency=code)


def _reported(moment: Moment, actor: str, action: str, order_id: str) -> OrderRow:
    """Return a placed order on which the actor may report."""
    found = require_placed(moment.snapshot, order_id)
    moment.may(actor, action, order_id, organisation=found.organisation)
    return found


def change_subject(moment: Moment, subject: str, quantity: Amount | None) -> str:
    """Return what a change is about. A changed quantity of an order with one delivery is about that delivery."""
    order = require_placed(moment.snapshot, subject)
    if quantity is None or subject != order.id:
        return subject
    if len(order.tranches) != 1:
        raise InputError(
            f"{order.id} comes in {len(order.tranches)} deliveries", hint=f"name one, for example {order.id}/1"
        )
    return order.tranches[0].id


def change_asked(
    moment: Moment,
    actor: str,
    subject: str,
    *,
    reason: str,
    quantity: Amount | None,
    value: Amount | None,
) -> ChangeAsked:
    """Return a request to change an order or a delivery. `subject` is what `change_subject` returned."""
    if change_subject(moment, subject, quantity) != subject:
        raise InputError(f"a changed quantity is that of a delivery, not of {subject}")
    require_reason(reason, "a change")
    if quantity is None and value is None:
        raise InputError("nothing changes", hint="add --quantity or --value")
    moment.may(actor, "ask_change", subject)
    order = require_placed(moment.snapshot, subject)
    wanted = None if quantity is None else amount(quantity, "a quantity")
    if wanted is not None:
        rules.refuse_too_few(require_tranche(moment.snapshot, subject), wanted)
        if moment.rules >= ITEMS_AND_WAIVERS:
            rules.refuse_fraction(order, wanted)
    rules.refuse_second_change(order.id, changes(moment.snapshot))
    asked_in: str | None = None
    if value is not None and moment.rules >= ITEMS_AND_WAIVERS:
        asked_in = order.currency or plan_currency(moment.snapshot)
    return ChangeAsked(
        change=moment.next_id("change_order"),
        quantity=wanted,
        value=None if value is None else amount(value, "the value of an order"),
        reason=reason,
        asked_in=asked_in,
    )


def _asked_change(snapshot: Snapshot, change_id: str) -> ChangeRow:
    """Return a change order. Raise InputError for an unknown id."""
    found = change(snapshot, change_id)
    if found is None:
        raise InputError(f"there is no change order {change_id!r}", hint="`clusterwright change` lists them")
    return found


CHANGE = Named("change", _asked_change, "subject")
"""A change order. The decision about it is about the order or the delivery."""


def change_decided(
    moment: Moment,
    actor: str,
    found: ChangeRow,
    *,
    approved: bool,
    reason: str = "",
) -> ChangeDecided:
    """Return the decision to approve a change order or to refuse it. The person who asked for it may not decide it.

    The decision has the figures that it replaces. So the person who signs it signs both.
    """
    role = moment.may(actor, "decide_change", found.id, theirs={found.asked_by})
    rules.refuse_decided(found)
    if not approved:
        require_reason(reason, "a refusal")
    order = order_named(moment.snapshot, found.subject)
    before: Decimal | None = None
    planned: Decimal | None = None
    completes = False
    if found.quantity is not None:
        tranche = require_tranche(moment.snapshot, found.subject)
        before = tranche.ordered
        if moment.rules >= ITEMS_AND_WAIVERS:
            planned = tranche.planned_quantity
        if approved:
            rules.refuse_too_few(tranche, found.quantity)
            completes = tranche.received_at is None and tranche.received_quantity == found.quantity
    figures = (("quantity", before, found.quantity), ("value", order.value, found.value))
    changed = [f"{name} {'not known' if was is None else was} to {to}" for name, was, to in figures if to is not None]
    return ChangeDecided(
        change=found.id,
        approved=approved,
        meaning=f"{'approves' if approved else 'refuses'} {found.id} of {found.subject}: {', '.join(changed)}",
        asked_by=found.asked_by,
        quantity=found.quantity,
        quantity_before=before,
        value=found.value,
        value_before=order.value,
        currency=found.currency or plan_currency(moment.snapshot),
        completes=completes,
        role=role,
        reason=reason,
        planned=planned,
    )


AGAIN: Tables = {
    OrderPlaced: about_supply(placed),
    OrderAcknowledged: about_supply(acknowledged),
    OrderPromised: about_supply(promised_anew),
    OrderExpedited: about_supply(expedited),
    ChangeAsked: about_supply(change_asked),
    ChangeDecided: about_named(CHANGE, change_decided),
}
