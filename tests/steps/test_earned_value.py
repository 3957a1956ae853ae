"""Earned value in crew-hours: what was to be done, what is done, what it took."""

from __future__ import annotations

from datetime import timedelta

import pytest

from steps.planning.record.earned_value import EarnedValue, earned_value
from steps.planning.record.forecast import Actual, solve_forecast
from tests.steps.test_learned_rates import history
from tests.steps.test_plan import plan

pytestmark = pytest.mark.xdist_group("plans")

RACKING = "H09@pod-001"


def value(pace: float = 1.0, **said: float) -> EarnedValue:
    """Return the earned value on the day on which the racking was to be over, at a pace; `share` is said of the racking."""
    made = plan("superpod-1su")
    racking = next(one for one in made.activities if one.id == RACKING)
    assert racking.dates
    until = racking.dates.early_finish
    past = history(made, until, pace)
    if said:
        past[RACKING] = Actual(racking.dates.early_start, None, share=said["share"])
    return earned_value(solve_forecast(made, past, until), past)


def test_as_planned_is_one_and_nothing_is_earned_twice() -> None:
    found = value()

    assert found.spi == pytest.approx(1, abs=0.03)
    assert found.cpi == pytest.approx(1, abs=0.03)
    assert 0 < found.planned_h < found.total_h


def test_before_anything_was_to_be_done_there_is_no_index() -> None:
    made = plan("superpod-1su")

    found = earned_value(solve_forecast(made, {}, made.start), {})

    assert (found.planned_h, found.earned_h, found.actual_h) == (0, 0, 0)
    assert found.spi is None
    assert found.cpi is None


def test_what_began_before_a_plan_that_begins_later_took_the_hours_until_now() -> None:
    """The project's first day was put off after work had begun: the days until then are no work."""
    made = plan("superpod-1su")
    began = made.start - timedelta(days=28)
    past = {RACKING: Actual(began, None)}

    found = earned_value(solve_forecast(made, past, began + timedelta(days=1)), past)

    assert 0 < found.actual_h <= 48
    assert found.earned_h <= found.actual_h


def test_slow_crews_are_late_and_cost_more() -> None:
    slow = value(1.6)

    assert slow.cpi is not None
    assert slow.spi is not None
    assert slow.cpi < 0.8, "1 / 1.6, and less where one crew was at two pods"
    assert slow.spi < 1
    assert slow.actual_h > slow.earned_h


def test_what_runs_has_earned_what_its_items_say() -> None:
    made = plan("superpod-1su")
    racking = next(one for one in made.activities if one.id == RACKING)

    quarter, half = value(share=0.25), value(share=0.5)

    assert half.earned_h - quarter.earned_h == pytest.approx(0.25 * racking.crews * racking.duration.m)
    assert half.planned_h == quarter.planned_h
    assert half.actual_h == quarter.actual_h
