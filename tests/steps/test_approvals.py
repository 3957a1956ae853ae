"""Approvals are a time of their own: between the finish of work and what comes after it, by role, and no rate of work."""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steps.catalog.loader import approval_hours, read_roles
from steps.design.design import design_of
from steps.planning.dates.approvals import approval_times
from steps.planning.dates.calendar import WorkCalendar
from steps.planning.plan import Plan
from steps.planning.planner import Hosts, Surroundings, make_plan
from steps.planning.record.forecast import Actual, ForecastSolution, solve_forecast
from steps.planning.record.slip_of_plan import PlanCause, PlanSlip
from tests.shipped import shipped_catalog
from tests.steps.test_learned_rates import history
from tests.steps.test_plan import site_of
from tests.steps.test_slipped import as_it_happens, is_exact

pytestmark = pytest.mark.xdist_group("plans")

WORK = "H09@pod-001"
"""Racks the servers; the assembly lead approves it."""
NEXT = "087@pod-001"
LEAD = "assembly-lead"


@cache
def approved_plan(preset: str = "superpod-1su") -> Plan:
    """Return a plan with the catalog's approval times."""
    site, roles = site_of(preset), read_roles()
    titles = {slug: role.title for slug, role in roles.items()}
    around = Surroundings(titles, Hosts(), {}, approval_hours(roles))
    return make_plan(site, design_of(site), shipped_catalog(), around)


def finish_of(made: Plan, name: str) -> datetime:
    dates = next(one.dates for one in made.activities if one.id == name)
    assert dates
    return dates.early_finish


def racked(finished: datetime, approved: datetime | None, now: datetime) -> ForecastSolution:
    """Return the forecast at a time after the racks were finished, and approved if they were."""
    made = approved_plan()
    past = {name: one._replace(approved=one.finished) for name, one in history(made, finished, 1.0).items()}
    return solve_forecast(made, past | {WORK: past[WORK]._replace(approved=approved)}, now)


def test_what_comes_next_waits_for_the_planned_approval() -> None:
    made = approved_plan()
    calendar = WorkCalendar.from_plan(made)
    links = [link for link in made.links if (link.before, link.after) == (WORK, NEXT)]
    start = next(one.dates.early_start for one in made.activities if one.id == NEXT and one.dates)

    approved = calendar.add(finish_of(made, WORK), made.approvals[LEAD])

    assert links
    assert links[0].lag_h == 0
    assert made.approvals[LEAD] > 0
    assert start >= approved


def test_every_role_that_approves_says_how_long_that_takes_and_where_the_figure_is_from() -> None:
    silent = [slug for slug, role in read_roles().items() if role.signs and role.approval is None]
    assert silent == []


def test_finished_work_that_waits_for_its_signature_holds_what_comes_next_and_no_more() -> None:
    made = approved_plan()
    finished = finish_of(made, WORK)
    calendar = WorkCalendar.from_plan(made)

    waiting = racked(finished, None, finished)

    assert WORK not in waiting.forecast.nodes
    planned = next(one.duration.m for one in made.activities if one.id == NEXT)
    assert waiting.forecast.nodes[NEXT] >= calendar.add(calendar.add(finished, made.approvals[LEAD]), planned)
    assert waiting.forecast.finish < made.finish + timedelta(days=1)


def test_a_signature_weeks_after_the_work_is_a_late_approval_and_no_slow_work() -> None:
    finished = finish_of(approved_plan(), WORK)
    late = finished + timedelta(days=40)

    in_time, slow = (racked(finished, at, late) for at in (finished + timedelta(hours=1), late))

    assert in_time.rates
    assert slow.rates
    assert in_time.rates.lessons == slow.rates.lessons
    assert np.array_equal(in_time.rates.likely, slow.rates.likely)
    (learned,) = (one for one in slow.recorded.approvals if one.role == LEAD)
    assert learned.median_h < learned.expected_h * 100
    assert learned.expected_h < 8 * approved_plan().approvals[LEAD]


def test_the_slip_of_a_late_signature_is_the_approvals_and_not_the_works() -> None:
    """The work was done as planned, and its approval came twenty days later."""
    made = approved_plan()
    finished = finish_of(made, WORK)
    solved = racked(finished, finished + timedelta(days=20), finished + timedelta(days=20))

    slipped = PlanSlip(solved).slipped

    assert is_exact(slipped, solved)
    (late, *_) = slipped.parts
    assert (late.id, late.cause, late.owner) == (WORK, PlanCause.APPROVAL, LEAD)
    assert late.minutes > 10 * 1440


@given(st.integers(0, 10**9), st.integers(0, 10**9))
@settings(max_examples=10)
def test_time_that_waits_for_people_moves_no_rate(seed: int, other: int) -> None:
    """Two records of the same work, whose approvals came at any time after it."""
    made = approved_plan()
    past, now = as_it_happens(made, seed)
    delayed = np.random.default_rng(other)

    def again(one: Actual) -> Actual:
        if one.finished is None or one.finished > now:
            return one
        wait = (now - one.finished) * delayed.uniform()
        return one._replace(approved=one.finished + wait if delayed.uniform() < 0.7 else None)

    found = [
        solve_forecast(made, record, now).rates for record in (past, {name: again(one) for name, one in past.items()})
    ]

    assert (found[0] is None) == (found[1] is None)
    if found[0] and found[1]:
        assert found[0].lessons == found[1].lessons
        assert np.array_equal(found[0].likely, found[1].likely)


@given(st.integers(0, 10**9))
@settings(max_examples=10)
def test_parts_of_a_slip_sum_to_it_with_approvals_too(seed: int) -> None:
    solved = solve_forecast(approved_plan(), *as_it_happens(approved_plan(), seed))
    assert is_exact(PlanSlip(solved).slipped, solved)


def test_few_late_signatures_move_the_expected_time_little_and_many_move_it_far() -> None:
    made = approved_plan()
    planned, weeks = made.approvals[LEAD], 240.0

    one, many = (approval_times(made, [(LEAD, weeks)] * number)[LEAD] for number in (1, 60))

    assert planned < one.expected_h < weeks / 20
    assert weeks / 2 < many.expected_h < weeks


def test_two_slow_activities_do_not_move_forty_pods() -> None:
    """They took six hours more, of twelve, while the other pods' went as planned. Their own step may move, and others hardly."""
    made = approved_plan("h100-10k")
    calendar = WorkCalendar.from_plan(made)
    pods = [one for one in made.activities if one.crews and one.dates and one.scope == "pod"]
    first, second, *_ = sorted(pods, key=lambda one: (one.dates.early_finish if one.dates else made.finish, one.id))
    until = finish_of(made, second.id) + timedelta(days=2)
    past = {name: one._replace(approved=one.finished) for name, one in history(made, until, 1.0).items()}
    for one in (first, second):
        assert one.dates
        late = calendar.add(one.dates.early_finish, 6)
        past[one.id] = Actual(one.dates.early_start, late, approved=late)

    found = solve_forecast(made, past, until).rates

    assert found
    assert all(abs(one.factor - 1) < 0.03 for one in found.lessons if one.step != first.step)
    assert all(abs(one.factor - 1) < 0.10 for one in found.lessons)


def test_work_that_goes_as_planned_moves_no_date() -> None:
    made = approved_plan("h100-10k")
    until = made.finish - timedelta(days=60)
    past = {name: one._replace(approved=one.finished) for name, one in history(made, until, 1.0).items()}
    found = solve_forecast(made, past, until).rates

    assert found
    assert all(abs(one.factor - 1) < 0.01 for one in found.lessons)
