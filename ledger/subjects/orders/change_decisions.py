"""Change orders: one person asks for another quantity of a delivery or another value of an order, and another one decides.

A change order is also needed in order to keep more than was ordered. If it is refused, the surplus is sent back.
"""

from __future__ import annotations

from ledger.log.chain import Event
from ledger.subjects.orders import making as made
from ledger.subjects.orders.money_rules import Amount
from ledger.subjects.recording import about_named
from ledger.writing import Ledger


def ask_change(
    ledger: Ledger,
    actor: str,
    subject: str,
    *,
    reason: str,
    quantity: Amount | None = None,
    value: Amount | None = None,
) -> Event:
    """Ask for a change. `subject` is an order or, if the quantity changes, one of its deliveries.

    `quantity` and `value` are the new totals, not what is added. `value` is that of the whole order.
    """
    with ledger.write() as writing:
        moment = writing.moment()
        about = made.change_subject(moment, subject, quantity)
        payload = made.change_asked(moment, actor, about, reason=reason, quantity=quantity, value=value)
        return writing.record(moment, actor, payload, subject=about)


decide_change = about_named(made.CHANGE, made.change_decided)
