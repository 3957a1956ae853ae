"""The crew histogram: of each trade, how many crews are at work at once in each week, against how many there are."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray

from schedule.cpm.compiled import CompiledNetwork
from schedule.cpm.shifts import Minutes
from schedule.cpm.solution import Solution
from steps.planning.dates.calendar import WorkCalendar
from steps.planning.dates.dating import crews_of
from steps.planning.record.forecast import MINUTE, ForecastSolution

WEEK = 7 * 1440
"""In minutes."""


class CrewWeek(NamedTuple):
    """The most crews at work at once in the week from a Monday on: as levelled, and with unlimited crews."""

    monday: date
    crews: int
    unlimited: int


class TradeWeeks(NamedTuple):
    """The weeks of one trade, from the first to the last of the project, and how many crews it has."""

    role: str
    title: str
    limit: int
    weeks: tuple[CrewWeek, ...]


class CrewHistogram(NamedTuple):
    """All trades that have work, by name."""

    as_of: datetime
    trades: tuple[TradeWeeks, ...]


def crew_histogram(solved: ForecastSolution) -> CrewHistogram:
    """Return the crew histogram of a forecast. No week is above the limit, but for work that has begun or is done."""
    plan, crewed, network = solved.plan, solved.crewed, solved.crewed.base
    crews = crews_of(plan, network)
    if not len(crews.needs.row):
        return CrewHistogram(solved.as_of, ())
    both = crewed.solution, crewed.unlimited
    first = min(int(one.start[crews.needs.row].min()) for one in both)
    last = max(int(one.finish[crews.needs.row].max()) for one in both)
    origin = WorkCalendar.from_plan(plan).origin
    monday = _monday(origin + timedelta(minutes=first), plan.time_zone)
    begin = (monday - origin) // MINUTE
    weeks = (last - begin) // WEEK + 1
    trades = []
    for number, role in enumerate(crews.names):
        if role not in plan.crews:  # a resource, as power for soaks
            continue
        own = crews.needs.resource == number
        rows, amounts = crews.needs.row[own], crews.needs.amount[own]
        most = [_most(network, one, rows, amounts, begin, weeks).tolist() for one in both]
        days = [(monday + timedelta(weeks=week, hours=12)).date() for week in range(weeks)]
        found = tuple(CrewWeek(*week) for week in zip(days, *most, strict=True))
        trades.append(TradeWeeks(role, plan.roles.get(role, role), plan.crews[role], found))
    return CrewHistogram(solved.as_of, tuple(trades))


def _monday(instant: datetime, zone: str) -> datetime:
    """Return the beginning of the week of an instant, at the site."""
    local = instant.astimezone(ZoneInfo(zone))
    return (local - timedelta(days=local.weekday())).replace(hour=0, minute=0, second=0, microsecond=0).astimezone(UTC)


def _most(
    network: CompiledNetwork,
    solution: Solution,
    rows: NDArray[np.int64],
    amounts: NDArray[np.int64],
    begin: int,
    weeks: int,
) -> NDArray[np.int64]:
    """Return the most crews of one trade at work at once, by week.

    More crews are at work only when work starts, or a shift or a week begins, so it is enough to count then.
    """
    start, finish, calendar = solution.start[rows], solution.finish[rows], network.activities.calendar[rows]
    end = begin + weeks * WEEK
    openings = [one.start[(one.start >= begin) & (one.start < end)] for one in network.calendars]
    at = np.unique(np.concatenate([start, *openings, np.arange(begin, end, WEEK)]))
    held = np.zeros(len(at), np.int64)
    for number, one in enumerate(network.calendars):
        own = calendar == number
        shift = np.minimum(np.searchsorted(one.end, at, side="right"), len(one.end) - 1)
        is_open = (one.start[shift] <= at) & (at < one.end[shift])
        held += np.where(is_open, _covering(at, start[own], finish[own], amounts[own]), 0)
    most = np.zeros(weeks, np.int64)
    np.maximum.at(most, np.minimum((at - begin) // WEEK, weeks - 1), held)
    return most


def _covering(at: Minutes, start: Minutes, finish: Minutes, amounts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the sum of the amounts of all spans [start, finish) that an instant is in."""
    begun = np.where(start < finish, amounts, 0)
    by_start, by_finish = np.argsort(start, kind="stable"), np.argsort(finish, kind="stable")
    taken, freed = (np.concatenate([[0], np.cumsum(begun[order])]) for order in (by_start, by_finish))
    return np.asarray(
        taken[np.searchsorted(start[by_start], at, side="right")]
        - freed[np.searchsorted(finish[by_finish], at, side="right")]
    )
