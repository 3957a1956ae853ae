"""What work occupies besides its crews: it is never more than there is, and who waits for it is named."""

from __future__ import annotations

import pytest

from schedule.errors import InputError
from steps.planning.plan import Plan
from steps.planning.record.driving import driving_chain
from steps.planning.record.forecast import solve_forecast
from tests.steps.test_crewed_plan import most_at_once
from tests.steps.test_plan import planned

pytestmark = pytest.mark.xdist_group("plans")


def occupied(made: Plan) -> dict[str, int]:
    """Return the most of each resource that work occupies at once."""
    return most_at_once(made, lambda one: [(hold.resource, hold.amount) for hold in one.holds])


def test_soaks_take_turns_where_power_is_short() -> None:
    """One of four pods can be burnt in at a time, and the site is later by that."""
    free, short = (
        planned("superpod-4su", overrides={"burn_in_power_share": share, "pods_per_tranche": 4, "nodes_per_crew": 16})
        for share in (1.0, 0.25)
    )

    (limit,) = (one for one in short.resources if one.id == "burn-in-power@site")
    waiting = [one for one in short.activities if one.dates and one.dates.crew == limit.id]
    assert occupied(short)[limit.id] <= limit.capacity
    assert occupied(free)[limit.id] > limit.capacity
    assert waiting
    assert all("burn in power of site" in one.dates.wait for one in waiting if one.dates)


def test_a_soak_that_needs_more_than_there_is_says_so() -> None:
    with pytest.raises(InputError, match=r"034@pod-001 needs \d+ kW of power for soaks, and site has") as refused:
        planned("superpod-4su", overrides={"burn_in_power_share": 0.1})

    assert "burn_in_power_share" in str(refused.value.hint)


def test_no_hall_has_more_people_than_fit() -> None:
    made = planned("superpod-4su", overrides={"nodes_per_crew": 8, "white_space_m2_per_person": 12})

    (hall,) = (one for one in made.resources if one.id == "people-in-hall@hall-1")
    people = [sum(hold.amount for hold in one.holds if hold.resource == hall.id) for one in made.activities]
    assert max(people) <= hall.capacity
    assert sum(people) > hall.capacity
    assert any(one.dates and one.dates.crew == hall.id for one in made.activities)


def test_each_run_over_the_whole_cluster_has_it_alone() -> None:
    """No contract is measured while parts are broken on purpose."""
    made = planned("superpod-1su", overrides={"nodes_per_crew": 1})

    runs = [one for one in made.activities if any(hold.resource == "whole-cluster@site" for hold in one.holds)]
    assert {one.step for one in runs} == {"066", "067", "186", "187", "188", "189", "190"}
    assert occupied(made)["whole-cluster@site"] == 1


def test_the_chain_to_go_live_names_the_resource_that_work_waits_for_as_the_plan_does() -> None:
    """Who reads that a crew is missing hires one, and the hall has room for no more people than before."""
    made = planned("superpod-1su", overrides={"nodes_per_crew": 1})

    chain = driving_chain(solve_forecast(made, {}, made.start), "195@site")

    waited = {one.id: one.crew for one in chain if one.crew}
    assert "people-in-hall@hall-1" in waited.values()
    assert waited == {one.id: one.dates.crew for one in made.activities if one.id in waited and one.dates}


def test_crates_wait_for_floor_and_racks_for_a_lift() -> None:
    """Nobody asks for either unless the site says that it has no more."""
    many = {"pods_per_tranche": 4, "nodes_per_crew": 16}
    free, tight = (
        planned("superpod-4su", overrides=many | more) for more in ({}, {"laydown_m2": 80, "goods_lifts": 1})
    )

    limits = {one.id: one for one in tight.resources if one.id in ("laydown@site", "goods-lifts@hall-1")}
    assert not limits.keys() & {one.id for one in free.resources}
    for name, limit in limits.items():
        assert occupied(tight)[name] <= limit.capacity
        assert any(one.dates and one.dates.crew == name for one in tight.activities), name
    assert len(limits) == 2
    assert tight.finish > free.finish


def test_a_pod_whose_crates_have_no_room_says_so() -> None:
    with pytest.raises(InputError, match=r"H06@pod-001 needs 77 m2 of floor for crates, and site has 50"):
        planned("superpod-4su", overrides={"laydown_m2": 50})
