"""The calendars of a site file: the site's own, others by name, and which trades keep one of them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Annotated

from pydantic import AfterValidator, Field

from schedule.errors import InputError, Place
from steps.catalog.schema import Closed
from steps.design.public_holidays import Region
from steps.yaml_lines import Lines, line_of

DAY_H = 24.0
RESERVED = ("working", "elapsed")
"""What a plan calls the site's calendar, and time around the clock."""

Weekday = Annotated[int, Field(ge=1, le=7)]


def _shift(hours: tuple[float, float]) -> tuple[float, float]:
    """Return the hours of a day. An end on the next day is above 24, so that the end is always after the beginning."""
    opens, closes = hours
    if not (0 <= opens < DAY_H and 0 <= closes <= DAY_H) or opens == closes:
        raise ValueError(
            "hours are from one hour of the day to another, both between 0 and 24, as [8, 16], or [22, 6] over midnight"
        )
    if opens * 4 % 1 or closes * 4 % 1:
        raise ValueError("hours are in quarters, as 7.25 for a quarter past seven")
    return (opens, closes) if opens < closes else (opens, closes + DAY_H)


def _days_once(days: tuple[int, ...]) -> tuple[int, ...]:
    if not days:
        raise ValueError("a calendar needs at least one working day")
    if len(set(days)) < len(days):
        raise ValueError("each working day is written once")
    return days


class Calendar(Closed):
    """Working days (ISO, Monday is 1), site-local hours, and days off: those of a country, and others.

    Without `public_holidays` those of the site's country are days off; `none` means none.
    """

    working_days: Annotated[tuple[Weekday, ...], AfterValidator(_days_once)] = (1, 2, 3, 4, 5)
    hours: Annotated[tuple[float, float], AfterValidator(_shift)] = (8.0, 16.0)
    public_holidays: Region = None
    holidays: tuple[date, ...] = ()

    def holidays_of(self, country: str) -> str | None:
        """Return whose public holidays are days off at a site in this country, None if nobody's."""
        return self.public_holidays if "public_holidays" in self.model_fields_set else country

    def like(self, site: Calendar) -> Calendar:
        """Return the calendar with what it leaves out as the site has it."""
        return site.model_copy(update={name: getattr(self, name) for name in self.model_fields_set})


def refuse_unknown_calendars(
    calendars: Mapping[str, Calendar], trades: Mapping[str, str], lines: Lines, file: str
) -> None:
    """Raise InputError for a calendar with a name that plans use themselves, and for a trade on a calendar that is not there."""
    for name in calendars:
        if name in RESERVED:
            raise InputError(
                f"no calendar can be called {name!r}: a plan has one of that name",
                hint="write another name",
                place=Place(file, line_of(lines, ("calendars", name)), f"calendars.{name}"),
            )
    for role, name in trades.items():
        if name not in calendars:
            known = f"there are: {', '.join(calendars)}" if calendars else "write it under calendars"
            raise InputError(
                f"there is no calendar {name!r}",
                hint=f"{known}; a trade that is left out keeps the site's calendar",
                place=Place(file, line_of(lines, ("trades", role)), f"trades.{role}"),
            )
