"""A schedule between programs: what all forms have in common, as values. Rows refer to each other by their index.

Instants are wall-clock times without an offset. Lengths are whole minutes: of the task's calendar for durations, of the link's
calendar for lags.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from functools import cached_property

from schedule.cpm.columns import Tie
from schedule.cpm.shifts import ShiftCalendar, continuous
from schedule.cpm.weekly import WeeklyHours, weekly_calendar

DAY = 1440
Spans = tuple[tuple[int, int], ...]
"""Working times of one day as minutes since midnight, in order; 1440 is the midnight that ends it."""
ALL_DAY: Spans = ((0, DAY),)
WEEKDAYS = range(7)


@dataclass(frozen=True)
class DayCalendar:
    """The working times of a week, Monday first, and of the days that differ from it."""

    name: str
    week: tuple[Spans, ...]
    exceptions: Mapping[date, Spans] = field(default_factory=dict)

    def spans_of(self, day: date) -> Spans:
        """Return the working times of a day."""
        return self.exceptions.get(day, self.week[day.weekday()])

    @property
    def is_continuous(self) -> bool:
        """Whether every minute is worked."""
        return all(spans == ALL_DAY for spans in self.week) and not self.exceptions

    @property
    def day_minutes(self) -> int:
        """The working minutes of the longest weekday."""
        return max(worked(spans) for spans in self.week)

    @property
    def week_minutes(self) -> int:
        """The working minutes of a week."""
        return sum(worked(spans) for spans in self.week)

    def shifts(self, zone: str, origin: datetime, known: tuple[date, date]) -> ShiftCalendar:
        """Return the shifts in minutes since `origin`. Raise InputError if nobody ever works."""
        if self.is_continuous:
            return continuous(self.name)
        days = {number + 1: _hours(spans) for number, spans in enumerate(self.week)}
        differing = {day: _hours(spans) for day, spans in self.exceptions.items()}
        return weekly_calendar(self.name, WeeklyHours(days, (), differing), zone=zone, origin=origin, known=known)


def worked(spans: Spans) -> int:
    """Return the minutes of working times."""
    return sum(end - start for start, end in spans)


def _hours(spans: Spans) -> list[tuple[time, time]]:
    return [(_clock(start), _clock(end)) for start, end in spans]


def _clock(minute: int) -> time:
    return time(minute // 60 % 24, minute % 60)


@dataclass(frozen=True, slots=True)
class Branch:
    """A node of the work breakdown structure. `parent` comes before it; None for the first level."""

    code: str
    title: str
    parent: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExchangeTask:
    """A task. `id` is ours, or the other program's; a task of no `minutes` is a milestone. `line` is where a file has it.

    `stated_percent` is what a file says is done, where it does not follow from the duration: physical work, units, or a person's word.
    """

    id: str
    title: str
    calendar: int
    minutes: int
    branch: int | None = None
    start: datetime | None = None
    finish: datetime | None = None
    late_start: datetime | None = None
    late_finish: datetime | None = None
    total_float: int | None = None
    free_float: int | None = None
    is_critical: bool = False
    baseline_start: datetime | None = None
    baseline_finish: datetime | None = None
    actual_start: datetime | None = None
    actual_finish: datetime | None = None
    remaining: int | None = None
    stated_percent: int | None = None
    no_earlier: datetime | None = None
    no_later: datetime | None = None
    line: int | None = None

    @property
    def left(self) -> int:
        """The minutes of work that remain."""
        if self.actual_finish is not None:
            return 0
        return self.minutes if self.remaining is None else self.remaining

    @property
    def percent(self) -> int:
        """How much is done, from 0 to 100: as the file states, else of the duration."""
        if self.actual_finish is not None:
            return 100
        if self.stated_percent is not None:
            return min(99, self.stated_percent)
        return self.percent_of_duration

    @property
    def percent_of_duration(self) -> int:
        """How much of the duration does not remain, from 0 to 99."""
        if self.actual_start is None or not self.minutes:
            return 0
        return max(0, min(99, round(100 * (1 - self.left / self.minutes))))


@dataclass(frozen=True, slots=True)
class ExchangeLink:
    """`after` waits for `before`. The lag counts on the calendar `lag_calendar`; a negative one is a lead."""

    before: int
    after: int
    type: Tie
    lag: int
    lag_calendar: int


@dataclass(frozen=True, slots=True)
class ExchangeResource:
    """A crew or another resource, and how much of it there is."""

    id: str
    title: str
    amount: int


@dataclass(frozen=True, slots=True)
class Assignment:
    """A task has an amount of a resource while it works."""

    task: int
    resource: int
    amount: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Appointment:
    """A day that people keep. Without a `finish` it is the whole day of its `start`."""

    id: str
    kind: str
    title: str
    start: datetime
    finish: datetime | None = None
    note: str = ""


@dataclass(frozen=True)
class Exchange:
    """A whole schedule. `zone` is the IANA time zone of its times; empty where a file has none.

    `calendars[0]` is the project's own. `baseline` names what the baseline dates are of.
    """

    name: str
    start: datetime
    data_date: datetime | None
    calendars: Sequence[DayCalendar]
    branches: Sequence[Branch]
    tasks: Sequence[ExchangeTask]
    links: Sequence[ExchangeLink]
    resources: Sequence[ExchangeResource] = ()
    assignments: Sequence[Assignment] = ()
    baseline: str = ""
    currency: str = "USD"
    zone: str = ""
    appointments: Sequence[Appointment] = ()

    @cached_property
    def finish(self) -> datetime:
        """The latest finish of a task."""
        return max((task.finish for task in self.tasks if task.finish is not None), default=self.start)

    @cached_property
    def into(self) -> list[list[ExchangeLink]]:
        """The links into each task."""
        found: list[list[ExchangeLink]] = [[] for _ in self.tasks]
        for link in self.links:
            found[link.after].append(link)
        return found

    @cached_property
    def out_of(self) -> list[list[ExchangeLink]]:
        """The links out of each task."""
        found: list[list[ExchangeLink]] = [[] for _ in self.tasks]
        for link in self.links:
            found[link.before].append(link)
        return found

    def known(self) -> tuple[date, date]:
        """Return the first and the last day for which calendars are worked out."""
        return (self.start - timedelta(days=3660)).date(), (self.start + timedelta(days=18_300)).date()
