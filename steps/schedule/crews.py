"""Compares the crews that a plan's early dates need with those of the site. Nothing is levelled yet."""

from __future__ import annotations

from collections.abc import Iterator

from steps.design.design import Design
from steps.schedule.plan import Plan


def overloads(plan: Plan, design: Design) -> Iterator[str]:
    """Yield a sentence for each trade that would need more crews at the same time than the site has."""
    changes: dict[str, list[tuple[float, int]]] = {}
    for activity in plan.activities:
        dates = activity.dates
        if dates is None or activity.calendar != "working" or activity.duration.m == 0:
            continue
        steps = changes.setdefault(activity.role, [])
        steps.append((dates.early_start.timestamp(), 1))
        steps.append((dates.early_finish.timestamp(), -1))
    for role, steps in sorted(changes.items()):
        most = busy = 0
        for _, change in sorted(steps):
            busy += change
            most = max(most, busy)
        has = design.crews_of(role)
        if most > has:
            yield (
                f"{role}: up to {most} activities at once at the early dates, the site has {has} crews; "
                "these dates assume enough crews (site.yaml: crews)"
            )
