"""What fails of the hardware of a plan: work that is done again as a whole, parts that arrive dead, and servers that fail a soak.

What is found dead is replaced from the shelf, which adds hours to the step that finds it. A part without a spare is waited for,
beside the work; what is left of that wait when the unit would be accepted delays its acceptance. The figures are the design's
(docs/reference/design-figures.md, section risk).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import ceil, exp, expm1, log1p

import numpy as np

from schedule.risk.drivers import MOST_OCCURRENCES, RiskEvent, dead_on_arrival, more_dead_than, repeats
from schedule.risk.spreads import Family, Spread
from steps.planning.activity import ELAPSED, Hours, PlanActivity, PlanDeadParts
from steps.planning.dates.calendar import calendars_of
from steps.planning.plan import Plan

MINUTES = 60
"""In an hour."""
HOUR_S, DAY_H, WEEK_H = 3600.0, 24.0, 168.0
ROUNDS = 3
"""A server that has failed a soak so often is replaced, and not soaked again."""
RARE = 1e-6
"""What is less probable is left out: a thousand pods in a thousand samples have it once."""


def in_minutes(hours: Hours) -> Spread:
    """Return three points in minutes, in order."""
    return Spread(MINUTES * min(hours.o, hours.m), MINUTES * hours.m, MINUTES * max(hours.p, hours.m), Family.PERT)


def failing_parts(plan: Plan, open_rows: Mapping[str, int]) -> Iterator[RiskEvent]:
    """Yield every event that is a failure, of the activities that are not done; `open_rows` has their rows by id.

    A plan without the figures, as older ones are, has only work that is done again as a whole.
    """
    failures = _Failures(plan, open_rows)
    knows_parts = "dead_server_share" in plan.figures
    for activity in plan.activities:
        if activity.id not in open_rows:
            continue
        if activity.again_chance:
            yield failures.as_a_whole(activity)
        if knows_parts and activity.dead is not None and activity.items:
            yield from failures.dead_parts(activity, activity.dead, activity.items)
        if knows_parts and activity.restarts and activity.items:
            yield from failures.in_a_soak(activity, activity.items)


class _Failures:
    """The failures of one plan."""

    def __init__(self, plan: Plan, open_rows: Mapping[str, int]) -> None:
        self.figures = plan.figures
        self.activities = {one.id: one for one in plan.activities}
        self.open_rows = open_rows
        self.worked = {ELAPSED: 1.0} | {
            name: len(one.working_days) * one.hours_per_day / WEEK_H for name, one in calendars_of(plan).items()
        }
        """The share of a week that is worked on each calendar, without holidays."""

    def as_a_whole(self, activity: PlanActivity) -> RiskEvent:
        """Return the event that an activity fails as a whole: it is done once more, and may fail again."""
        chances = repeats(activity.again_chance, activity.again_most)
        return self._event(f"{activity.id} again", chances, in_minutes(activity.duration), activity.id)

    def dead_parts(self, finds: PlanActivity, dead: PlanDeadParts, items: int) -> Iterator[RiskEvent]:
        """Yield the hours that replacing takes where it is found, and the wait for what has no spare where it is accepted."""
        share, spares = self.figures[f"dead_{dead.part}_share"], self.figures[f"{dead.part}_spares"]
        minutes = MINUTES * self.figures[f"dead_{dead.part}_hours"]
        chances = _probable(dead_on_arrival(share, items, MOST_OCCURRENCES))
        if minutes and chances:
            each = Spread(minutes, minutes, minutes, Family.FIXED)
            yield self._event(f"dead {dead.part}s, replaced at {finds.id}", chances, each, finds.id)
        chances = _probable((more_dead_than(share, items, ceil(items * spares)),))
        if dead.holds is not None and dead.holds in self.open_rows and chances:
            held = self.activities[dead.holds]
            wait = self._left_of_wait(finds, dead, held)
            if wait.high > 0:
                yield self._event(f"dead {dead.part}s, waited for at {held.id}", chances, wait, held.id)

    def in_a_soak(self, activity: PlanActivity, items: int) -> Iterator[RiskEvent]:
        """Yield the event that items fail a soak, are repaired, and begin it again by themselves.

        The soak of the unit is longer by what the last of them had behind it, and by its repair.
        """
        figures = self.figures
        gpu_hours = activity.duration.m * figures["gpus_per_node"]
        share = -expm1(-gpu_hours * figures["early_failures"] / figures["gpu_hours_per_interruption"])
        chances = _probable(tuple(_any_of(items, share**number) for number in range(1, ROUNDS + 1)))
        if chances:
            repair, soak = MINUTES * figures["dead_server_hours"], MINUTES * activity.duration.m
            longer = Spread(repair, repair + soak / 2, repair + soak)
            yield self._event(f"{activity.items_of} that fail in a soak, {activity.id}", chances, longer, activity.id)

    def _left_of_wait(self, finds: PlanActivity, dead: PlanDeadParts, held: PlanActivity) -> Spread:
        """Return what is left of the wait for a replacement, and of the work with it, when what it holds starts by the plan.

        It is in minutes of the calendar of what it holds.
        """
        then = sum(self._elapsed_hours(self.activities[name]) for name in dead.then)
        meanwhile = 0.0
        if held.dates and finds.dates:
            meanwhile = (held.dates.early_start - finds.dates.early_finish).total_seconds() / HOUR_S
        scale = MINUTES * self.worked[held.calendar]
        low, likely, high = (
            scale * max(0.0, DAY_H * self.figures[f"replacement_days_{point}"] + then - meanwhile)
            for point in ("low", "likely", "high")
        )
        return Spread(low, likely, high)

    def _elapsed_hours(self, activity: PlanActivity) -> float:
        """Return the most likely hours of an activity as time that passes."""
        return activity.duration.m / self.worked[activity.calendar]

    def _event(self, name: str, chances: tuple[float, ...], extra: Spread, activity: str) -> RiskEvent:
        return RiskEvent(name, chances, extra, np.array([self.open_rows[activity]]))


def _any_of(items: int, share: float) -> float:
    """Return the chance that at least one of the items fails, each with probability `share`."""
    return 1.0 if share >= 1.0 else 1.0 - exp(items * log1p(-share))


def _probable(chances: tuple[float, ...]) -> tuple[float, ...]:
    return tuple(chance for chance in chances if chance > RARE)
