"""The S-curve: how many crew-hours of work are planned, done and forecast by each date.

The work of an activity is its most likely hours in the plan times its crews, and it is done evenly over its working time. So
the three curves have the same total, and differ by their dates alone.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from schedule.cpm.compiled import CompiledNetwork
from schedule.cpm.shifts import Minutes
from steps.planning.dates.calendar import WorkCalendar
from steps.planning.dates.dating import planned_finishes, planned_starts
from steps.planning.record.forecast import MINUTE, Actuals, ForecastSolution

WEEK = 7 * 1440
"""In minutes."""


class WorkPoint(NamedTuple):
    """Crew-hours by a date. `done` is known until the data date, `forecast` from it on."""

    date: datetime
    planned: float
    done: float | None
    forecast: float | None


class SCurve(NamedTuple):
    """Cumulative work in crew-hours, a point a week and one at the data date."""

    as_of: datetime
    total: float
    points: tuple[WorkPoint, ...]


def s_curve(solved: ForecastSolution, actuals: Actuals) -> SCurve:
    """Return the S-curve of the work that crews do. `actuals` are those that the forecast was solved with."""
    plan, crewed, network = solved.plan, solved.crewed, solved.crewed.base
    origin = WorkCalendar.from_plan(plan).origin
    number = {name: row for row, name in enumerate(network.activities.names)}
    worked = [one for one in plan.activities if one.crews and one.applicable]
    rows = np.array([number[one.id] for one in worked], np.int64)
    work = np.array([one.crews * one.duration.m for one in worked])
    planned = _Spans(network, rows, planned_starts(plan, network), planned_finishes(plan, network))
    finish = crewed.solution.finish.copy()
    for row, one in zip(rows.tolist(), worked, strict=True):
        ended = actuals[one.id].finished if one.id in actuals else None
        if ended is not None:  # work done out of sequence has a later finish in the forecast
            finish[row] = (ended - origin) // MINUTE
    real = _Spans(network, rows, crewed.solution.start, np.maximum(finish, crewed.solution.start))
    now = (solved.as_of - origin) // MINUTE
    points = []
    for at in _instants(now, planned, real):
        expected = float(real.shares(at) @ work)
        points.append(
            WorkPoint(
                origin + timedelta(minutes=at),
                round(float(planned.shares(at) @ work), 1),
                round(expected, 1) if at <= now else None,
                round(expected, 1) if at >= now else None,
            )
        )
    return SCurve(solved.as_of, round(float(work.sum()), 1), tuple(points))


class _Spans:
    """Starts and finishes of some rows, to ask how much of each is worked by an instant."""

    def __init__(self, network: CompiledNetwork, rows: NDArray[np.int64], start: Minutes, finish: Minutes) -> None:
        self.network = network
        self.calendar = network.activities.calendar[rows]
        self.start, self.finish = start[rows], finish[rows]

    def shares(self, at: int) -> NDArray[np.float64]:
        """Return the share of each row that is worked by an instant: 0 before its start, 1 from its finish on."""
        shares = np.zeros(len(self.start))
        for number, calendar in enumerate(self.network.calendars):
            own = np.flatnonzero((self.calendar == number) & (self.start < at))
            begun, ends = calendar.work(self.start[own]), calendar.work(self.finish[own])
            worked = calendar.work(np.minimum(self.finish[own], at)) - begun
            shares[own] = np.where(self.finish[own] <= at, 1.0, worked / np.maximum(ends - begun, 1))
        return shares


def _instants(now: int, *spans: _Spans) -> list[int]:
    first = min((int(one.start.min()) for one in spans if len(one.start)), default=now)
    last = max((int(one.finish.max()) for one in spans if len(one.finish)), default=now)
    return sorted({*range(first, last + WEEK, WEEK), now})
