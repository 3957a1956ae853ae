"""The site's working days and working time, as the plan in force defines them."""

from __future__ import annotations

import json
from datetime import date, datetime, timedelta
from math import ceil
from typing import NamedTuple

from ledger.questions.snapshot import Snapshot
from ledger.rules.activity import words
from ledger.rules.working_time import SiteCalendar

_PLAN = """
SELECT time_zone, start, working_days, working_hours, holidays FROM plan_revision ORDER BY revision DESC LIMIT 1"""


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


def working_time_after(snapshot: Snapshot, hours: float) -> datetime:
    """Return the moment that is this many working hours after the snapshot's time."""
    if not hours:
        return snapshot.now
    plan = snapshot.first(_PLAN)
    return SiteCalendar(*plan).add(snapshot.now, hours)
