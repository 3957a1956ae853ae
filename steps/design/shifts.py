"""Shifts of crews: how many a day, how long, and what gets done in them.

A second shift gets less done than the first, and so does a crew in long weeks. A calendar counts the hours that get work done:
two shifts of 8 hours are 16 hours at work and some 13 hours of work. So a duration stays what it is, and a further shift or hour
never makes a date later.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Annotated, Literal

from pydantic import Field, model_validator

from steps.catalog.schema import Closed
from steps.catalog.terms import SHIFT_H
from steps.design.calendars import DAY_H, Calendar

QUARTERS = 4
"""In an hour. Shifts begin and end on a quarter."""
WEEKS = ((40.0, None), (50.0, "efficiency_at_50_h"), (60.0, "efficiency_at_60_h"), (70.0, "efficiency_at_70_h"))
"""Hours of a week for which a figure says what share of them gets work done. Between them it is interpolated."""
LOSSES = {1: None, 2: "two_shifts_loss", 3: "three_shifts_loss"}


class Shifts(Closed):
    """How many shifts of how many hours a trade works on a working day; each of its crews has its people for each shift."""

    shifts: Literal[1, 2, 3] = 1
    hours: Annotated[float, Field(ge=SHIFT_H, le=12)] = SHIFT_H

    @model_validator(mode="after")
    def _fit_a_day(self) -> Shifts:
        if self.shifts * self.hours > DAY_H:
            raise ValueError(f"{self.shifts} shifts of {self.hours:g} hours do not fit into a day")
        return self

    def __str__(self) -> str:
        """Return the shifts in words."""
        count = "a shift" if self.shifts == 1 else f"{self.shifts} shifts"
        return count if self.hours == SHIFT_H else f"{count} of {self.hours:g} h"


ONE_SHIFT = Shifts()


def hours_of_work(shifts: Shifts, days: int, figures: Mapping[str, float]) -> float:
    """Return the hours of a working day that get work done, to the quarter, with so many working days a week."""
    loss = LOSSES[shifts.shifts]
    at_work = shifts.shifts * shifts.hours
    done = at_work * (1 - (figures[loss] if loss else 0.0)) * _efficiency(shifts.hours * days, figures)
    return round(done * QUARTERS) / QUARTERS


def worked(calendar: Calendar, shifts: Shifts, figures: Mapping[str, float]) -> tuple[float, float]:
    """Return the hours of a calendar's day with these shifts, from when it opens; an end above 24 is on the next day."""
    opens, _ = calendar.hours
    return opens, opens + hours_of_work(shifts, len(calendar.working_days), figures)


def _efficiency(week_h: float, figures: Mapping[str, float]) -> float:
    """Return which share of the hours of a week gets work done. Beyond the longest week known, no more work gets done."""
    known = [(hours, figures[name] if name else 1.0) for hours, name in WEEKS]
    for (short, more), (long, less) in pairwise(known):
        if week_h <= long:
            return more + (less - more) * max(0.0, week_h - short) / (long - short)
    longest, least = known[-1]
    return least * longest / week_h
