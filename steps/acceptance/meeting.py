"""Values that meet a criterion, for the simulated instruments of a rehearsal."""

from __future__ import annotations

from decimal import Decimal

from steps.planning.activity import PlanCriterion

MARGIN = Decimal("0.01")


def value_that_meets(criterion: PlanCriterion) -> Decimal | bool:
    """Return the limit itself if it meets the criterion, otherwise a value just inside it."""
    limit = criterion.value
    if isinstance(limit, bool):
        return limit if criterion.op == "==" else not limit
    number = Decimal(str(limit))
    match criterion.op:
        case "<":
            return number - max(abs(number) * MARGIN, MARGIN)
        case ">" | "!=":
            return number + max(abs(number) * MARGIN, MARGIN)
        case "within":
            return Decimal(0)
        case _:
            return number
