"""Whether an order can be placed now."""

from __future__ import annotations

from ledger.questions.case import lapsed
from ledger.questions.links import predecessors
from ledger.questions.snapshot import Snapshot
from ledger.rules.orders import refuse_unready
from ledger.rules.readiness import unmet
from ledger.rules.rows import OrderRow


def refuse_unready_order(snapshot: Snapshot, order: OrderRow) -> None:
    """Raise NotSatisfiedError for an order that cannot be placed now."""
    waits = unmet(predecessors(snapshot, order.id), "start", snapshot.now)
    refuse_unready(order, waits, snapshot.now, lapsed=order.id in lapsed(snapshot))
