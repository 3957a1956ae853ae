"""What the quality checks are to know beside a network: of a plan, and of a project that was read from a file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta

import numpy as np

from schedule.cpm.columns import NONE
from schedule.cpm.compiled import CompiledNetwork
from schedule.cpm.shifts import Minutes
from schedule.files.project import Project
from schedule.quality.subject import Known
from steps.planning.activity import Hours
from steps.planning.dates.calendar import WorkCalendar
from steps.planning.dates.dating import MINUTES
from steps.planning.plan import Plan

MINUTE = timedelta(minutes=1)


def known_of_plan(plan: Plan, network: CompiledNetwork, baseline: Plan | None) -> Known:
    """Return what a plan says beside its network. Work has the crew of its role, an order and a delivery their supplier.

    The network's dates are those with unlimited crews. So its end is held against the baseline's end with unlimited crews.
    """
    names = network.activities.names
    calendar = WorkCalendar.from_plan(plan)
    day = [round(plan.hours_a_day(one.name) * MINUTES) for one in network.calendars]
    continuing = {activity.id for activity in plan.activities if activity.continuing}
    uncertain = {name for name, points in _points(plan) if points.o < points.p}
    return Known(
        day=np.array(day, np.int64),
        continuing=np.array([name in continuing for name in names], bool),
        loaded=np.ones(len(names), bool),
        uncertain=np.array([name in uncertain for name in names], bool),
        baseline=None if baseline is None else _finishes(baseline, calendar, names),
        due=None if baseline is None else _end(baseline, calendar),
        due_by="the baseline with unlimited crews",
    )


def known_of_project(project: Project) -> Known:
    """Return what a file says beside its network."""
    number = len(project.activities)
    loaded, points = np.zeros(number, bool), project.estimates
    loaded[[demand.row for demand in project.demands]] = True
    return Known(
        day=project.day,
        loaded=loaded if project.resources else None,
        uncertain=None if points is None else np.asarray(points.low < points.high),
        baseline=project.baseline_finish,
    )


def _points(plan: Plan) -> Iterator[tuple[str, Hours]]:
    for activity in plan.activities:
        yield activity.id, activity.duration
    for order in plan.orders:
        for tranche in order.tranches:
            yield tranche.id, order.lead


def _finishes(plan: Plan, calendar: WorkCalendar, names: Sequence[str]) -> Minutes:
    """Return the finishes of a plan's nodes by the rows of another one; NONE for what the plan does not have."""
    finish = {name: dates.early_finish for name, dates in plan.nodes() if dates is not None}
    found = (NONE if name not in finish else (finish[name] - calendar.origin) // MINUTE for name in names)
    return np.fromiter(found, np.int64, len(names))


def _end(baseline: Plan, calendar: WorkCalendar) -> int:
    levelling = baseline.levelling
    finish = baseline.finish if levelling is None else levelling.unlimited_finish
    return (finish - calendar.origin) // MINUTE
