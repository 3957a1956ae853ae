"""When it will be finished, seen from the data date: what has happened is fixed, the rest follows it.

A started activity ends its planned duration after its start, never before the data date (retained logic).
An order placed late, or promised for another day, moves what waits for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple

import numpy as np

from steps.schedule.calendar import WorkCalendar
from steps.schedule.network import CriticalPath, Progress
from steps.schedule.plan import Plan
from steps.schedule.planner import critical_nodes, network_of


class Actual(NamedTuple):
    """When an activity, order or delivery started and finished, None where it has not."""

    started: datetime | None
    finished: datetime | None


class Forecast(NamedTuple):
    """The forecast finish of the project and of each node that is not finished."""

    as_of: datetime
    finish: datetime
    nodes: dict[str, datetime]
    critical: tuple[str, ...]


def forecast(plan: Plan, actuals: Mapping[str, Actual], now: datetime) -> Forecast:
    """Return the forecast of an adopted plan from what the ledger says has happened."""
    calendar = WorkCalendar.from_plan(plan)
    network = network_of(plan)
    n = len(network.ids)
    started, finished = np.full(n, np.nan), np.full(n, np.nan)
    for index, name in enumerate(network.ids):
        actual = actuals.get(name)
        if actual is None:
            continue
        if actual.started is not None:
            started[index] = calendar.hours_since_origin(actual.started)
        if actual.finished is not None:
            finished[index] = calendar.hours_since_origin(actual.finished)
            started[index] = finished[index] if np.isnan(started[index]) else started[index]
    progress = Progress(started, finished, max(0.0, calendar.hours_since_origin(now)))
    closing = next((i for i, name in enumerate(network.ids) if name.startswith("195@")), None)
    found = CriticalPath(network, calendar).solve(progress=progress, target=closing)
    last = closing if closing is not None else int(np.argmax(found.early_finish))
    return Forecast(
        as_of=now,
        finish=calendar.at(float(found.early_finish[last])),
        nodes={
            name: calendar.at(float(found.early_finish[i]))
            for i, name in enumerate(network.ids)
            if np.isnan(finished[i])
        },
        critical=tuple(
            network.ids[i]
            for i in sorted(
                critical_nodes(plan, network, found, [closing] if closing is not None else []),
                key=lambda i: float(found.early_start[i]),
            )
            if np.isnan(finished[i])
        ),
    )
