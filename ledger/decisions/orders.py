"""Decisions about orders: place, acknowledge and expedite them, and record promised delivery dates."""

from __future__ import annotations

from datetime import date, datetime

from ledger.log.chain import Event
from ledger.log.payloads.orders import OrderAcknowledged, OrderExpedited, OrderPlaced, OrderPromised
from ledger.questions.ordering import refuse_unready_order
from ledger.questions.orders import plan_currency, require_order, require_placed
from ledger.rules.money import Amount, amount, currency_code
from ledger.rules.orders import refuse_ahead
from ledger.rules.reasons import require_reason
from ledger.writing import Ledger
from steps.errors import InputError


def order(
    ledger: Ledger,
    actor: str,
    order_id: str,
    *,
    promised: date | None = None,
    supplier_name: str = "",
    reference: str = "",
    value: Amount | None = None,
    currency: str | None = None,
    budget_line: str = "",
    organisation: str = "",
    at: datetime | None = None,
) -> Event:
    """Record that an order was placed. Raise NotSatisfiedError while the decision that it waits for is open.

    Without `currency`, `value` is in the plan's currency.
    """
    with ledger.write() as writing:
        asked = writing.at(at)
        found = require_order(asked, order_id)
        writing.may(actor, "order", order_id)
        refuse_unready_order(asked, found)
        is_priced = value is not None or currency is not None
        payload = OrderPlaced(
            promised=promised,
            supplier=supplier_name,
            reference=reference,
            value=None if value is None else amount(value, "the value of an order"),
            currency=(currency_code(currency) if currency else plan_currency(asked)) if is_priced else "",
            budget_line=" ".join(budget_line.split()),
            organisation=organisation.strip(),
        )
        return writing.append(actor, payload, subject=order_id, at=asked.now)


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
    """Record that the supplier accepted an order. `reference` is the supplier's own."""
    if not reference.strip():
        raise InputError("an acknowledgement needs the supplier's reference", hint="add --reference")
    with ledger.write() as writing:
        asked = writing.at(at)
        found = require_placed(asked, order_id)
        writing.may(actor, "acknowledge", order_id, organisation=found.organisation)
        refuse_ahead(on, "acknowledged", writing.latest_day)
        payload = OrderAcknowledged(on=on, reference=reference.strip(), promised=promised)
        return writing.append(actor, payload, subject=order_id, at=asked.now)


def promise(
    ledger: Ledger,
    actor: str,
    order_id: str,
    promised: date,
    *,
    reason: str,
    at: datetime | None = None,
) -> Event:
    """Record another promised date for an order, or for one of its deliveries."""
    require_reason(reason, "a changed delivery date")
    with ledger.write() as writing:
        asked = writing.at(at)
        found = require_placed(asked, order_id)
        writing.may(actor, "promise", order_id, organisation=found.organisation)
        payload = OrderPromised(promised=promised, reason=reason)
        return writing.append(actor, payload, subject=order_id, at=asked.now)


def expedite(
    ledger: Ledger,
    actor: str,
    order_id: str,
    *,
    reason: str,
    cost: Amount = 0,
    currency: str | None = None,
    at: datetime | None = None,
) -> Event:
    """Record that an order, or one of its deliveries, is expedited, and its cost in the currency of the order."""
    require_reason(reason, "expediting")
    with ledger.write() as writing:
        asked = writing.at(at)
        found = require_placed(asked, order_id)
        writing.may(actor, "expedite", order_id, organisation=found.organisation)
        code = currency_code(currency) if currency else found.currency or plan_currency(asked)
        if found.currency and code != found.currency:
            raise InputError(f"{found.id} is in {found.currency}, not {code}")
        payload = OrderExpedited(reason=reason, cost=amount(cost, "the cost of expediting"), currency=code)
        return writing.append(actor, payload, subject=order_id, at=asked.now)
