"""The site's working calendar, from the columns of an adopted plan."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from steps.stamps import moment

if TYPE_CHECKING:
    from steps.planning.dates.calendar import WorkCalendar

MARGIN = timedelta(days=366)
"""How long before the plan's start the calendar begins, for work that was done before."""


class WorkingTime(NamedTuple):
    """The working time of a plan revision, as `WorkCalendar.from_plan` reads it."""

    time_zone: str
    start: datetime
    working_days: tuple[int, ...]
    working_hours: tuple[float, float]
    holidays: tuple[str, ...]


class SiteCalendar(NamedTuple):
    """The site's working calendar, as the columns of the plan revision in force. It is made when a working lag needs it."""

    time_zone: str
    start: str
    working_days: str
    working_hours: str
    holidays: str

    def add(self, start: datetime, hours: float) -> datetime:
        """Return the time `hours` working hours after `start`."""
        return _work_calendar(self).add(start, hours)


@lru_cache(maxsize=8)
def _work_calendar(columns: SiteCalendar) -> WorkCalendar:
    from steps.planning.dates.calendar import WorkCalendar  # it imports NumPy, and few lags are counted in working time

    opens, closes = json.loads(columns.working_hours)
    time = WorkingTime(
        columns.time_zone,
        moment(columns.start) - MARGIN,
        tuple(json.loads(columns.working_days)),
        (float(opens), float(closes)),
        tuple(json.loads(columns.holidays)),
    )
    return WorkCalendar.from_plan(time)
