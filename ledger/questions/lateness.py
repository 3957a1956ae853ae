"""The two ways in which work is late. Every view asks here, so that they show the same numbers.

- Past its planned finish: the plan's date has gone by, and the work is not finished.
- Forecast later than planned by N days: the forecast's finish is N days of the site's calendar after the plan's.
"""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from ledger.questions.kept_forecast import Freshness, KeptForecast
from ledger.questions.snapshot import Snapshot
from ledger.rules.activity import NOT_BEGUN, WORK_OVER, Activity, State, is_past_planned_finish
from steps.stamps import instant

_PLANNED = "SELECT id, state, early_finish FROM activity"


class Lateness(NamedTuple):
    """How many activities are past their planned finish, and how many are forecast later than planned.

    The second is None if there is no forecast.
    """

    past_planned_finish: int
    forecast_later: int | None

    def __str__(self) -> str:
        """Return both numbers in words."""
        past = self.past_planned_finish
        said = (
            "1 activity is past its planned finish"
            if past == 1
            else f"{past:,} activities are past their planned finish"
        )
        later = self.forecast_later
        if later is None:
            return said
        return f"{said}; {later:,} {'is' if later == 1 else 'are'} forecast later than planned"


def lateness(snapshot: Snapshot, fresh: Freshness | None) -> Lateness:
    """Return how many activities are late in each of the two ways."""
    found = fresh.forecast if fresh else None
    past = later = 0
    for name, stored, early_finish in snapshot.ask(_PLANNED):
        state, planned = State(stored), instant(early_finish)
        past += is_past_planned_finish(state, planned, snapshot.now)
        later += (later_by(found, name, state, planned) or 0) > 0
    return Lateness(past, None if found is None else later)


def days_later(found: KeptForecast | None, row: Activity) -> int | None:
    """Return by how many days an activity is forecast later than planned. Negative if it is forecast earlier.

    None if its work is finished, it has no planned dates, or there is no forecast of it.
    """
    dates = row.plan.dates
    return later_by(found, row.id, row.state, None if dates is None else dates.early_finish)


def finish_of(found: KeptForecast | None, name: str, state: State) -> datetime | None:
    """Return when an activity in a state is forecast to be finished. None if its work is finished, or there is no forecast of it."""
    return None if found is None or state in WORK_OVER else found.nodes.get(name)


def start_of(found: KeptForecast | None, row: Activity) -> datetime | None:
    """Return when work began, or is forecast to begin; as planned without a forecast. None for what has no dates."""
    if row.state not in NOT_BEGUN and row.started_at is not None:
        return row.started_at
    planned = row.plan.dates.early_start if row.plan.dates else None
    return planned if found is None or found.starts is None else found.starts.get(row.id, planned)


def later_by(
    found: KeptForecast | None,
    name: str,
    state: State,
    planned: datetime | None,
) -> int | None:
    """Return by how many days an activity in a state is forecast later than its planned finish, as `days_later` does."""
    finish = finish_of(found, name, state)
    if found is None or finish is None or planned is None:
        return None
    return found.days(planned, finish)
