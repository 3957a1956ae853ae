"""The calendars of a site file as a plan keeps them: public holidays become days.

The end of a plan is known only when it is solved. So public holidays are resolved for all years in which a plan can have dates,
which is as long as a calendar's table.
"""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

from steps.catalog.schema import Step
from steps.design.calendars import Calendar
from steps.design.public_holidays import public_holidays
from steps.design.site import Site
from steps.schedule.activity import WORKING
from steps.schedule.calendar import SPAN_YEARS, WorkCalendar
from steps.schedule.durations import calendar_of
from steps.schedule.plan import PlanCalendar

SPAN = timedelta(days=366 * SPAN_YEARS)


def site_calendar(site: Site) -> WorkCalendar:
    """Return the site's working calendar. It begins at midnight of the site's start date."""
    midnight = datetime.combine(site.start, time(), ZoneInfo(site.time_zone))
    kept = site.calendar
    return WorkCalendar(midnight.astimezone(UTC), site.time_zone, kept.working_days, kept.hours, days_off(kept, site))


def trade_calendars(site: Site) -> dict[str, PlanCalendar]:
    """Return the calendars that trades keep instead of the site's, by name."""
    found = {}
    for name in sorted(set(site.trades.values())):
        kept = site.calendars[name].like(site.calendar)
        found[name] = PlanCalendar(
            working_days=kept.working_days, working_hours=kept.hours, holidays=days_off(kept, site)
        )
    return found


def days_off(calendar: Calendar, site: Site) -> tuple[str, ...]:
    """Return the days on which no shift begins, in order: public holidays from a year before the start on, and others."""
    days = set(calendar.holidays)
    if calendar.public_holidays is not None:
        first, last = site.start.year - 1, (site.start + SPAN).year
        days |= set(public_holidays(calendar.public_holidays, first, last))
    return tuple(day.isoformat() for day in sorted(days))


def calendar_of_work(step: Step, site: Site) -> str:
    """Return the calendar on which a step is worked at a site: that of its trade, or around the clock."""
    own = calendar_of(step)
    return site.trades.get(step.crew.role, own) if own == WORKING else own
