"""Earned value in crew-hours: what was to be done by now, what is done, and what it took.

A crew-hour is a working hour of a crew. What is done counts by its items where they are counted, else by what people say, else by
the time it has worked of what it is expected to take. Source of the terms: EIA-748, Earned Value Management Systems.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from schedule.cpm.columns import NONE
from steps.planning.dates.dating import planned_finishes, planned_starts
from steps.planning.record.forecast import Actuals, ForecastSolution
from steps.planning.record.rates import crew_minutes, worked_between

MINUTES = 60
"""In an hour."""


class EarnedValue(NamedTuple):
    """Crew-hours of all work that holds crews, until the data date."""

    planned_h: float
    """Of the work that was to be done by now: the planned value."""
    earned_h: float
    """Planned for the work that is done: the earned value."""
    actual_h: float
    """That it took: the actual cost, in hours."""
    total_h: float
    """Planned for all work."""

    @property
    def spi(self) -> float | None:
        """The schedule performance index: 1 is as planned, less is late. None before anything was to be done."""
        return self.earned_h / self.planned_h if self.planned_h else None

    @property
    def cpi(self) -> float | None:
        """The cost performance index: 1 is as planned, less takes longer than planned. None before anything was worked."""
        return self.earned_h / self.actual_h if self.actual_h else None


def earned_value(solved: ForecastSolution, actuals: Actuals) -> EarnedValue:
    """Return the earned value at the data date of a forecast that was made from these actuals."""
    network, progress = solved.crewed.base, solved.progress
    number = {name: at for at, name in enumerate(network.activities.names)}
    work = [one for one in solved.plan.activities if one.crews and one.id in number]
    row = np.array([number[one.id] for one in work], np.int64)
    crews = np.array([one.crews for one in work], np.float64)
    value = crews * np.array([one.duration.m for one in work])
    now = np.full(len(row), progress.data_date)
    begun, done = progress.started[row] != NONE, progress.finished[row] != NONE
    worked = crew_minutes(solved.plan, network, progress, work, row)
    left = solved.crewed.unlimited.work.duration[network.numbers.number[row]]
    said = np.array([_said(actuals, one.id) for one in work])
    share = np.where(done, 1.0, np.where(np.isnan(said), _part(worked, worked + left), said)) * begun
    starts, ends = (column(solved.plan, network)[row] for column in (planned_starts, planned_finishes))
    due = _part(
        worked_between(network, row, starts, np.clip(now, starts, ends)), worked_between(network, row, starts, ends)
    )
    return EarnedValue(
        planned_h=float(value @ due),
        earned_h=float(value @ share),
        actual_h=float(crews @ worked) / MINUTES,
        total_h=float(value.sum()),
    )


def _said(actuals: Actuals, name: str) -> float:
    """Return the part of an activity that is done as its items or people say; not a number where nobody does."""
    share = actuals[name].share if name in actuals else None
    return float("nan") if share is None else share


def _part(some: NDArray[Any], whole: NDArray[Any]) -> NDArray[np.float64]:
    """Return which part of the whole some is; all of it where there is nothing."""
    return np.where(whole > 0, some / np.maximum(whole, 1), 1.0)
