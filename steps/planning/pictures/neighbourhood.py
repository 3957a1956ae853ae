"""The neighbourhood of an activity, order or delivery: what is before and after it, some links deep, and which links drive."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from schedule.cpm.columns import Tie
from schedule.errors import InputError
from steps.planning.dates.calendar import WorkCalendar
from steps.planning.record.driving import titles
from steps.planning.record.forecast import ForecastSolution

DEPTH = 2
MOST = 8
"""Neighbours in one column: with more, none can be read."""


class Neighbour(NamedTuple):
    """An activity, order or delivery, so many links before (negative) or after the one that is asked for."""

    id: str
    title: str
    depth: int
    start: datetime
    finish: datetime
    is_critical: bool
    is_done: bool


class NeighbourLink(NamedTuple):
    """A link between two that are shown. It drives if it sets the date of `after`; `crew` is the trade or the resource of a handover."""

    before: str
    after: str
    type: str
    lag_h: float
    lag_calendar: str
    reason: str
    is_driving: bool
    crew: str | None


class Neighbourhood(NamedTuple):
    """What is around `id`. `left_out` has, by depth, how many more there are than are shown."""

    id: str
    as_of: datetime
    neighbours: tuple[Neighbour, ...]
    links: tuple[NeighbourLink, ...]
    left_out: dict[int, int]


def neighbourhood(solved: ForecastSolution, target: str, *, depth: int = DEPTH, most: int = MOST) -> Neighbourhood:
    """Return the neighbourhood of an id, at most `most` at each depth: driving ones first, then those with least float.

    Raise InputError for what has no date in the plan.
    """
    names = solved.crewed.network.activities.names
    row = {name: number for number, name in enumerate(names)}
    if target not in row:
        raise InputError(f"{target!r} has no date in the plan", hint=_hint(names, target))
    depths: dict[int, int] = {row[target]: 0}
    left_out: dict[int, int] = {}
    for side in (-1, 1):
        near = [row[target]]
        for step in range(1, depth + 1):
            far = [one for one in _next(solved, near, side) if one not in depths]
            near = far[:most]
            depths |= dict.fromkeys(near, side * step)
            if far[most:]:
                left_out[side * step] = len(far) - most
    return Neighbourhood(target, solved.as_of, _neighbours(solved, depths), _links(solved, depths), left_out)


def _hint(names: Sequence[str], target: str) -> str:
    near = [name for name in names if name.startswith(f"{target}@")]
    return f"it is at units: {', '.join(near[:3])}" if near else "write an id as `list` and `orders` show it"


def _next(solved: ForecastSolution, near: list[int], side: int) -> list[int]:
    """Return the rows a link before (-1) or after (1) some rows, each once: those with driving links first."""
    links, solution = solved.crewed.network.links, solved.crewed.solution
    own, other = (links.after, links.before) if side < 0 else (links.before, links.after)
    found = np.flatnonzero(np.isin(own, near))
    drives = _driving(solved)[found]
    slack = solution.total_float[other[found]]
    order = np.lexsort((other[found], slack, ~drives))
    return list(dict.fromkeys(other[found][order].tolist()))


def _driving(solved: ForecastSolution) -> NDArray[np.bool_]:
    """Return by link whether it sets the date of its successor."""
    solution = solved.crewed.solution
    is_driving = np.zeros(len(solved.crewed.network.links), np.bool_)
    is_driving[solution.driving_link[solution.driving_link >= 0]] = True
    return is_driving


def _neighbours(solved: ForecastSolution, depths: dict[int, int]) -> tuple[Neighbour, ...]:
    names, solution = solved.crewed.network.activities.names, solved.crewed.solution
    origin = WorkCalendar.from_plan(solved.plan).origin
    title, critical = titles(solved.plan), set(solved.forecast.critical)
    found = [
        Neighbour(
            names[row],
            title[names[row]],
            depth,
            origin + timedelta(minutes=int(solution.start[row])),
            origin + timedelta(minutes=int(solution.finish[row])),
            names[row] in critical,
            names[row] in solved.finished and origin + timedelta(minutes=int(solution.finish[row])) <= solved.as_of,
        )
        for row, depth in depths.items()
    ]
    return tuple(sorted(found, key=lambda one: (one.depth, one.start, one.id)))


def _links(solved: ForecastSolution, depths: dict[int, int]) -> tuple[NeighbourLink, ...]:
    """Return the links between what is shown, those of handovers with their trade."""
    plan, crewed = solved.plan, solved.crewed
    links, names, driving = crewed.network.links, crewed.network.activities.names, _driving(solved)
    reasons = {(one.before, one.after, one.type.value): one.reason for one in plan.links}
    shown = list(depths)
    found = []
    for at in np.flatnonzero(np.isin(links.before, shown) & np.isin(links.after, shown)).tolist():
        before, after = names[links.before[at]], names[links.after[at]]
        tie = Tie(int(links.type[at])).name
        crew = crewed.crew(at)
        found.append(
            NeighbourLink(
                before,
                after,
                tie,
                int(links.lag[at]) / 60,
                crewed.network.calendars[int(links.lag_calendar[at])].name,
                "hands over its crew" if crew else reasons.get((before, after, tie), ""),
                bool(driving[at]),
                crew,
            )
        )
    return tuple(found)
