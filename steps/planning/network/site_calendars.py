"""The calendars of a site file as a plan keeps them: public holidays become days.

The end of a plan is known only when it is solved. So public holidays are resolved for all years in which a plan can have dates,
which is as long as a calendar's table.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, time, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from steps.catalog.schema import Step
from steps.catalog.terms import SHIFT_H, WITH_OFFICES
from steps.design.calendars import Calendar
from steps.design.public_holidays import public_holidays
from steps.design.shifts import ONE_SHIFT, worked
from steps.design.site import Site
from steps.planning.activity import WORKING
from steps.planning.dates.calendar import SPAN_YEARS, WorkCalendar
from steps.planning.network.durations import WORKING_DAY, is_elapsed
from steps.planning.plan import PlanCalendar

SPAN = timedelta(days=366 * SPAN_YEARS)


def site_calendar(site: Site) -> WorkCalendar:
    """Return the site's working calendar. It begins on the site's start date, at midnight or at the hour that the site says."""
    begins = datetime.combine(site.start, time(site.start_hour), ZoneInfo(site.time_zone))
    kept = site.calendar
    return WorkCalendar(begins.astimezone(UTC), site.time_zone, kept.working_days, kept.hours, days_off(kept, site))


class Worked(NamedTuple):
    """A calendar of a plan before public holidays are days: its name, whose days it has, and the hours of a day."""

    name: str
    calendar: Calendar
    hours: tuple[float, float]


def calendar_of_work(step: Step, site: Site, figures: Mapping[str, float]) -> Worked | None:
    """Return the calendar on which a step is worked at a site. None is time around the clock.

    Crews work the shifts of their trade. What is counted in working days, as a negotiation, keeps office hours. Neither it nor an
    inspection has the shifts and days of `every-trade`, since offices and authorities do not.
    """
    if is_elapsed(step):
        return None
    role = step.crew.role
    in_office = step.duration.fixed.unit == WORKING_DAY
    with_office = in_office or step.kind in WITH_OFFICES
    kept, calendar = site.kept_by(role, as_office=with_office), site.calendar_of(role, as_office=with_office)
    if in_office:
        name, hours = "office", office_hours(calendar)
    else:
        shifts = site.shifts_of(role, as_office=with_office)
        name, hours = str(shifts), calendar.hours if shifts == ONE_SHIFT else worked(calendar, shifts, figures)
    if hours == calendar.hours:
        return Worked(kept or WORKING, calendar, hours)
    return Worked(f"{kept}, {name}" if kept else name, calendar, hours)


def office_hours(calendar: Calendar) -> tuple[float, float]:
    """Return the hours of a working day of an office: the first eight of the calendar's, or all if it has fewer."""
    opens, closes = calendar.hours
    return opens, min(closes, opens + SHIFT_H)


def hours_open(hours: tuple[float, float]) -> float:
    """Return how many hours a day is that opens and closes so."""
    opens, closes = hours
    return closes - opens


def plan_calendars(worked_on: Iterable[Worked | None], site: Site) -> dict[str, PlanCalendar]:
    """Return the calendars of a plan besides the site's, by name: those on which something is worked."""
    found = {one.name: one for one in worked_on if one is not None and one.name != WORKING}
    return {
        name: PlanCalendar(
            working_days=one.calendar.working_days, working_hours=one.hours, holidays=days_off(one.calendar, site)
        )
        for name, one in sorted(found.items())
    }


def days_off(calendar: Calendar, site: Site) -> tuple[str, ...]:
    """Return the days on which no shift begins, in order: public holidays from a year before the start on, and others."""
    days = set(calendar.holidays)
    region = calendar.holidays_of(site.country)
    if region is not None:
        first, last = site.start.year - 1, (site.start + SPAN).year
        days |= set(public_holidays(region, first, last))
    return tuple(day.isoformat() for day in sorted(days))
