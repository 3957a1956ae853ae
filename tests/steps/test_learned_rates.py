"""Forecasts at the rates that finished pods show."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from steps.planning.activity import PlanActivity
from steps.planning.dates.calendar import WorkCalendar
from steps.planning.odds.plan_odds import solved_odds
from steps.planning.plan import Plan
from steps.planning.record.forecast import Actual, ForecastSolution, solve_forecast
from tests.steps.test_plan import plan

pytestmark = pytest.mark.xdist_group("plans")

PACE = 1.6


def history(made: Plan, until: datetime, pace: float) -> dict[str, Actual]:
    """Return what has happened until a day if all that was planned to be over by then is, and crews work at a pace.

    Work begins as planned. What its pace does not let it finish by the day runs.
    """
    calendar = WorkCalendar.from_plan(made)
    found: dict[str, Actual] = {}
    for one in made.activities:
        if one.dates and one.dates.early_finish <= until:
            finish = one.dates.early_finish
            if one.crews:
                finish = calendar.add(one.dates.early_start, one.duration.m * pace)
            found[one.id] = Actual(one.dates.early_start, finish if finish <= until else None)
    for order in made.orders:
        if order.dates and order.dates.early_start <= until:
            found[order.id] = Actual(order.dates.early_start, order.dates.early_start)
            for tranche in order.tranches:
                if tranche.dates:
                    arrives = tranche.dates.early_finish
                    found[tranche.id] = Actual(order.dates.early_start, arrives if arrives <= until else None)
    return found


def seen(pace: float) -> ForecastSolution:
    made = plan("h100-10k")
    until = made.finish - timedelta(days=60)
    return solve_forecast(made, history(made, until, pace), until)


def likely(solved: ForecastSolution) -> dict[str, float]:
    """Return for how many minutes each activity that remains is expected to take, as the odds draw it, by id."""
    rates, names = solved.rates, solved.crewed.base.activities.names
    assert rates is not None
    return {names[row]: float(rates.rates.estimates.likely[row]) for row in (rates.step >= 0).nonzero()[0].tolist()}


def test_slow_pods_make_the_forecast_of_the_next_ones_later() -> None:
    """By less than their pace: where two pods were under way, one crew was at both."""
    as_planned, slow = seen(1.0), seen(PACE)

    assert slow.rates is not None
    assert slow.rates.learned.observations.sum() > 100
    quick, long = likely(as_planned), likely(slow)
    both = quick.keys() & long.keys()
    assert 1.3 < sum(long[name] for name in both) / sum(quick[name] for name in both) < PACE
    assert slow.forecast.finish > plan("h100-10k").finish + timedelta(days=7)


def test_what_one_crew_began_everywhere_at_once_is_no_sign_of_slow_work() -> None:
    """Days went by after somebody had noted the start of all of it, and each day made all work of the site slower, and go-live weeks later."""
    made = plan("h100-10k")
    until = made.finish - timedelta(days=100)
    begun = history(made, until, 1.0)
    rest = [one.id for one in made.activities if one.crews and one.step == "046" and one.id not in begun]
    assert len(rest) > 2 * made.crews["cabling-technician"], "more than there are crews for"
    begun |= {name: Actual(until, None) for name in rest}

    at_once, later = (solve_forecast(made, begun, until + timedelta(days=days)) for days in (0, 3))

    others = likely(at_once).keys() & likely(later).keys() - set(rest)
    assert sum(likely(later)[name] for name in others) < 1.03 * sum(likely(at_once)[name] for name in others)
    assert later.forecast.finish < at_once.forecast.finish + timedelta(days=7)


def _begins(one: PlanActivity) -> datetime:
    assert one.dates
    return one.dates.early_start


def test_the_first_finished_work_widens_no_odds_at_once() -> None:
    """Nothing was late, and nothing waits for a delivery. By one decision in time P80 came 94 days later."""
    made = plan("superpod-1su")
    first = min((one for one in made.activities if one.crews and one.dates), key=_begins)
    assert first.dates
    came = made.start + timedelta(days=60)
    bought = {one.id: Actual(made.start, made.start) for one in made.orders}
    bought |= {one.id: Actual(made.start, came) for order in made.orders for one in order.tranches}
    done = {first.id: Actual(first.dates.early_start, first.dates.early_finish)}

    found = solve_forecast(made, bought | done, first.dates.early_finish)

    assert found.rates is not None
    learned, planned = (solved_odds(one).milestones[0].p80.date for one in (found, found._replace(rates=None)))
    assert abs(learned - planned) < timedelta(days=21)


def test_pods_that_went_as_planned_leave_the_forecast_near_the_plan() -> None:
    as_planned, slow = seen(1.0), seen(PACE)

    late = as_planned.forecast.finish - plan("h100-10k").finish
    assert abs(late) < timedelta(days=10)
    assert slow.forecast.finish > as_planned.forecast.finish


def test_what_was_learned_moves_p80_too() -> None:
    as_planned, slow = seen(1.0), seen(PACE)

    p80 = [solved_odds(one, samples=40).milestones[0].p80.date for one in (as_planned, slow)]

    assert p80[1] > p80[0] + timedelta(days=7)


def test_before_any_work_of_crews_is_finished_nothing_is_learned() -> None:
    made = plan("superpod-1su")
    done = next(one for one in made.activities if one.applicable and not one.crews and one.dates)
    assert done.dates

    found = solve_forecast(made, {done.id: Actual(done.dates.early_start, done.dates.early_finish)}, made.finish)

    assert found.rates is None


def test_what_was_entered_as_done_at_once_teaches_nothing() -> None:
    """An attestation has no duration: it says that the work was done, not how long it took."""
    made = plan("superpod-1su")
    work = [one for one in made.activities if one.crews and one.dates][:5]
    at_once = {one.id: Actual(made.start, made.start) for one in work}

    found = solve_forecast(made, at_once, made.start)

    assert found.rates is not None
    assert found.rates.learned.left_out == len(work)
    assert found.rates.learned.observations.sum() == 0


def running(share: float | None) -> ForecastSolution:
    """Return the forecast on the day on which the racking of a small site was to be over, and it still runs."""
    made = plan("superpod-1su")
    racking = next(one for one in made.activities if one.id == "H09@pod-001")
    assert racking.dates
    until = racking.dates.early_finish
    past = history(made, until, 1.0) | {racking.id: Actual(racking.dates.early_start, None, share=share)}
    return solve_forecast(made, past, until)


def test_a_forecast_moves_as_racks_are_finished() -> None:
    quarter, half, most = (running(share) for share in (0.25, 0.5, 0.9))

    ends = [one.forecast.nodes["H09@pod-001"] for one in (quarter, half, most)]

    assert ends[0] > ends[1] > ends[2] > quarter.as_of
    assert quarter.forecast.finish > most.forecast.finish


def test_what_runs_beyond_its_time_without_a_word_of_progress_is_expected_to_go_on_for_a_while() -> None:
    silent = running(None)

    assert silent.forecast.nodes["H09@pod-001"] > silent.as_of
