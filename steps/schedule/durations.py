"""The duration of an activity: fixed time plus quantity over rate, on the calendar of its unit."""

from __future__ import annotations

from math import ceil

from steps.catalog.schema import Estimate, Step
from steps.design.quantities import Values
from steps.errors import InputError
from steps.formula import number_of
from steps.schedule.activity import CalendarId, Hours
from steps.schedule.expansion import ELAPSED_HOURS, WEEK_H, WORKING_UNITS


def calendar_of(step: Step) -> CalendarId:
    """Return the calendar on which a step's duration counts."""
    return "working" if step.duration.fixed.unit in WORKING_UNITS else "elapsed"


def items_of(step: Step, values: Values) -> int | None:
    """Return the number of items of an activity, None if its step counts none."""
    return None if step.items is None else round(number_of(step.items.count, values))


def crews_on(step: Step, values: Values) -> float:
    """Return the number of crews that work on one activity, at least 1."""
    return max(1.0, number_of(step.crew.count, values))


def crews_held(step: Step, values: Values, duration: Hours) -> int:
    """Return how many crews an activity holds: none for time that passes by itself, and no more than the site has."""
    if calendar_of(step) == "elapsed" or duration.m == 0:
        return 0
    return min(ceil(crews_on(step, values)), int(values["crews"]))


def duration_of(step: Step, values: Values, hours_per_day: float) -> Hours:
    """Return optimistic, most likely and pessimistic hours on the step's calendar.

    The optimistic value of a rate is the fastest one. Without items the part of the rate is zero.
    """
    fixed = _hours(step.duration.fixed, hours_per_day)
    rate = step.duration.rate
    if rate is None:
        return Hours(o=fixed[0], m=fixed[1], p=fixed[2])
    per = rate_hours(rate, hours_per_day)
    amount = float(items_of(step, values) or 0) / crews_on(step, values)
    parts = [amount / speed * per if amount else 0.0 for speed in rate.points]
    total = [a + b for a, b in zip(fixed, parts, strict=True)]
    return Hours(o=total[0], m=total[1], p=total[2])


def lead_of(estimate: Estimate) -> Hours:
    """Return a lead time in elapsed hours; raise InputError if its unit is not weeks."""
    if estimate.unit != "weeks":
        raise InputError(f"a lead time is in weeks, not in {estimate.unit!r}")
    o, m, p = (point * WEEK_H for point in estimate.points)
    return Hours(o=o, m=m, p=p)


def rate_hours(rate: Estimate, hours_per_day: float) -> float:
    """Return the hours of a rate's unit of time: those of a working day for `links per crew-day`."""
    _, _, unit = rate.unit.rpartition(" per ")
    if unit in WORKING_UNITS:
        return hours_per_day
    if unit in ELAPSED_HOURS:
        return ELAPSED_HOURS[unit]
    raise InputError(f"a rate ends in `per crew-day` or another time unit, not {rate.unit!r}")


def _hours(estimate: Estimate, hours_per_day: float) -> tuple[float, float, float]:
    if estimate.unit in WORKING_UNITS:
        scale = hours_per_day
    elif estimate.unit in ELAPSED_HOURS:
        scale = ELAPSED_HOURS[estimate.unit]
    else:
        raise InputError(f"{estimate.unit!r} is not a unit of time")
    o, m, p = (point * scale for point in estimate.points)
    return (o, m, p)
