"""The site's working time, as the plan in force has it."""

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
    """The days on which the site works, and for how many hours. Every day, all day, before a plan is in force."""

    days: frozenset[int]
    hours_a_day: float
    holidays: frozenset[str]

    def before(self, day: date, hours: float) -> date:
        """Return the day that is so many working hours before a day, by whole working days."""
        found, left = day, ceil(hours / self.hours_a_day)
        while left > 0:
            found -= timedelta(days=1)
            left -= found.isoweekday() in self.days and found.isoformat() not in self.holidays
        return found


def working_days(snapshot: Snapshot) -> WorkingDays:
    """Return the site's working days."""
    found = snapshot.db.execute(_PLAN).fetchone()
    _, _, days, hours, holidays = found or ("", "", "[1, 2, 3, 4, 5]", "[0, 24]", "[]")
    opens, closes = json.loads(hours)
    return WorkingDays(
        frozenset(json.loads(days)),
        float(closes) - float(opens),
        frozenset(words(holidays)),
    )


def working_time_after(snapshot: Snapshot, hours: float) -> datetime:
    """Return the instant so many working hours after the snapshot's time."""
    if not hours:
        return snapshot.now
    plan = snapshot.db.execute(_PLAN).fetchone()
    return SiteCalendar(*plan).add(snapshot.now, hours)
