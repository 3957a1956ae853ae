"""Time on hold is no work: it makes nothing slower than it is."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steps.planning.activity import PlanActivity
from steps.planning.dates.calendar import WorkCalendar, calendars_of
from steps.planning.plan import Plan
from steps.planning.record.earned_value import earned_value
from steps.planning.record.forecast import Actual, Actuals, ForecastSolution, solve_forecast
from steps.planning.record.holds import joined
from tests.steps.test_learned_rates import history
from tests.steps.test_plan import plan

pytestmark = pytest.mark.xdist_group("plans")

RACKING = "H09@pod-001"
LATER = timedelta(days=90)
"""How long after a history it is looked at, so that what was on hold is over too."""


def working(made: Plan) -> list[PlanActivity]:
    return [one for one in made.activities if one.crews and one.dates]


def on_hold(calendar: WorkCalendar, one: Actual, draw: random.Random) -> Actual:
    """Return the same work, put on hold once or twice on the way, and finished as much later."""
    assert one.started
    assert one.finished
    begins = one.started + (one.finished - one.started) * draw.random()
    ends = calendar.add(begins, draw.uniform(1, 80))
    holds = [(begins, ends)]
    if draw.random() < 0.5:
        holds.append((begins + (ends - begins) * draw.random(), calendar.add(ends, draw.uniform(1, 8))))
    until = max(end for _, end in holds)
    held = hours(calendar, begins, until)
    draw.shuffle(holds)
    return one._replace(finished=calendar.add(one.finished, held), holds=tuple(holds))


def hours(calendar: WorkCalendar, begins: datetime, ends: datetime) -> float:
    first, last = (calendar.hours_since_origin(at) for at in (begins, ends))
    return float(calendar.work_at(last) - calendar.work_at(first))


def learned(made: Plan, past: Actuals, now: datetime) -> dict[str, float]:
    found = solve_forecast(made, past, now).rates
    assert found is not None
    return {one.step: one.factor for one in found.lessons}


@given(st.integers(0, 10**9))
@settings(max_examples=10)
def test_a_history_with_holds_teaches_the_same_rates_as_one_without(seed: int) -> None:
    """The work after a hold is shifted by the hold, and approved later."""
    draw, made = random.Random(seed), plan("superpod-1su")
    until = made.finish - timedelta(days=draw.randrange(20, 90))
    past = history(made, until, draw.uniform(0.7, 1.8))
    calendars = calendars_of(made)
    held = dict(past)
    for one in working(made):
        came = past.get(one.id)
        if came and came.finished and draw.random() < 0.5:
            held[one.id] = on_hold(calendars[one.calendar], came, draw)
    assert held != past

    without, found = (learned(made, actuals, until + LATER) for actuals in (past, held))

    assert found.keys() == without.keys()
    assert found == pytest.approx(without, rel=2e-3)  # a start and an end are cut to whole minutes


def racking(*, share: float | None, days: int, lasts: bool = False) -> ForecastSolution:
    """Return the forecast of racking that has run for two days, after a hold of so many days or in it."""
    made = plan("superpod-1su")
    calendar = WorkCalendar.from_plan(made)
    one = next(one for one in made.activities if one.id == RACKING)
    assert one.dates
    until = one.dates.early_finish + timedelta(days=20)
    worked = 2 * calendar.hours_per_day
    now_h = float(calendar.work_at(calendar.hours_since_origin(until)))
    held_h = days * calendar.hours_per_day
    started = calendar.at(float(calendar.start_at(now_h - worked - held_h)))
    begins_h = now_h - held_h - (0 if lasts else worked / 2)
    hold = tuple(calendar.at(float(calendar.start_at(h))) for h in (begins_h, begins_h + held_h))
    holds = ((hold[0], until if lasts else hold[1]),) if days else ()
    past = history(made, one.dates.early_start - timedelta(days=1), 1.0)
    past[RACKING] = Actual(started, None, share=share, holds=holds)
    return solve_forecast(made, past, until)


@pytest.mark.parametrize("share", [None, 0.5])
@pytest.mark.parametrize("lasts", [True, False])
def test_work_on_hold_for_ten_days_has_as_much_left_as_work_that_was_not(*, share: float | None, lasts: bool) -> None:
    """Half done is half to do, and two days worked are two days less to do: also while the hold lasts."""
    held, not_held = racking(share=share, days=10, lasts=lasts), racking(share=share, days=0)

    assert held.forecast.nodes[RACKING] == not_held.forecast.nodes[RACKING]
    assert held.forecast.finish == not_held.forecast.finish


def test_a_hold_costs_no_crew_hours() -> None:
    """The crew did other work."""
    past = {RACKING: Actual(None, None)}
    held, not_held = (earned_value(racking(share=None, days=days), past) for days in (10, 0))

    assert held._asdict() == pytest.approx(not_held._asdict(), abs=0.1)


def test_holds_that_overlap_count_once() -> None:
    day = [datetime(2026, 5, number, tzinfo=UTC) for number in range(1, 10)]

    found = joined([(day[4], day[6]), (day[0], day[2]), (day[1], day[3]), (day[7], day[5])])

    assert found == [(day[0], day[3]), (day[4], day[6])]
