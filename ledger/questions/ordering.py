"""Whether an order can be placed now, in sequence or out of it."""

from __future__ import annotations

from ledger.questions.case import lapsed
from ledger.questions.links import predecessors
from ledger.questions.snapshot import Snapshot
from ledger.rules.readiness import unmet
from ledger.rules.rows import OrderRow
from ledger.subjects.orders.rules import is_unready, refuse_unready


def refuse_unready_order(snapshot: Snapshot, order: OrderRow) -> None:
    """Raise NotSatisfiedError for an order that cannot be placed now."""
    waits = unmet(predecessors(snapshot, order.id), "start", snapshot.now, order.time_zone)
    refuse_unready(order, waits, snapshot.now, lapsed=order.id in lapsed(snapshot))


def early_order(snapshot: Snapshot, order: OrderRow, why: str) -> str:
    """Return why an order is placed out of sequence. Empty if nothing before it is open.

    Raise NotSatisfiedError for an order that is placed already, or that waits for something while nobody says why.
    """
    is_early = is_unready(order, snapshot.now, lapsed=order.id in lapsed(snapshot))
    if order.placed_at is None and is_early and why.strip():
        return why
    refuse_unready_order(snapshot, order)
    return ""
