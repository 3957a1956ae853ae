"""What moves between two forecasts of one plan: which activities, by how much, and which float that takes."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import NamedTuple

from steps.planning.dates.calendar import WorkCalendar
from steps.planning.record.driving import titles
from steps.planning.record.forecast import ForecastSolution

MINUTES_OF_DAY = 1440


class MovedWork(NamedTuple):
    """What is later, or earlier, than it was. `days` are elapsed; float is in days of its own calendar, before and after."""

    id: str
    title: str
    role: str
    before: datetime
    after: datetime
    days: float
    float_before: float
    float_after: float


def moved(before: ForecastSolution, after: ForecastSolution) -> list[MovedWork]:
    """Return what is not finished and has another finish, what moves most first. Orders and deliveries have the role of nobody."""
    title, role = titles(before.plan), {one.id: one.role for one in before.plan.activities}
    origin = WorkCalendar.from_plan(before.plan).origin
    found = []
    for name, (old, new) in _of_both(before, after):
        if old.finish != new.finish:
            at = [origin + timedelta(minutes=one.finish) for one in (old, new)]
            days = (new.finish - old.finish) / MINUTES_OF_DAY
            found.append(MovedWork(name, title[name], role.get(name, ""), at[0], at[1], days, old.slack, new.slack))
    return sorted(found, key=lambda one: (-abs(one.days), one.before, one.id))


def float_used(before: ForecastSolution, after: ForecastSolution) -> list[tuple[str, float, float]]:
    """Return by id the days of float before and after of what has less of it, what loses most first."""
    both = ((name, old.slack, new.slack) for name, (old, new) in _of_both(before, after))
    less = [one for one in both if one[2] < one[1]]
    return sorted(less, key=lambda one: (one[2] - one[1], one[0]))


class _Node(NamedTuple):
    finish: int
    slack: float


def _of_both(before: ForecastSolution, after: ForecastSolution) -> Iterator[tuple[str, tuple[_Node, _Node]]]:
    """Yield what is open in both, by id."""
    then = dict(_nodes(after))
    for name, node in _nodes(before):
        if name in then:
            yield name, (node, then[name])


def _nodes(solved: ForecastSolution) -> Iterator[tuple[str, _Node]]:
    network, solution = solved.crewed.network, solved.crewed.solution
    day = [solved.plan.hours_a_day(one.name) * 60 for one in network.calendars]
    names, calendar = network.activities.names, network.activities.calendar.tolist()
    for row, (finish, slack) in enumerate(zip(solution.finish.tolist(), solution.total_float.tolist(), strict=True)):
        if names[row] not in solved.finished:
            yield names[row], _Node(finish, slack / day[calendar[row]])
