"""What people have to do in the days ahead: by person where an activity is assigned, otherwise by role."""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from typing import NamedTuple

from ledger.questions.activities import activities
from ledger.questions.kept_forecast import KeptForecast, kept_forecast
from ledger.questions.lateness import start_of
from ledger.questions.snapshot import Snapshot
from ledger.rules.activity import OVER, Activity, State
from ledger.rules.rows import grouped
from steps.catalog.terms import PEOPLES_WORK


class WorkloadRow(NamedTuple):
    """The open work of a person or a role. `person_hours` is planned: the duration times the size of the crew."""

    who: str
    activities: int
    ready: int
    in_progress: int
    awaiting_sign_off: int
    past_planned_finish: int
    person_hours: float


def workload(snapshot: Snapshot, until: datetime) -> list[WorkloadRow]:
    """Return who has what to do until a time, the most hours first.

    That is the work of people which has begun, which may start now, or which is to start before `until`: as forecast, else as planned.
    """
    fresh = kept_forecast(snapshot)
    forecast = fresh.forecast if fresh else None
    work = (row for row in activities(snapshot) if row.plan.kind in PEOPLES_WORK)
    due = (row for row in work if row.state not in OVER and _is_due(row, forecast, until))
    by_person = grouped((row.assignee or row.plan.role, row) for row in due)
    rows = [_workload(who, found) for who, found in by_person.items()]
    return sorted(rows, key=lambda row: (-row.person_hours, row.who))


def _is_due(row: Activity, forecast: KeptForecast | None, until: datetime) -> bool:
    start = start_of(forecast, row)
    return row.state is not State.BLOCKED or (start is not None and start < until)


def _workload(who: str, found: list[Activity]) -> WorkloadRow:
    states = Counter(row.state for row in found)
    plans = [row.plan for row in found if row.finished_at is None]
    hours = sum(plan.duration.m * plan.crew_size for plan in plans)
    past = sum(row.past_planned_finish for row in found)
    return WorkloadRow(
        who,
        len(found),
        states[State.READY],
        states[State.IN_PROGRESS],
        states[State.AWAITING_SIGN_OFF],
        past,
        hours,
    )
