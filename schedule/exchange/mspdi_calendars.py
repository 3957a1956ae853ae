"""The calendars of an MSPDI file: weeks, working weeks of a period, single and recurring exceptions, calendars of a base calendar."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from typing import TYPE_CHECKING

from schedule.exchange.model import ALL_DAY, DAY, DayCalendar, Spans
from schedule.exchange.recurring import MOST, Recurring, days_of
from schedule.exchange.xer_calendars import STANDARD_WEEK
from schedule.exchange.xml_reading import Located, XmlFile, instant_in, located, minute_of_day, whole_number

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

EXCEPTION = 0
"""The day type of an exception, as files until 2007 have it."""


def read_calendars(file: XmlFile) -> tuple[dict[int, DayCalendar], int]:
    """Return the calendars by their unique id, and the id of the project's own, which is the first of them."""
    own = Located(file.root, 0)
    found: dict[int, DayCalendar] = {}
    elements: dict[int, Located] = {}
    for one in located(file.root, "Calendar"):
        with file.at(one, "Calendar"):
            elements[whole_number(one.text("UID"))] = one
    default = -1
    with file.at(own, "CalendarUID"):
        default = whole_number(own.text("CalendarUID") or "-1")
    for uid in sorted(elements, key=lambda uid: uid != default):
        with file.at(elements[uid], "Calendar"):
            found[uid] = _calendar(elements, uid, set())
    return found or {default: DayCalendar("Standard", STANDARD_WEEK)}, default


def _calendar(elements: dict[int, Located], uid: int, seen: set[int]) -> DayCalendar:
    """Return a calendar. Days that it does not say are those of its base calendar."""
    one = elements[uid]
    if uid in seen:
        raise ValueError("a calendar is based on itself; name another base calendar")
    base = whole_number(one.text("BaseCalendarUID") or "-1")
    above = _calendar(elements, base, {*seen, uid}) if base in elements else None
    week: list[Spans] = list(above.week) if above else [()] * 7
    exceptions = dict(above.exceptions) if above else {}
    for day in one.element.iterfind("WeekDays/WeekDay"):
        kind = whole_number(day.findtext("DayType") or "0")
        if kind == EXCEPTION:
            exceptions |= dict.fromkeys(_period(day), _times(day))
        elif 1 <= kind <= 7:
            week[(kind - 2) % 7] = _times(day)
    for own in one.element.iterfind("WorkWeeks/WorkWeek"):
        exceptions |= _working_week(own)
    for exception in one.element.iterfind("Exceptions/Exception"):
        exceptions |= dict.fromkeys(days_of(_rule(exception)), _times(exception))
    return DayCalendar(one.text("Name") or f"calendar {uid}", tuple(week), exceptions)


def _working_week(own: Element) -> dict[date, Spans]:
    """Return the days of a working week that is in force for a period."""
    times: dict[int, Spans] = {}
    for day in own.iterfind("WeekDays/WeekDay"):
        times[(whole_number(day.findtext("DayType") or "0") - 2) % 7] = _times(day)
    return {day: times[day.weekday()] for day in _period(own) if day.weekday() in times}


def _period(element: Element) -> Iterator[date]:
    first, last = (instant_in((element.findtext(f"TimePeriod/{end}") or "").strip()) for end in ("FromDate", "ToDate"))
    if first is None or last is None:
        raise ValueError("a period of a calendar has no dates; fill in FromDate and ToDate")
    for number in range(min(MOST, (last.date() - first.date()).days + 1)):
        yield first.date() + timedelta(days=number)


def _rule(element: Element) -> Recurring:
    days = list(_period(element))
    if not days:
        raise ValueError("an exception of a calendar ends before it begins; correct its dates")

    def number(name: str, otherwise: int) -> int:
        return whole_number((element.findtext(name) or str(otherwise)).strip())

    return Recurring(
        type=number("Type", 1),
        first=days[0],
        last=days[-1],
        period=number("Period", 1),
        days=number("DaysOfWeek", 0),
        item=number("MonthItem", 0),
        place=number("MonthPosition", 0),
        month=number("Month", 0),
        day=number("MonthDay", 1),
        occurrences=number("Occurrences", MOST) if element.findtext("EnteredByOccurrences") == "1" else None,
    )


def _times(element: Element) -> Spans:
    """Return the working times of a day. A day of 24 hours ends in the midnight with which it began."""
    if (element.findtext("DayWorking") or "").strip() != "1":
        return ()
    spans = []
    for time in element.iterfind("WorkingTimes/WorkingTime"):
        begins, ends = (time.findtext("FromTime") or "").strip(), (time.findtext("ToTime") or "").strip()
        if begins and ends:
            start, end = minute_of_day(begins), minute_of_day(ends) or DAY
            if end <= start:
                raise ValueError(f"working time from {begins} to {ends} ends before it begins; correct it")
            spans.append((start, end))
    return tuple(sorted(spans)) if spans != [(0, DAY)] else ALL_DAY
