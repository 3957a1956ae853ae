"""The site's working calendar, made of the columns of an adopted plan when a working lag first asks for it."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from steps.stamps import moment

if TYPE_CHECKING:
    from steps.schedule.calendar import WorkCalendar

MARGIN = timedelta(days=366)
"""The calendar reaches back this far before the plan's start, for work recorded from before."""


class WorkingTime(NamedTuple):
    """What the working calendar asks of a plan revision."""

    time_zone: str
    start: datetime
    working_days: tuple[int, ...]
    working_hours: tuple[float, float]
    holidays: tuple[str, ...]


class SiteCalendar:
    """The site's working calendar, made when a working lag first asks for it."""

    def __init__(
        self,
        time_zone: str,
        start: str,
        working_days: str,
        working_hours: str,
        holidays: str,
    ) -> None:
        """Take the columns of the plan revision in force."""
        opens, closes = json.loads(working_hours)
        begins = moment(start) - MARGIN
        days, free = tuple(json.loads(working_days)), tuple(json.loads(holidays))
        self._time = WorkingTime(
            time_zone,
            begins,
            days,
            (float(opens), float(closes)),
            free,
        )

    def add(self, start: datetime, hours: float) -> datetime:
        """Return the instant `hours` working hours after `start`."""
        return _work_calendar(self._time).add(start, hours)


@lru_cache(maxsize=8)
def _work_calendar(time: WorkingTime) -> WorkCalendar:
    from steps.schedule.calendar import (
        WorkCalendar,  # NumPy, which most decisions never need: few lags are working time
    )

    return WorkCalendar.from_plan(time)
