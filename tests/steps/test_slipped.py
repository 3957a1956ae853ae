"""Why the forecast of a plan is not its planned date: parts by activity, owner and cause that sum to the minute."""

from __future__ import annotations

import random
from datetime import datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schedule.slip.causes import SlipCause
from steps.planning.dates.calendar import WorkCalendar
from steps.planning.plan import Plan
from steps.planning.record.driving import driving_chain
from steps.planning.record.forecast import Actual, ForecastSolution, solve_forecast
from steps.planning.record.slip_of_plan import PlanCause, PlanSlip, Slipped
from tests.steps.test_crewed_plan import crews_alone
from tests.steps.test_learned_rates import history
from tests.steps.test_plan import plan

pytestmark = pytest.mark.xdist_group("plans")

MINUTE = timedelta(minutes=1)
DAY = 1440


def as_it_happens(made: Plan, seed: int) -> tuple[dict[str, Actual], datetime]:
    """Return a random record until a random day: late and early starts, other durations, promises, and work out of sequence."""
    draw = random.Random(seed)
    now = made.start + draw.random() * (made.finish - made.start)
    pace, late = draw.uniform(0.5, 2), draw.choice([0, 3, 30])
    calendar = WorkCalendar.from_plan(made)
    found = {}
    for one in made.activities:
        if not one.dates or draw.random() < 0.1:
            continue
        started = one.dates.early_start + timedelta(days=draw.uniform(-late, late))
        if started > now:
            continue
        finished = calendar.add(started, one.duration.m * pace * draw.uniform(0.7, 1.3))
        approved = calendar.add(finished, draw.expovariate(0.2))
        found[one.id] = Actual(
            started,
            finished if finished <= now else None,
            draw.random() < 0.1,
            approved=approved if approved <= now else None,
        )
    for order in made.orders:
        assert order.dates
        placed = order.dates.early_start + timedelta(days=draw.uniform(-late, late))
        if placed > now:
            continue
        found[order.id] = Actual(placed, placed)
        for tranche in order.tranches:
            assert tranche.dates
            there = max(placed, tranche.dates.early_finish + timedelta(days=draw.uniform(-late, 2 * late)))
            found[tranche.id] = Actual(placed, there if there <= now or draw.random() < 0.7 else None)
    return found, now


def is_exact(slipped: Slipped, solved: ForecastSolution) -> bool:
    """Return whether the parts, and their sums by owner and by cause, are the forecast less the plan."""
    late = (solved.forecast.finish - solved.plan.finish) // MINUTE
    by_owner = sum(minutes for _, minutes in slipped.summed(lambda part: part.owner))
    by_cause = sum(minutes for _, minutes in slipped.summed(lambda part: part.cause))
    return late == slipped.minutes == sum(part.minutes for part in slipped.parts) == by_owner == by_cause


@given(st.integers(0, 10**9))
@settings(max_examples=12)
def test_whatever_happens_the_parts_sum_to_the_slip(seed: int) -> None:
    check_sums(seed)


@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.parametrize("first", range(0, 300, 50))
def test_the_parts_of_300_histories_sum_to_their_slips(first: int) -> None:
    """The same, for more histories than the slice of every day: some in each of several parts of the long tests."""
    for seed in range(first, first + 50):
        check_sums(seed)


def check_sums(seed: int) -> None:
    made = plan("superpod-1su")
    solved = solve_forecast(made, *as_it_happens(made, seed))

    slipped = PlanSlip(solved).slipped

    assert is_exact(slipped, solved)
    assert all(part.minutes and part.title and part.owner for part in slipped.parts)


def test_the_parts_of_a_site_of_many_pods_sum_to_its_slip_too() -> None:
    made = plan("h100-10k")
    until = made.finish - timedelta(days=60)
    solved = solve_forecast(made, history(made, until, 1.6), until)

    slipped = PlanSlip(solved).slipped

    assert slipped.minutes > 20 * DAY
    assert is_exact(slipped, solved)


def test_a_plan_to_which_nothing_has_happened_has_no_slip() -> None:
    made = plan("h100-10k")

    both = PlanSlip(solve_forecast(made, {}, made.start))

    assert both.slipped.minutes == 0
    assert both.slipped.parts == ()
    assert both.late_chains() == ()


def test_work_that_took_longer_is_named_with_its_role() -> None:
    """The decision that drives go-live first takes three weeks more; what else happened is as planned."""
    made = plan("superpod-1su")
    work = driving_chain(solve_forecast(made, {}, made.start), "195@site")[0]
    role = next(one.role for one in made.activities if one.id == work.id)
    until = work.finish + timedelta(weeks=3)
    found = {work.id: Actual(work.start, until)}
    solved = solve_forecast(made, found, until)

    slipped = PlanSlip(solved).slipped

    assert is_exact(slipped, solved)
    own = next(part for part in slipped.parts if part.id == work.id)
    assert (own.owner, own.cause) == (role, SlipCause.TOOK)
    assert own.words == "took longer"
    assert 19 * DAY < own.minutes < 24 * DAY


def test_what_finished_work_teaches_is_a_cause_of_its_own() -> None:
    """Slow pods: what remains is not late by itself, but expected to take longer."""
    made = plan("superpod-1su")
    until = made.finish - timedelta(days=60)
    solved = solve_forecast(made, history(made, until, 1.6), until)
    assert solved.rates is not None

    parts = [part for part in PlanSlip(solved).slipped.parts if part.cause is PlanCause.RATE]

    remaining = {solved.crewed.base.activities.names[row] for row in (solved.rates.step >= 0).nonzero()[0].tolist()}
    assert sum(part.minutes for part in parts) > 10 * DAY
    assert {part.id for part in parts} <= remaining
    assert parts[0].words == "is expected to take longer, as finished work shows"


def test_work_that_took_the_crew_of_late_work_is_not_blamed() -> None:
    """Records were filed by the people who should have written the users' guides first. Those have not begun, and alone are late."""
    made = crews_alone(plan("superpod-1su"))
    dated = {one.id: one.dates for one in made.activities if one.dates}
    guides, records = dated["192@site"], dated["H66@site"]
    assert (records.driving, records.crew) == ("192@site", "technical-writer")
    until = guides.early_start + timedelta(days=30)
    found = {
        name: Actual(dates.early_start, dates.early_finish if dates.early_finish <= until else None)
        for name, dates in dated.items()
        if dates.early_start <= until and name not in {"192@site", "185@site", "195@site"}
    } | {one: actual for one, actual in history(made, until, 1.0).items() if "#" in one}
    found["H66@site"] = Actual(guides.early_start, guides.early_start + timedelta(days=2))
    solved = solve_forecast(made, found, until)

    slipped = PlanSlip(solved).slipped

    assert is_exact(slipped, solved)
    assert slipped.minutes > 15 * DAY
    assert (slipped.parts[0].id, slipped.parts[0].cause) == ("192@site", SlipCause.NOT_STARTED)
    assert all(part.minutes < DAY / 2 for part in slipped.parts[1:])
