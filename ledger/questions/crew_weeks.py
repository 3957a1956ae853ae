"""How many crews of each trade are at work in each week of the adopted plan, and how many would be if there were enough.

It is counted of the working schedule as `clusterwright picture crews` counts it of a forecast. What work occupies beside crews, as
docks, is counted too.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import date, datetime, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

import msgspec

from ledger.questions.snapshot import Snapshot
from ledger.rules.activity import WORK_OVER
from ledger.rules.most_by_week import Openings, Stretch, mondays_of, most_by_week, shifts
from steps.planning.activity import WORKING
from steps.stamps import moment

_WORK = """
SELECT id, role, state, percent, early_start, early_finish, plan FROM activity
WHERE in_plan AND early_start IS NOT NULL ORDER BY ordinal"""
_CALENDARS = """
SELECT time_zone, working_days, working_hours, holidays, calendars FROM plan_revision ORDER BY revision DESC LIMIT 1"""


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


def crew_weeks(snapshot: Snapshot, limits: Mapping[str, Limit]) -> list[TradeWeeks]:
    """Return the weeks of every trade and resource that has work and a limit: first the trades, by title."""
    held: dict[str, list[_Work]] = defaultdict(list)
    for one in _all_work(snapshot):
        for what in one.holds.keys() & limits.keys():
            held[what].append(one)
    if not held:
        return []
    moments = [moment for own in held.values() for one in own for moment in (*one.planned, *one.unlimited)]
    zone, openings = _working_time(snapshot, min(moments), max(moments))
    mondays = mondays_of(zone, min(moments), max(moments))
    rows = []
    for what, own in held.items():
        limit = limits[what]
        planned = [Stretch(one.calendar, *one.planned, one.holds[what]) for one in own]
        wanted = [Stretch(one.calendar, *one.unlimited, one.holds[what]) for one in own]
        both = zip(
            mondays, most_by_week(planned, openings, mondays), most_by_week(wanted, openings, mondays), strict=True
        )
        weeks = tuple(CrewWeek(monday.astimezone(zone).date(), most, want) for monday, most, want in both)
        left = sum(one.hours_left * one.holds[what] for one in own)
        is_trade = own[0].role == what
        ids = tuple(one.id for one in own)
        rows.append(TradeWeeks(what, limit.title, is_trade, limit.there, weeks, left, ids))
    return sorted(rows, key=lambda row: (not row.is_trade, row.title))


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


def _working_time(snapshot: Snapshot, first: datetime, last: datetime) -> tuple[ZoneInfo, Openings]:
    """Return the site's time zone, and when each calendar is worked in a stretch of time."""
    zone_name, days, hours, holidays, calendars = snapshot.first(_CALENDARS)
    zone = ZoneInfo(zone_name)
    site = {"working_days": json.loads(days), "working_hours": json.loads(hours), "holidays": json.loads(holidays)}
    stretch = (first.astimezone(zone).date() - timedelta(days=7), last.astimezone(zone).date())
    return zone, {
        name: list(shifts(own["working_days"], own["working_hours"], frozenset(own["holidays"]), stretch, zone))
        for name, own in {WORKING: site, **json.loads(calendars)}.items()
    }
