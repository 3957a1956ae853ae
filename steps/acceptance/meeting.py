"""Values that meet or fail a criterion, for the simulated instruments of a rehearsal."""

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


def value_that_fails(criterion: PlanCriterion) -> Decimal | bool | None:
    """Return a value that fails a criterion by itself. None where it is compared with those of other items, or is a word."""
    limit = criterion.value
    if isinstance(limit, bool):
        return not value_that_meets(criterion)
    if criterion.compares_items or isinstance(limit, str):
        return None
    number = Decimal(str(limit))
    match criterion.op:
        case "!=":
            return number
        case ">" | ">=":
            return number - max(abs(number) * MARGIN, MARGIN)
        case _:
            return number + max(abs(number) * MARGIN, MARGIN)
