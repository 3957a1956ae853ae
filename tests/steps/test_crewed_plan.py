"""Plans that the site's crews can keep, and how sure they are."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from itertools import accumulate

import pytest
from msgspec.structs import replace

from steps.planning.activity import Hours, PlanActivity
from steps.planning.dates.calendar import WorkCalendar
from steps.planning.dates.dating import solved
from steps.planning.dates.milestones import GO_LIVE
from steps.planning.odds.milestone_odds import MilestoneOdds
from steps.planning.odds.plan_odds import odds_of
from steps.planning.plan import Plan
from tests.steps.test_plan import plan

pytestmark = pytest.mark.xdist_group("plans")


def with_crews(made: Plan, crews: int) -> Plan:
    """Return a plan in which each trade has this many crews, dated again. Its durations stay those of the site's crews."""
    enough = {one.role: one.crews for one in made.activities if one.crews}
    have = {role: max(crews, enough.get(role, 0)) for role in made.crews}
    return solved(made.model_copy(update={"crews": have})).plan


def crews_alone(made: Plan) -> Plan:
    """Return a plan of which only crews are short, dated again."""
    free = tuple(replace(one, holds=()) for one in made.activities)
    return solved(made.model_copy(update={"activities": free, "resources": ()})).plan


def most_at_once(made: Plan, held: Callable[[PlanActivity], Iterable[tuple[str, int]]]) -> dict[str, int]:
    """Return the most of each crew or resource that is held at once, where `held` says how much an activity holds of which.

    Work is interrupted at night and on weekends, so that intervals say too much where calendars differ.
    """
    changes: dict[str, list[tuple[datetime, int]]] = defaultdict(list)
    for one in made.activities:
        if one.dates:
            for name, amount in held(one):
                changes[name] += [(one.dates.early_start, amount), (one.dates.early_finish, -amount)]
    return {name: max(accumulate(change for _, change in sorted(steps))) for name, steps in changes.items()}


@pytest.mark.parametrize("preset", ["superpod-1su", "h100-10k"])
def test_no_trade_works_with_more_crews_than_the_site_has(preset: str) -> None:
    made = plan(preset)

    most = most_at_once(made, lambda one: [(one.role, one.crews)])

    assert most
    assert all(count <= made.crews[role] for role, count in most.items())
    assert any(count == made.crews[role] for role, count in most.items())


def test_dates_with_unlimited_crews_stay_beside_those_that_crews_can_keep() -> None:
    made = plan("h100-10k")
    dates = [one.dates for one in made.activities if one.dates]

    assert made.levelling
    assert made.levelling.unlimited_finish < made.finish
    assert all(one.unlimited_start and one.unlimited_start <= one.early_start for one in dates)
    assert all(one.unlimited_finish and one.unlimited_finish <= one.early_finish for one in dates)


def test_who_waits_names_the_trade_and_what_it_did_first() -> None:
    made = plan("superpod-1su")
    by_id = {one.id: one for one in made.activities}
    waiting = [one for one in made.activities if one.dates and one.dates.crew in made.crews]

    assert waiting
    for one in waiting:
        assert one.dates
        holder = by_id[one.dates.driving or ""]
        assert (holder.role, holder.dates and holder.dates.early_finish <= one.dates.early_start) == (one.role, True)
        assert one.dates.crew == one.role
    assert any(one.dates and one.dates.crew_wait_h > 8 for one in waiting)


def test_a_plan_that_knows_no_crews_is_not_levelled() -> None:
    """As those that were adopted before there was levelling."""
    made = plan("superpod-1su")
    alone = tuple(replace(one, crews=0, holds=()) for one in made.activities)
    old = solved(made.model_copy(update={"crews": {}, "resources": (), "activities": alone})).plan

    assert made.levelling
    assert old.levelling is None
    assert old.finish == made.levelling.unlimited_finish
    assert not [one for one in old.activities if one.dates and one.dates.crew]


def test_a_second_crew_of_each_trade_brings_go_live_forward() -> None:
    """What is short besides crews stays so: runs over the whole cluster follow each other."""
    made = plan("superpod-4su")

    two, many = with_crews(made, 2), with_crews(made, 50)

    assert made.levelling
    assert made.levelling.unlimited_finish < many.finish < two.finish < made.finish
    assert with_crews(crews_alone(made), 50).finish == made.levelling.unlimited_finish


def test_the_same_site_has_the_same_plan() -> None:
    made = plan("superpod-1su")

    assert solved(made).plan == made


def go_live(made: Plan, samples: int = 200, seed: int = 1) -> MilestoneOdds:
    return next(one for one in odds_of(made, samples=samples, seed=seed).milestones if one.milestone == GO_LIVE)


def certain(made: Plan) -> Plan:
    """Return the plan with nothing uncertain about it."""
    activities = tuple(replace(one, duration=_likely(one.duration), again_chance=0.0) for one in made.activities)
    orders = tuple(one.model_copy(update={"lead": _likely(one.lead)}) for one in made.orders)
    return made.model_copy(update={"activities": activities, "orders": orders, "figures": {}})


def _likely(hours: Hours) -> Hours:
    return Hours(hours.m, hours.m, hours.m)


def test_where_nothing_is_uncertain_every_sample_keeps_the_plan() -> None:
    made = certain(plan("superpod-1su"))

    odds = go_live(made, samples=40)

    assert odds.planned == odds.expected == made.finish
    assert odds.planned_share == 1.0
    assert odds.p50.date == odds.p80.date == odds.p80.low == odds.p80.high
    calendar = WorkCalendar.from_plan(made)
    begin, end = (calendar.work_at(calendar.hours_since_origin(at)) for at in (made.finish, odds.p80.date))
    assert 0 <= end - begin < 4  # work is rounded up to quarters of an hour, along a chain of some dozen activities


def test_p50_is_before_p80_within_its_interval_and_after_the_plan_of_most_likely_durations() -> None:
    made = plan("superpod-1su")

    odds = go_live(made)

    assert made.finish < odds.p50.date < odds.p80.date
    assert odds.p80.low <= odds.p80.date <= odds.p80.high
    assert odds.p80.low < odds.p80.high
    assert odds.planned_share < 0.5


def test_the_same_seed_has_the_same_odds_and_another_one_others() -> None:
    made = plan("superpod-1su")

    assert odds_of(made, samples=40) == odds_of(made, samples=40)
    assert odds_of(made, samples=40) != odds_of(made, samples=40, seed=2)


def test_what_comes_from_one_maker_is_late_together() -> None:
    """With draws of their own, thirty orders would nearly always have one that is very late."""
    made = plan("superpod-1su")
    alone = made.model_copy(
        update={"orders": tuple(one.model_copy(update={"supplier": f"maker of {one.id}"}) for one in made.orders)}
    )

    assert len(made.orders) > 3 * len({one.supplier for one in made.orders})
    assert go_live(made, samples=200).p50.date < go_live(alone, samples=200).p50.date - timedelta(days=3)


def test_milestones_are_go_live_every_hall_and_every_phase() -> None:
    made = plan("superpod-1su")

    odds = odds_of(made, samples=20)

    phases = {one.phase.value for one in made.activities if one.applicable and not one.continuing}
    assert {one.milestone for one in odds.milestones} == {GO_LIVE, "hall-1 in service", *phases}
    assert all(one.planned.tzinfo == UTC for one in odds.milestones)


def test_a_site_that_waits_twenty_years_for_its_utility_in_one_sample_has_odds() -> None:
    """A lead time has no greatest value, and the calendars of a plan have to reach as far as its samples."""
    made = plan("h100-10k", "greenfield", 64)

    odds = go_live(made)

    assert made.finish < odds.p50.date < odds.p80.date
