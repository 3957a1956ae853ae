"""Crews at work by week: what is planned, what is wanted, and what is left, as the picture of a forecast counts it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from ledger.evidence.plans import read_frame, read_plan
from ledger.questions.crew_weeks import Limit, TradeWeeks, crew_weeks
from ledger.questions.snapshot import Snapshot
from ledger.reading import open_snapshot
from ledger.rules.most_by_week import Stretch, most_by_week

MONDAY = datetime(2027, 1, 4, tzinfo=UTC)
DAY, HOUR = timedelta(days=1), timedelta(hours=1)
MONDAYS = [MONDAY, MONDAY + 7 * DAY]
SHIFTS = {"working": [(MONDAY + day * DAY + 8 * HOUR, MONDAY + day * DAY + 16 * HOUR) for day in (0, 1, 2, 3, 4, 7, 8)]}


def planned(snapshot: Snapshot) -> dict[str, TradeWeeks]:
    """Return the weeks of each trade and resource of the plan in force."""
    plan = read_frame(snapshot)
    limits = {role: Limit(plan.roles[role], number) for role, number in plan.crews.items()}
    limits |= {one.id: Limit(one.title, one.capacity) for one in plan.resources}
    return {row.name: row for row in crew_weeks(snapshot, limits)}


def test_every_week_is_as_the_picture_of_the_plan_has_it(adopted: Path) -> None:
    from steps.planning.pictures.crew_histogram import crew_histogram
    from steps.planning.record.forecast import solve_forecast

    with open_snapshot(adopted) as snapshot:
        found, plan = planned(snapshot), read_plan(snapshot)

    for trade in crew_histogram(solve_forecast(plan, {}, plan.start)).trades:
        row = found[trade.role]
        ours = [week for week in row.weeks if week.crews or week.wanted]
        theirs = [week for week in trade.weeks if week.crews or week.unlimited]
        assert [tuple(week) for week in ours] == [tuple(week) for week in theirs], trade.role
        assert row.there == trade.limit
        assert row.most <= row.there


def test_hours_that_are_left_are_those_of_the_plan_before_work_begins(adopted: Path) -> None:
    with open_snapshot(adopted) as snapshot:
        found, plan = planned(snapshot), read_plan(snapshot)

    total = sum(one.crews * one.duration.m for one in plan.activities if one.crews and one.dates)
    assert sum(row.hours_left for row in found.values() if row.is_trade) == pytest.approx(total)


def test_a_resource_is_counted_beside_the_trades(adopted: Path) -> None:
    with open_snapshot(adopted) as snapshot:
        found = planned(snapshot)

    docks = found["receiving-docks@hall-1"]
    assert not docks.is_trade
    assert docks.most == 1
    assert "H06@pod-001" in docks.work


def test_crews_of_two_calendars_are_at_work_together_only_while_both_are_open() -> None:
    over_the_weekend = Stretch("working", MONDAY + 4 * DAY + 8 * HOUR, MONDAY + 7 * DAY + 12 * HOUR, 2)
    on_saturday = Stretch("elapsed", MONDAY + 5 * DAY, MONDAY + 6 * DAY, 1)
    next_week = Stretch("elapsed", MONDAY + 7 * DAY, MONDAY + 8 * DAY, 1)

    assert most_by_week([over_the_weekend, on_saturday], SHIFTS, MONDAYS) == [2, 2]
    assert most_by_week([over_the_weekend, next_week], SHIFTS, MONDAYS) == [2, 3]


def test_a_crew_that_is_handed_over_is_counted_once() -> None:
    first = Stretch("working", MONDAY + 8 * HOUR, MONDAY + 12 * HOUR, 1)
    then = Stretch("working", MONDAY + 12 * HOUR, MONDAY + 16 * HOUR, 1)

    assert most_by_week([first, then], SHIFTS, MONDAYS) == [1, 0]
