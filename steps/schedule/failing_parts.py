"""What fails of the hardware of a plan: work that is done again as a whole, parts that arrive dead, and servers that fail their soak.

What is found dead is replaced from the shelf, which adds hours to the step that finds it. A part without a spare is waited for,
beside the work; what is left of that wait when the unit would be accepted delays its acceptance. The figures are the design's
(docs/design-figures.md, section risk).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import ceil, exp, expm1, log1p

import numpy as np

from steps.schedule.activity import Hours, PlanActivity, PlanDeadParts
from steps.schedule.plan import Plan
from steps.schedule.risk.drivers import MOST_OCCURRENCES, RiskEvent, dead_on_arrival, more_dead_than, repeats
from steps.schedule.risk.spreads import Family, Spread

MINUTES = 60
"""In an hour."""
DAY_H, WEEK_H = 24.0, 168.0
ROUNDS = 3
"""A server that has failed its soak so often is replaced, and not soaked again."""
RARE = 1e-6
"""What is less probable is left out: a thousand pods in a thousand samples have it once."""


def in_minutes(hours: Hours) -> Spread:
    """Return three points in minutes, in order."""
    return Spread(MINUTES * min(hours.o, hours.m), MINUTES * hours.m, MINUTES * max(hours.p, hours.m))


def failing_parts(plan: Plan, open_rows: Mapping[str, int]) -> Iterator[RiskEvent]:
    """Yield every event that a failure is, of the activities that are not done; `open_rows` has those by id."""
    by_id = {one.id: one for one in plan.activities if one.id in open_rows}
    for activity in by_id.values():
        yield from _as_a_whole(activity, open_rows)
        if activity.dead is not None and activity.items:
            yield from _dead(plan, activity, activity.dead, activity.items, open_rows)
        if activity.restarts and activity.items:
            yield from _soaked_again(plan.figures, activity, activity.items, open_rows)


def _as_a_whole(activity: PlanActivity, open_rows: Mapping[str, int]) -> Iterator[RiskEvent]:
    """Yield the event that an activity fails as a whole: it is done once more, and may fail again."""
    if activity.again_chance:
        chances = repeats(activity.again_chance, activity.again_most)
        rows = np.array([open_rows[activity.id]])
        yield RiskEvent(f"{activity.id} again", chances, in_minutes(activity.duration), rows)


def _dead(
    plan: Plan, finds: PlanActivity, dead: PlanDeadParts, items: int, open_rows: Mapping[str, int]
) -> Iterator[RiskEvent]:
    """Yield the hours that replacing takes where it is found, and the wait for what has no spare where it is accepted."""
    figures, part = plan.figures, dead.part
    if f"dead_{part}_share" not in figures:
        return
    share = figures[f"dead_{part}_share"]
    minutes = MINUTES * figures[f"dead_{part}_hours"]
    chances = _probable(dead_on_arrival(share, items, MOST_OCCURRENCES))
    if minutes and chances:
        own = np.array([open_rows[finds.id]])
        yield RiskEvent(f"dead {part}s, replaced at {finds.id}", chances, _certain(minutes), own)
    chances = _probable((more_dead_than(share, items, ceil(items * figures[f"{part}_spares"])),))
    if dead.holds in open_rows and chances:
        wait = _left_of_wait(plan, finds, dead)
        if wait.high > 0:
            own = np.array([open_rows[dead.holds]])
            yield RiskEvent(f"dead {part}s, waited for at {dead.holds}", chances, wait, own)


def _left_of_wait(plan: Plan, finds: PlanActivity, dead: PlanDeadParts) -> Spread:
    """Return what is left of the wait for a replacement, and of the work with it, when what it holds would start by the plan.

    It is in minutes of the calendar of what it holds.
    """
    by_id = {one.id: one for one in plan.activities}
    held, working = by_id[str(dead.holds)], _working_share(plan)
    meanwhile = 0.0
    if held.dates and finds.dates:
        meanwhile = (held.dates.early_start - finds.dates.early_finish).total_seconds() / MINUTES / MINUTES
    then = sum(_elapsed(by_id[name], working) for name in dead.then)
    days = (plan.figures[f"replacement_days_{point}"] for point in ("low", "likely", "high"))
    scale = MINUTES * (working if held.calendar == "working" else 1.0)
    return Spread(*(scale * max(0.0, DAY_H * day + then - meanwhile) for day in days))


def _soaked_again(
    figures: Mapping[str, float], activity: PlanActivity, items: int, open_rows: Mapping[str, int]
) -> Iterator[RiskEvent]:
    """Yield the event that servers fail their soak, are repaired, and begin it again by themselves.

    The soak of the unit is longer by what the last of them had behind it, and by its repair. Source of the rate: interruptions of training.
    """
    if not figures.get("gpus_per_node") or "early_failures" not in figures:
        return
    hours = activity.duration.m * figures["gpus_per_node"] * figures["early_failures"]
    share = -expm1(-hours / figures["gpu_hours_per_interruption"])
    chances = _probable(tuple(_any_of(items, share**number) for number in range(1, ROUNDS + 1)))
    if chances:
        repair, soak = MINUTES * figures["dead_server_hours"], MINUTES * activity.duration.m
        extra = Spread(repair, repair + soak / 2, repair + soak)
        rows = np.array([open_rows[activity.id]])
        yield RiskEvent(f"{activity.items_of} that fail in a soak, {activity.id}", chances, extra, rows)


def _any_of(items: int, share: float) -> float:
    """Return the chance that at least one of the items is of this share."""
    return 1.0 if share >= 1.0 else 1.0 - exp(items * log1p(-share))


def _probable(chances: tuple[float, ...]) -> tuple[float, ...]:
    return tuple(chance for chance in chances if chance > RARE)


def _certain(minutes: float) -> Spread:
    return Spread(minutes, minutes, minutes, Family.FIXED)


def _working_share(plan: Plan) -> float:
    """Return the share of a week that is worked, without holidays."""
    opens, closes = plan.working_hours
    return len(plan.working_days) * (closes - opens) / WEEK_H


def _elapsed(activity: PlanActivity, working: float) -> float:
    """Return the most likely hours of an activity as time that passes."""
    return activity.duration.m / (working if activity.calendar == "working" else 1.0)
