"""A hall is in service when that is approved: in the plan, in its odds, in the forecast, and on record."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from steps.planning.activity import Dates, PlanActivity
from steps.planning.dates.approvals import approval_hours
from steps.planning.dates.calendar import WorkCalendar
from steps.planning.dates.milestones import GO_LIVE, hall_milestone, halls_of
from steps.planning.odds.milestone_odds import MilestoneOdds
from steps.planning.odds.plan_odds import odds_of, solved_odds
from steps.planning.plan import Plan
from steps.planning.record.forecast import Actual, solve_forecast
from tests.steps.test_approvals import approved_plan

pytestmark = pytest.mark.xdist_group("plans")

SAMPLES = 40


def hall() -> tuple[Plan, PlanActivity, Dates]:
    made = approved_plan()
    (one,) = halls_of(made)
    assert one.dates
    return made, one, one.dates


def forecast(past: dict[str, Actual], now: datetime) -> MilestoneOdds:
    """Return the hall's milestone as it is forecast."""
    made, one, _ = hall()
    solved = solve_forecast(made, past, now)
    found = solved_odds(solved, samples=SAMPLES).milestones
    return next(milestone for milestone in found if milestone.milestone == hall_milestone(one.unit))


def test_a_hall_is_planned_for_its_approval_and_the_site_for_its_own() -> None:
    """A gate's work is its approval, so that go-live has it already."""
    made, one, dates = hall()
    waited = WorkCalendar.from_plan(made).add(dates.early_finish, approval_hours(one, made.approvals))

    go_live, *others = odds_of(made, samples=SAMPLES).milestones
    in_service = next(found for found in others if found.milestone == hall_milestone(one.unit))

    assert dates.reached == waited > dates.early_finish
    assert in_service.planned == in_service.expected == waited
    assert in_service.p50.date > waited
    assert go_live.milestone == GO_LIVE
    assert go_live.planned == made.finish


def test_a_hall_that_waits_for_its_approval_is_forecast_for_that_and_then_is_what_it_is() -> None:
    """The forecast of finished work was a day in the past, while the hall was not in service."""
    made, one, dates = hall()
    finish = dates.early_finish
    now = finish + timedelta(hours=1)
    waiting = forecast({one.id: Actual(dates.early_start, finish)}, now)
    came = finish + timedelta(days=9)
    approved = forecast({one.id: Actual(dates.early_start, finish, approved=came)}, came + timedelta(days=1))

    calendar = WorkCalendar.from_plan(made)
    assert waiting.expected == calendar.add(finish, approval_hours(one, made.approvals)) > now
    assert waiting.planned == approved.planned == dates.reached
    assert approved.expected == approved.p50.date == approved.p80.date == came
    assert approved.planned_share == 0.0
