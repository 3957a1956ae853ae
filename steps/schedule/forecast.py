"""Forecasts the finish of a project from its data date: what has happened is fixed, and the rest follows from it.

A started activity ends its planned duration after its start, but never before the data date (retained logic). An order that is
placed late, or promised for another day, moves what waits for it. Crews go on in the order of the plan, or in a shorter one.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import NamedTuple

import numpy as np

from steps.schedule.calendar import WorkCalendar
from steps.schedule.cpm.columns import NONE
from steps.schedule.cpm.columns import Actuals as Progress
from steps.schedule.cpm.compiled import CompiledNetwork
from steps.schedule.cpm.shifts import Minutes
from steps.schedule.crewed import solve_with_crews
from steps.schedule.dating import closing_row, crews_of, critical_rows, last_row, network_of
from steps.schedule.levelling.level import Effort
from steps.schedule.plan import Plan


class Actual(NamedTuple):
    """The start and the finish of an activity, order or delivery; None if it has not happened.

    `out_of_sequence` is true while something before it is open. What comes after it then waits for that too.
    """

    started: datetime | None
    finished: datetime | None
    out_of_sequence: bool = False


MINUTE = timedelta(minutes=1)
IN_THE_PLANS_ORDER = Effort(schedules=1)
UNTOUCHED = Actual(None, None)
Actuals = Mapping[str, Actual]


class Forecast(NamedTuple):
    """The forecast finish of the project and of each node that is not finished."""

    as_of: datetime
    finish: datetime
    unlimited_finish: datetime
    """The finish with unlimited crews."""
    nodes: dict[str, datetime]
    critical: tuple[str, ...]


def forecast(plan: Plan, actuals: Actuals, now: datetime) -> Forecast:
    """Return the forecast of an adopted plan from what has happened, by id, at the time `now`."""
    calendar = WorkCalendar.from_plan(plan)
    network, progress = at_data_date(plan, actuals, now)
    names = network.activities.names
    crewed = solve_with_crews(
        network,
        crews_of(plan, network),
        IN_THE_PLANS_ORDER,
        actuals=progress,
        target=closing_row(network),
        planned=_planned(plan, network, calendar),
    )
    found, unlimited = crewed.solution, crewed.unlimited
    finishes = [calendar.origin + timedelta(minutes=minutes) for minutes in found.finish.tolist()]
    open_ = [row for row, name in enumerate(names) if actuals.get(name, UNTOUCHED).finished is None]
    starts = found.start.tolist()
    in_order = sorted(critical_rows(plan, crewed.network, found) & set(open_), key=lambda row: (starts[row], row))
    return Forecast(
        as_of=now,
        finish=finishes[last_row(network, found)],
        unlimited_finish=calendar.origin + int(unlimited.finish[last_row(network, unlimited)]) * MINUTE,
        nodes={names[row]: finishes[row] for row in open_},
        critical=tuple(names[row] for row in in_order),
    )


def at_data_date(plan: Plan, actuals: Actuals, now: datetime) -> tuple[CompiledNetwork, Progress]:
    """Return the network of an adopted plan with what is promised and what has begun, and its progress until `now`."""
    calendar = WorkCalendar.from_plan(plan)
    ends = {name: actual.finished for name, actual in actuals.items() if actual.finished is not None}
    promised = {name: _minute(calendar, end) for name, end in ends.items() if end > now}
    in_sequence = ((name, one) for name, one in actuals.items() if name not in promised and not one.out_of_sequence)
    begun = {name: one.finished is not None for name, one in in_sequence}
    network = network_of(plan, promised, begun)
    happened = {name: actual for name, actual in actuals.items() if name not in promised}
    return network, _progress(network, calendar, happened, now)


def _planned(plan: Plan, network: CompiledNetwork, calendar: WorkCalendar) -> Minutes:
    """Return the starts of the plan's activities by row; what has no crew starts with the plan."""
    starts = {one.id: _minute(calendar, one.dates.early_start) for one in plan.activities if one.dates}
    return np.array([starts.get(name, 0) for name in network.activities.names], np.int64)


def _progress(network: CompiledNetwork, calendar: WorkCalendar, actuals: Actuals, now: datetime) -> Progress:
    """Return what has happened in minutes. A row that only has a finish started then, too.

    What has finished out of sequence counts as work of which nothing remains: it ends when what is before it has.
    """
    number = len(network.activities)
    started, finished, remaining = (np.full(number, NONE) for _ in range(3))
    data_date = max(0, _minute(calendar, now))
    for row, name in enumerate(network.activities.names):
        actual = actuals.get(name, UNTOUCHED)
        begun = actual.started or actual.finished
        if begun is not None:
            started[row] = min(_minute(calendar, begun), data_date)
        if actual.finished is not None and not actual.out_of_sequence:
            finished[row] = min(max(_minute(calendar, actual.finished), int(started[row])), data_date)
        elif actual.finished is not None:
            remaining[row] = 0
    return Progress(data_date, started, finished, remaining)


def _minute(calendar: WorkCalendar, instant: datetime) -> int:
    return (instant - calendar.origin) // MINUTE
