"""Decisions about orders: place, acknowledge and expedite them, and record promised delivery dates."""

from __future__ import annotations

from datetime import date, datetime

from ledger.log.chain import Event
from ledger.making import orders as made
from ledger.rules.money import Amount
from ledger.writing import Ledger


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
    out_of_sequence: str = "",
    at: datetime | None = None,
) -> Event:
    """Record that an order was placed. While the decision that it waits for is open, say why in `out_of_sequence`.

    Without `currency`, `value` is in the plan's currency.
    """
    terms = made.Terms(
        promised,
        supplier_name,
        reference,
        value,
        currency,
        budget_line,
        organisation,
        out_of_sequence,
    )
    with ledger.write() as writing:
        moment = writing.moment(at)
        payload = made.placed(moment, actor, order_id, terms)
        return writing.record(moment, actor, payload, subject=order_id)


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
    with ledger.write() as writing:
        moment = writing.moment(at)
        payload = made.acknowledged(
            moment,
            actor,
            order_id,
            on=on,
            reference=reference,
            promised=promised,
        )
        return writing.record(moment, actor, payload, subject=order_id)


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
    with ledger.write() as writing:
        moment = writing.moment(at)
        payload = made.promised(moment, actor, order_id, promised, reason)
        return writing.record(moment, actor, payload, subject=order_id)


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
    with ledger.write() as writing:
        moment = writing.moment(at)
        payload = made.expedited(
            moment,
            actor,
            order_id,
            reason=reason,
            cost=cost,
            currency=currency,
        )
        return writing.record(moment, actor, payload, subject=order_id)
