"""Why go-live is forecast for another day than planned, with the suppliers that the record names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ledger.questions.orders import orders
from ledger.questions.snapshot import Snapshot

if TYPE_CHECKING:
    from steps.planning.record.forecast import ForecastSolution
    from steps.planning.record.slip_of_plan import PlanSlip


def slip_of(snapshot: Snapshot, solved: ForecastSolution) -> PlanSlip:
    """Return a forecast beside its plan. A delivery is its order's supplier's, by name once it is known."""
    from steps.planning.record.slip_of_plan import PlanSlip  # the schedule's engines

    named = {one.id: one.supplier_name for one in orders(snapshot) if one.supplier_name}
    return PlanSlip(solved, named)
