"""How many crews of each trade are at work in each week of the adopted plan, and how many would be if there were enough.

It is counted of the working schedule as `clusterwright picture crews` counts it of a forecast. What work occupies beside crews, as
docks, is counted too.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

import msgspec

from ledger.questions.calendar import working_weeks
from ledger.questions.site import site_of
from ledger.questions.snapshot import Snapshot
from ledger.rules.activity import WORK_OVER
from ledger.rules.most_by_week import Openings, Stretch, mondays_of, most_by_week
from steps.stamps import moment

_WORK = """
SELECT id, role, state, percent, early_start, early_finish, plan FROM activity
WHERE in_plan AND early_start IS NOT NULL ORDER BY ordinal"""


class Limit(NamedTuple):
    """What a trade or a resource is called, and how much of it there is."""

    title: str
    there: int


class CrewWeek(NamedTuple):
    """The most crews at work at once in the week from a Monday on: as planned, and with as many as are wanted."""

    monday: date
    crews: int
    wanted: int


class TradeWeeks(NamedTuple):
    """A trade or a resource: how much there is, its weeks from the first to the last of the plan, and the crew-hours that are left.

    `work` has the ids of its activities. Hours of a resource are those of what is held: of docks, dock-hours.
    """

    name: str
    title: str
    is_trade: bool
    there: int
    weeks: tuple[CrewWeek, ...]
    hours_left: float
    work: tuple[str, ...]

    @property
    def most(self) -> int:
        """The most crews at work at once."""
        return max((week.crews for week in self.weeks), default=0)

    @property
    def mean(self) -> float:
        """The mean of the weeks in which some are at work."""
        busy = [week.crews for week in self.weeks if week.crews]
        return sum(busy) / len(busy) if busy else 0.0

    @property
    def full(self) -> int:
        """In how many weeks all are at work at once."""
        return sum(week.crews >= self.there for week in self.weeks)

    @property
    def short(self) -> int:
        """In how many weeks more are wanted than there are, so that work waits."""
        return sum(week.wanted > self.there for week in self.weeks)


class _Dates(msgspec.Struct):
    """The dates with unlimited crews. Plans from before the first levelling have none."""

    unlimited_start: datetime | None = None
    unlimited_finish: datetime | None = None


class _Hours(msgspec.Struct):
    m: float


class _Hold(msgspec.Struct):
    resource: str
    amount: int


class _Planned(msgspec.Struct):
    """What is counted of the plan's part of an activity."""

    calendar: str
    duration: _Hours
    dates: _Dates
    crews: int = 0
    holds: tuple[_Hold, ...] = ()


_planned = msgspec.json.Decoder(_Planned).decode


class _Work(NamedTuple):
    """An activity that has crews or holds something: its hours that are left, its dates, and those with unlimited crews."""

    id: str
    calendar: str
    hours_left: float
    planned: tuple[datetime, datetime]
    unlimited: tuple[datetime, datetime]
    holds: dict[str, int]
    """How much of what. A role stands for its crews."""

    role: str

    def stretch(self, dates: tuple[datetime, datetime], what: str) -> Stretch:
        """Return how much of something it has between two dates."""
        return Stretch(self.calendar, *dates, self.holds[what])


def crew_weeks(snapshot: Snapshot, limits: Mapping[str, Limit]) -> list[TradeWeeks]:
    """Return the weeks of every trade and resource that has work and a limit: first the trades, by title."""
    held: dict[str, list[_Work]] = defaultdict(list)
    for one in _all_work(snapshot):
        for what in one.holds.keys() & limits.keys():
            held[what].append(one)
    if not held:
        return []
    zone = ZoneInfo(site_of(snapshot).time_zone)
    first, last = _whole(held)
    openings = _openings(snapshot, zone, first, last)
    mondays = mondays_of(zone, first, last)
    rows = []
    for what, own in held.items():
        planned = [one.stretch(one.planned, what) for one in own]
        wanted = [one.stretch(one.unlimited, what) for one in own]
        days = [monday.astimezone(zone).date() for monday in mondays]
        crews = most_by_week(planned, openings, mondays)
        most_wanted = most_by_week(wanted, openings, mondays)
        weeks = tuple(map(CrewWeek, days, crews, most_wanted))
        rows.append(_row(what, limits[what], own, weeks))
    return sorted(rows, key=lambda row: (not row.is_trade, row.title))


def _row(
    what: str,
    limit: Limit,
    own: Sequence[_Work],
    weeks: tuple[CrewWeek, ...],
) -> TradeWeeks:
    return TradeWeeks(
        name=what,
        title=limit.title,
        is_trade=own[0].role == what,
        there=limit.there,
        weeks=weeks,
        hours_left=sum(one.hours_left * one.holds[what] for one in own),
        work=tuple(one.id for one in own),
    )


def _whole(held: Mapping[str, Sequence[_Work]]) -> tuple[datetime, datetime]:
    """Return when the first work begins and the last ends."""
    work = [one for own in held.values() for one in own]
    first = min(min(one.planned[0], one.unlimited[0]) for one in work)
    last = max(max(one.planned[1], one.unlimited[1]) for one in work)
    return first, last


def _all_work(snapshot: Snapshot) -> Iterator[_Work]:
    """Yield every planned activity that has crews, or holds something else."""
    for name, role, state, percent, start, finish, plan in snapshot.ask(_WORK):
        part = _planned(plan)
        holds = {hold.resource: hold.amount for hold in part.holds}
        if part.crews:
            holds[role] = part.crews
        if not holds:
            continue
        left = 0.0 if state in WORK_OVER else part.duration.m * (1 - (percent or 0) / 100)
        planned = (moment(start), moment(finish))
        unlimited = (part.dates.unlimited_start or planned[0], part.dates.unlimited_finish or planned[1])
        yield _Work(name, part.calendar, left, planned, unlimited, holds, role)


def _openings(snapshot: Snapshot, zone: ZoneInfo, first: datetime, last: datetime) -> Openings:
    """Return when each calendar of the plan in force is worked in a stretch of time."""
    begin = first.astimezone(zone).date() - timedelta(days=7)
    end = last.astimezone(zone).date()
    weeks = working_weeks(snapshot).items()
    return {name: list(week.shifts(begin, end, zone)) for name, week in weeks}
