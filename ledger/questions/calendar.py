"""The site's working days and working time, as the plan in force defines them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, time, timedelta
from math import ceil
from typing import NamedTuple
from zoneinfo import ZoneInfo

from ledger.questions.snapshot import Snapshot
from ledger.rules.activity import Activity
from ledger.rules.working_time import SiteCalendar
from steps.planning.activity import WORKING
from steps.planning.working_hours import in_words

_PLAN = """
SELECT time_zone, start, working_days, working_hours, holidays FROM plan_revision ORDER BY revision DESC LIMIT 1"""
_CALENDARS = "SELECT working_days, working_hours, holidays, calendars FROM plan_revision ORDER BY revision DESC LIMIT 1"


class WorkingWeek(NamedTuple):
    """The weekdays, hours and days off of a calendar. An end above 24 is on the next day."""

    days: tuple[int, ...]
    hours: tuple[float, float]
    holidays: frozenset[str] = frozenset()

    @property
    def hours_a_day(self) -> float:
        """The working hours of a day."""
        opens, closes = self.hours
        return closes - opens

    def is_worked(self, day: date) -> bool:
        """Return whether a day is worked."""
        return day.isoweekday() in self.days and day.isoformat() not in self.holidays

    def before(self, day: date, hours: float) -> date:
        """Return the day that is this many working hours earlier, rounded up to whole working days."""
        found, left = day, ceil(hours / self.hours_a_day)
        while left > 0:
            found -= timedelta(days=1)
            left -= self.is_worked(found)
        return found

    def shifts(
        self,
        first: date,
        last: date,
        zone: ZoneInfo,
    ) -> Iterator[tuple[datetime, datetime]]:
        """Yield when work begins and ends on each day that is worked."""
        for number in range((last - first).days + 1):
            day = first + timedelta(days=number)
            if self.is_worked(day):
                midnight = datetime.combine(day, time())
                local = (midnight + timedelta(hours=hour) for hour in self.hours)
                opens, closes = (one.replace(tzinfo=zone).astimezone(UTC) for one in local)
                yield opens, closes

    def __str__(self) -> str:
        """Return the days and hours in words."""
        return in_words(self.days, self.hours)


UNPLANNED = WorkingWeek((1, 2, 3, 4, 5), (0, 24))
"""The site's working days before a plan is adopted."""


def working_weeks(snapshot: Snapshot) -> dict[str, WorkingWeek]:
    """Return the working calendars of the plan in force, by name: the site's, and those of trades."""
    found = snapshot.first(_CALENDARS)
    if found is None:
        return {}
    days, hours, holidays, calendars = map(json.loads, found)
    weeks: dict[str, WorkingWeek] = {WORKING: WorkingWeek(days, hours, frozenset(holidays))}
    for name, own in calendars.items():
        weeks[name] = WorkingWeek(own["working_days"], own["working_hours"], frozenset(own["holidays"]))
    return weeks


def float_words(row: Activity, weeks: Mapping[str, WorkingWeek]) -> str:
    """Return the float of an activity in days of its calendar, in words; empty where it has no dates. `weeks` are by calendar."""
    if row.plan.dates is None:
        return ""
    if row.is_critical:
        return "critical"
    week, hours = weeks.get(row.plan.calendar), row.plan.dates.total_float_h
    kind = "" if week is None else "working "
    number = hours / (24 if week is None else week.hours_a_day)
    if number >= 1:
        return f"float {number:.0f} {kind}{'day' if round(number) == 1 else 'days'}"
    return f"float {hours:.0f} {kind}{'hour' if round(hours) == 1 else 'hours'}"


def working_time_after(snapshot: Snapshot, hours: float) -> datetime:
    """Return the moment that is this many working hours after the snapshot's time."""
    if not hours:
        return snapshot.now
    plan = snapshot.first(_PLAN)
    return SiteCalendar(*plan).add(snapshot.now, hours)
