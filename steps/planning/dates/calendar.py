"""Working time: converts instants to working hours and back.

A calendar is a cumulative table of working hours over elapsed hours since an origin, in UTC. So daylight saving is right,
and both conversions are a search in the table. `working` follows the days and hours of the site in its time zone; `elapsed`
runs around the clock.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import cached_property, lru_cache
from typing import Any, Protocol
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray

from steps.planning.activity import WORKING

Floats = NDArray[np.float64]

SPAN_YEARS = 15
"""The length of a table; the longest supply chain known (utility, then transformers) takes less than 9 years."""


class DaysAndHours(Protocol):
    """Days and hours of work, and days off: those of a site, or of trades that do not keep the site's."""

    @property
    def working_days(self) -> tuple[int, ...]: ...  # noqa: D102  the class says it
    @property
    def working_hours(self) -> tuple[float, float]: ...  # noqa: D102  the class says it
    @property
    def holidays(self) -> tuple[str, ...]: ...  # noqa: D102  the class says it


class CalendarFacts(DaysAndHours, Protocol):
    """The site's working time, as a plan or a ledger row has it."""

    @property
    def time_zone(self) -> str: ...  # noqa: D102  the class says it
    @property
    def start(self) -> datetime: ...  # noqa: D102  the class says it


class SiteAndTrades(CalendarFacts, Protocol):
    """The working time of a plan: the site's, and others by name."""

    @property
    def calendars(self) -> Mapping[str, DaysAndHours]: ...  # noqa: D102  the class says it


@dataclass(frozen=True)
class WorkCalendar:
    """Working days and hours at a site, counted in hours since `origin`.

    An end of the working hours above 24 is on the next day; such a shift belongs to the day on which it begins.
    """

    origin: datetime
    time_zone: str
    working_days: tuple[int, ...]
    working_hours: tuple[float, float]
    holidays: tuple[str, ...] = ()

    @classmethod
    def from_plan(cls, facts: CalendarFacts) -> WorkCalendar:
        """Return the calendar of a plan, or of a ledger row with the same fields."""
        return _shared(
            facts.start.astimezone(UTC).replace(minute=0, second=0, microsecond=0),
            facts.time_zone,
            tuple(facts.working_days),
            (float(facts.working_hours[0]), float(facts.working_hours[1])),
            tuple(facts.holidays),
        )

    @property
    def hours_per_day(self) -> float:
        """Working hours in a working day."""
        return self.working_hours[1] - self.working_hours[0]

    @cached_property
    def cumulative(self) -> Floats:
        """Working hours before each quarter hour since the origin; shape (quarters + 1,)."""
        return _cumulative(self)

    @cached_property
    def _quarters(self) -> Floats:
        """Kept, since every lag would make these half a million floats again."""
        return np.arange(len(self.cumulative), dtype=np.float64)

    def work_at(self, t: Floats | float) -> Any:
        """Return the working hours between the origin and `t` elapsed hours."""
        position = np.asarray(t, dtype=np.float64) * 4
        return np.interp(position, self._quarters, self.cumulative)

    def finish_at(self, work: Floats | float) -> Any:
        """Return the earliest elapsed hour by which `work` working hours have passed."""
        table = self.cumulative
        wanted = np.round(np.asarray(work, dtype=np.float64), 9)
        index = np.searchsorted(table, wanted - 1e-9, side="left")
        index = np.clip(index, 0, len(table) - 1)
        return (index - np.maximum(table[index] - wanted, 0) * 4) / 4

    def start_at(self, work: Floats | float) -> Any:
        """Return the latest elapsed hour by which no more than `work` working hours have passed."""
        table = self.cumulative
        wanted = np.round(np.asarray(work, dtype=np.float64), 9)
        index = np.searchsorted(table, wanted + 1e-9, side="right") - 1
        index = np.clip(index, 0, len(table) - 1)
        return (index + np.maximum(wanted - table[index], 0) * 4) / 4

    def between(self, begins: datetime, ends: datetime) -> float:
        """Return the working hours between two instants."""
        return float(self.work_at(self.hours_since_origin(ends)) - self.work_at(self.hours_since_origin(begins)))

    def add(self, start: datetime, hours: float) -> datetime:
        """Return the instant `hours` working hours after `start`; zero hours is `start` itself."""
        if hours == 0:
            return start
        elapsed = (start - self.origin) / timedelta(hours=1)
        finish = float(self.finish_at(self.work_at(elapsed) + hours))
        return self.at(finish)

    def at(self, elapsed: float) -> datetime:
        """Return the UTC instant `elapsed` hours after the origin, to the second."""
        return self.origin + timedelta(seconds=round(elapsed * 3600))

    def hours_since_origin(self, instant: datetime) -> float:
        """Return elapsed hours from the origin to an instant."""
        return (instant - self.origin) / timedelta(hours=1)


def calendars_of(plan: SiteAndTrades) -> dict[str, WorkCalendar]:
    """Return the working calendars of a plan by name: the site's first, then those of trades. All have one origin."""
    site = WorkCalendar.from_plan(plan)
    found: dict[str, WorkCalendar] = {WORKING: site}
    for name, own in sorted(plan.calendars.items()):
        opens, closes = own.working_hours
        days, hours = tuple(own.working_days), (float(opens), float(closes))
        found[name] = _shared(site.origin, site.time_zone, days, hours, tuple(own.holidays))
    return found


@lru_cache(maxsize=32)
def _shared(
    origin: datetime,
    time_zone: str,
    days: tuple[int, ...],
    hours: tuple[float, float],
    holidays: tuple[str, ...],
) -> WorkCalendar:
    """Return one calendar object for each set of facts, since its table takes long to make."""
    return WorkCalendar(origin, time_zone, days, hours, holidays)


def _cumulative(calendar: WorkCalendar) -> Floats:
    """Return the table in quarter hours, which fit every zone's offset (India, Nepal) and the times of shifts."""
    zone = ZoneInfo(calendar.time_zone)
    days = SPAN_YEARS * 366
    working = np.zeros(days * 96 + 1, dtype=np.float64)
    holidays = {date.fromisoformat(day) for day in calendar.holidays}
    first = calendar.origin.astimezone(zone).date() - timedelta(days=1)
    opens, closes = calendar.working_hours
    quarter = timedelta(minutes=15)
    for number in range(days + 1):
        day = first + timedelta(days=number)
        if day.isoweekday() not in calendar.working_days or day in holidays:
            continue
        first_quarter, last_quarter = (
            round((_instant(day, hour, zone) - calendar.origin) / quarter) for hour in (opens, closes)
        )
        working[max(0, first_quarter + 1) : max(0, last_quarter + 1)] = 0.25
    return np.cumsum(working)


def _instant(day: date, hour: float, zone: ZoneInfo) -> datetime:
    """Return the instant of an hour by the clocks of a zone; one above 24 is on the next day."""
    days, within = divmod(hour, 24)
    at = time(int(within), round(within % 1 * 60))
    return datetime.combine(day + timedelta(days=int(days)), at, tzinfo=zone).astimezone(UTC)
