"""Forecasts the finish of a project from its data date: what has happened is fixed, and the rest follows from it.

A started activity ends its planned duration after its start, but never before the data date (retained logic). An order that is
placed late, or promised for another day, moves what waits for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple

import numpy as np

from steps.schedule.calendar import WorkCalendar
from steps.schedule.dating import closing_node, critical_nodes, last_node, network_of
from steps.schedule.network import CriticalPath, Network, Progress
from steps.schedule.plan import Plan


class Actual(NamedTuple):
    """The start and the finish of an activity, order or delivery; None if it has not happened.

    `out_of_sequence` is true while something before it is open. What comes after it then waits for that too.
    """

    started: datetime | None
    finished: datetime | None
    out_of_sequence: bool = False


UNTOUCHED = Actual(None, None)
Actuals = Mapping[str, Actual]


class Forecast(NamedTuple):
    """The forecast finish of the project and of each node that is not finished."""

    as_of: datetime
    finish: datetime
    nodes: dict[str, datetime]
    critical: tuple[str, ...]


def forecast(plan: Plan, actuals: Actuals, now: datetime) -> Forecast:
    """Return the forecast of an adopted plan from what has happened, by id, at the time `now`."""
    calendar = WorkCalendar.from_plan(plan)
    network = network_of(plan)
    progress = _progress(network, calendar, actuals, now)
    found = CriticalPath(network, calendar).solve(progress=progress, target=closing_node(network))
    ends = [calendar.at(float(hours)) for hours in found.early_finish]
    open_ = np.flatnonzero(np.isnan(progress.finished)).tolist()
    critical = critical_nodes(plan, network, found)
    starts = found.early_start.tolist()
    in_order = sorted(critical & set(open_), key=lambda index: (starts[index], index))
    return Forecast(
        as_of=now,
        finish=ends[last_node(network, found)],
        nodes={network.ids[index]: ends[index] for index in open_},
        critical=tuple(network.ids[index] for index in in_order),
    )


def _progress(network: Network, calendar: WorkCalendar, actuals: Actuals, now: datetime) -> Progress:
    """Return what has happened in elapsed hours. A node that only has a finish started then, too."""
    started = np.full(len(network.ids), np.nan)
    finished = started.copy()
    early = np.zeros(len(network.ids), dtype=bool)
    for index, name in enumerate(network.ids):
        actual = actuals.get(name, UNTOUCHED)
        early[index] = actual.out_of_sequence
        if actual.finished is not None:
            started[index] = finished[index] = calendar.hours_since_origin(actual.finished)
        if actual.started is not None:
            started[index] = calendar.hours_since_origin(actual.started)
    return Progress(started, finished, early, max(0.0, calendar.hours_since_origin(now)))
