"""The calendars of an MSPDI file: weeks, working weeks of a period, single and recurring exceptions, calendars of a base calendar."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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

MOST_BASES = 10
"""On how many others a calendar may be based, one on the next. Microsoft Project has one."""

MOST_DAYS = 1_000_000
"""How many days all calendars of a file may look at: those of their exceptions, and those of their base calendars."""


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
    reading = _Reading(elements)
    for uid in sorted(elements, key=lambda uid: uid != default):
        with file.at(elements[uid], "Calendar"):
            found[uid] = reading.calendar(uid)
    return found or {default: DayCalendar("Standard", STANDARD_WEEK)}, default


class _Reading:
    """The calendars while they are read, and how many days they looked at."""

    def __init__(self, elements: Mapping[int, Located]) -> None:
        self._elements = elements
        self._days = 0

    def calendar(self, uid: int, bases: int = 0) -> DayCalendar:
        """Return a calendar. Days that it does not say are those of its base calendar."""
        one = self._elements[uid]
        if bases > MOST_BASES:
            raise ValueError(f"a calendar is based on itself, or on more than {MOST_BASES}; name another base calendar")
        base = whole_number(one.text("BaseCalendarUID") or "-1")
        above = self.calendar(base, bases + 1) if base in self._elements else None
        week: list[Spans] = list(above.week) if above else [()] * 7
        exceptions = dict(above.exceptions) if above else {}
        self._count(len(exceptions))
        for day in one.element.iterfind("WeekDays/WeekDay"):
            kind = whole_number(day.findtext("DayType") or "0")
            if kind == EXCEPTION:
                exceptions |= dict.fromkeys(self._period(day), _times(day))
            elif 1 <= kind <= 7:
                week[(kind - 2) % 7] = _times(day)
        for own in one.element.iterfind("WorkWeeks/WorkWeek"):
            exceptions |= self._working_week(own)
        for exception in one.element.iterfind("Exceptions/Exception"):
            exceptions |= dict.fromkeys(days_of(self._rule(exception)), _times(exception))
        return DayCalendar(one.text("Name") or f"calendar {uid}", tuple(week), exceptions)

    def _count(self, days: int) -> None:
        """Count days. Raise ValueError if there are more than any plan has: a small file may name each day of two centuries often."""
        self._days += days
        if self._days > MOST_DAYS:
            raise ValueError(f"the calendars have more than {MOST_DAYS:,} days off; take out those that nobody needs")

    def _working_week(self, own: Element) -> dict[date, Spans]:
        """Return the days of a working week that is in force for a period."""
        times: dict[int, Spans] = {}
        for day in own.iterfind("WeekDays/WeekDay"):
            times[(whole_number(day.findtext("DayType") or "0") - 2) % 7] = _times(day)
        return {day: times[day.weekday()] for day in self._period(own) if day.weekday() in times}

    def _period(self, element: Element) -> Sequence[date]:
        first, last = (
            instant_in((element.findtext(f"TimePeriod/{end}") or "").strip()) for end in ("FromDate", "ToDate")
        )
        if first is None or last is None:
            raise ValueError("a period of a calendar has no dates; fill in FromDate and ToDate")
        length = max(0, min(MOST, (last.date() - first.date()).days + 1))
        self._count(length)
        return [first.date() + timedelta(days=number) for number in range(length)]

    def _rule(self, element: Element) -> Recurring:
        days = self._period(element)
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
            occurrences=max(0, number("Occurrences", MOST))
            if element.findtext("EnteredByOccurrences") == "1"
            else None,
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
