"""The duration of an activity: fixed time plus quantity over the rate of its crews, on the calendar of its unit.

A crew-day is a shift of a crew, eight crew-hours; a working day is a day of an office. Both are the same at any site: shifts and
long days are in the calendars (`steps.planning.network.site_calendars`).
"""

from __future__ import annotations

from math import ceil
from operator import add

from schedule.errors import InputError
from steps.catalog.schema import Estimate, Step
from steps.catalog.terms import SHIFT_H
from steps.design.quantities import Values
from steps.formula import number_of
from steps.planning.activity import Hours

CREW_DAY, WORKING_DAY = "crew-day", "working-day"
WEEK_H = 168.0
HALF = 0.5
"""Of a crew: from here on it counts as one."""
ELAPSED_HOURS = {"elapsed-hour": 1.0, "elapsed-day": 24.0, "elapsed-week": WEEK_H}


def hours_of(unit: str, day_h: float) -> float:
    """Return the hours of a unit of time; `day_h` are those of a working day. Raise InputError for what is none."""
    if unit == CREW_DAY:
        return SHIFT_H
    if unit == WORKING_DAY:
        return day_h
    if unit in ELAPSED_HOURS:
        return ELAPSED_HOURS[unit]
    raise InputError(f"{unit!r} is not a unit of time")


def is_elapsed(step: Step) -> bool:
    """Return whether a step's duration passes around the clock."""
    return step.duration.fixed.unit in ELAPSED_HOURS


def items_of(step: Step, values: Values) -> int | None:
    """Return the number of items of an activity, None if its step counts none."""
    return None if step.items is None else round(number_of(step.items.count, values))


def crews_on(step: Step, values: Values) -> int:
    """Return the number of crews that work on one activity: as many as its space lets in and the site has, and one at least.

    Where the step says what room a crew needs, it is as many of these as the work keeps busy.
    """
    room = step.crew.room
    fitting = number_of(step.crew.count, values) if room is None else number_of(room.of, values) / room.value
    most = max(1, min(ceil(fitting), int(values["crews"])))
    return most if room is None else _kept_busy(step, values, most)


def _kept_busy(step: Step, values: Values, most: int) -> int:
    """Return how many of `most` crews a step's work keeps busy on average.

    One crew makes the beginning alone (`fixed`), and all of them share the rest. An activity that held all of them from the
    beginning on would pay for crews that wait. So it holds their average, and its hours of work do not depend on the number of crews.
    """
    once, shared = (points[1] for points in _parts(step, values, SHIFT_H))
    with_all = once + shared / most
    return int((once + shared) / with_all + HALF) if with_all else 1


def crews_held(step: Step, values: Values, duration: Hours) -> int:
    """Return how many crews an activity holds: none for time that passes by itself, nor for work that goes on after go-live.

    The latter is done by those who run the site, and takes nobody away from what go-live waits for.
    """
    return 0 if is_elapsed(step) or step.continuing or duration.m == 0 else crews_on(step, values)


def duration_of(step: Step, values: Values, day_h: float) -> Hours:
    """Return optimistic, most likely and pessimistic hours on the step's calendar; `day_h` are those of a working day.

    The optimistic value of a rate is the fastest one. Without items the part of the rate is zero.
    """
    once, shared = _parts(step, values, day_h)
    if is_elapsed(step):
        return Hours(*map(add, once, shared))
    crews = crews_on(step, values)
    if step.crew.room is not None:
        return Hours(*((a + b) / crews for a, b in zip(once, shared, strict=True)))
    return Hours(*(a + b / crews for a, b in zip(once, shared, strict=True)))


def _parts(step: Step, values: Values, day_h: float) -> tuple[list[float], list[float]]:
    """Return the three points, in hours of one crew, of what an activity takes once, and of what its quantity takes."""
    fixed, rate = step.duration.fixed, step.duration.rate
    scale = hours_of(fixed.unit, day_h)
    once = [point * scale for point in fixed.points]
    amount = items_of(step, values) or 0
    if rate is None or not amount:
        return once, [0.0, 0.0, 0.0]
    per = rate_hours(rate, day_h)
    return once, [amount / speed * per for speed in rate.points]


def lead_of(estimate: Estimate, factor: float) -> Hours:
    """Return a lead time in elapsed hours, so many times what the catalog says; raise InputError if its unit is not weeks."""
    if estimate.unit != "weeks":
        raise InputError(f"a lead time is in weeks, not in {estimate.unit!r}")
    o, m, p = (point * WEEK_H * factor for point in estimate.points)
    return Hours(o=o, m=m, p=p)


def rate_hours(rate: Estimate, day_h: float) -> float:
    """Return the hours of a rate's unit of time: those of a shift for `links per crew-day`."""
    _, _, unit = rate.unit.rpartition(" per ")
    try:
        return hours_of(unit, day_h)
    except InputError:
        raise InputError(f"a rate ends in `per crew-day` or another time unit, not {rate.unit!r}") from None
