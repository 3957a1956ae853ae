"""The site's working days and working time, as the plan in force defines them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date, datetime, timedelta
from math import ceil
from typing import NamedTuple

from ledger.questions.snapshot import Snapshot
from ledger.rules.activity import Activity, words
from ledger.rules.working_time import SiteCalendar
from steps.planning.activity import WORKING
from steps.planning.working_hours import in_words

_PLAN = """
SELECT time_zone, start, working_days, working_hours, holidays FROM plan_revision ORDER BY revision DESC LIMIT 1"""


_CALENDARS = "SELECT working_days, working_hours, calendars FROM plan_revision ORDER BY revision DESC LIMIT 1"


class WorkingWeek(NamedTuple):
    """The weekdays and hours of a calendar. An end above 24 is on the next day."""

    days: tuple[int, ...]
    hours: tuple[float, float]

    @property
    def hours_a_day(self) -> float:
        """The working hours of a day."""
        opens, closes = self.hours
        return closes - opens

    def __str__(self) -> str:
        """Return the days and hours in words."""
        return in_words(self.days, self.hours)


class WorkingDays(NamedTuple):
    """The weekdays on which the site works, its hours a day, and its holidays."""

    days: frozenset[int]
    hours_a_day: float
    holidays: frozenset[str]

    def before(self, day: date, hours: float) -> date:
        """Return the day that is this many working hours earlier, rounded up to whole working days."""
        found, left = day, ceil(hours / self.hours_a_day)
        while left > 0:
            found -= timedelta(days=1)
            left -= found.isoweekday() in self.days and found.isoformat() not in self.holidays
        return found


def working_days(snapshot: Snapshot) -> WorkingDays:
    """Return the site's working days. Before a plan is adopted they are Monday to Friday, 24 hours a day."""
    found = snapshot.first(_PLAN)
    _, _, days, hours, holidays = found or ("", "", "[1, 2, 3, 4, 5]", "[0, 24]", "[]")
    opens, closes = json.loads(hours)
    return WorkingDays(
        frozenset(json.loads(days)),
        float(closes) - float(opens),
        frozenset(words(holidays)),
    )


def working_weeks(snapshot: Snapshot) -> dict[str, WorkingWeek]:
    """Return the working calendars of the plan in force, by name: the site's, and those of trades."""
    found = snapshot.first(_CALENDARS)
    if found is None:
        return {}
    days, hours, calendars = map(json.loads, found)
    weeks: dict[str, WorkingWeek] = {WORKING: WorkingWeek(days, hours)}
    for name, own in calendars.items():
        weeks[name] = WorkingWeek(own["working_days"], own["working_hours"])
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
