"""The variables that every playbook gets, in addition to those of the inventory."""

from __future__ import annotations

from typing import Any

from msgspec import to_builtins

from steps.planning.activity import PlanActivity
from steps.planning.plan import Plan


def variables_of(plan: Plan, activity: PlanActivity) -> dict[str, Any]:
    """Return the design values that hold at an activity's unit, and its criteria."""
    own = next(unit.design for unit in plan.units if unit.id == activity.unit)
    return {
        "clusterwright_design": plan.design | own,
        "clusterwright_criteria": [to_builtins(one) for one in activity.criteria],
    }
