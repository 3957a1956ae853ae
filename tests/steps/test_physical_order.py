"""What physics, a utility or a landlord does first comes first in the plan of every preset that has both."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
import yaml

from steps.design.design import Design, design_of_preset
from steps.design.preset import preset_names
from steps.planning.network.durations import duration_of
from steps.planning.network.expansion import expand
from steps.planning.network.parts import Expansion
from tests.shipped import shipped_catalog
from tests.steps.test_commitment_gates import all_before, before
from tests.steps.test_plan import plan

pytestmark = pytest.mark.xdist_group("five-lists")

PRESETS = preset_names()
WHOLE_CLUSTER = ("066", "067", "186", "187", "188", "189", "190")
SHIFT_H = 8.0


@cache
def design(preset: str, facility: str = "") -> Design:
    return design_of_preset(preset, {"facility": facility} if facility else {})


@cache
def network(preset: str, facility: str = "") -> Expansion:
    return expand(shipped_catalog(), design(preset, facility), SHIFT_H)


def of_step(found: Expansion, step: str) -> list[str]:
    """Return the activities of a step that applies."""
    return [name for name, node in found.nodes.items() if node.entry.step.id == step and node.applies]


@pytest.mark.parametrize("preset", PRESETS)
def test_a_coolant_loop_is_flushed_and_passes_before_racks_and_servers_are_joined_to_it(preset: str) -> None:
    """Debris of new pipes ends in the cold plates."""
    found = network(preset)
    links = before(found)
    joined, powered = of_step(found, "H59"), of_step(found, "H36") or of_step(found, "031")

    assert bool(joined) == (design(preset).choices["cooling"] != "air")
    for name in joined:
        loop = name.replace("H59", "111")
        assert loop in links[name]
        assert not {name, name.replace("H59", "H09")} & all_before(loop, links)
    for name in powered if joined else ():
        assert f"H59@{name.partition('@')[2]}" in all_before(name, links)


@pytest.mark.parametrize("preset", ["h100-1000-servers", "xai-100k"])
def test_facility_water_passes_before_distribution_units_and_pods_are_filled(preset: str) -> None:
    found = network(preset)
    links = before(found)

    for name in of_step(found, "111"):
        assert {one.partition("@")[0] for one in links[name]} >= {"115", "108"}


@pytest.mark.parametrize("facility", ["shell", "greenfield"])
@pytest.mark.parametrize("preset", PRESETS)
def test_a_utility_confirms_a_load_after_it_has_studied_it(preset: str, facility: str) -> None:
    """158 MW were confirmed seven months before their study: with staged power, only the first power is confirmed then."""
    found = network(preset, facility)
    links = before(found)
    if not (of_step(found, "H49") and of_step(found, "074")):
        pytest.skip("no study, or no step of power")
    asked = {one.metric: one.when for one in shipped_catalog()["074"].step.accept}

    assert asked["utility.confirmed_mw"] == "energisation == 'whole'"
    assert asked["utility.first_power_mw"] == "energisation == 'staged'"
    if design(preset, facility).choices["energisation"] == "whole":
        assert "H49@site" in all_before("074@site", links)
    else:
        assert "H49@site" in all_before("H54@site", links)


@pytest.mark.parametrize("preset", PRESETS)
def test_clocks_of_the_management_servers_are_set_before_the_scheduler_goes_on_them(preset: str) -> None:
    """Configuration management makes them the site's time servers, and nodes join the scheduler after their own clocks agree."""
    found = network(preset)
    links = before(found)
    plays = yaml.safe_load(
        Path("playbooks/software_stack/143_configuration_management.yml").read_text(encoding="utf-8")
    )
    setting = [play["hosts"] for play in plays for role in play.get("roles", ()) if role["role"] == "time_sync"]

    assert setting[0] == "management"
    for name in of_step(found, "156") if of_step(found, "143") else ():
        assert "143@site" in links[name]
    for name in of_step(found, "H39"):
        assert {name.replace("H39", "144"), "156@site"} <= links[name]


def hours(preset: str, step: str, facility: str = "") -> float:
    """Return the most likely working hours of a step at the site, or its hours where it passes around the clock."""
    node = network(preset, facility).nodes[f"{step}@site"]
    return duration_of(node.entry.step, node.values, SHIFT_H).m


def test_a_hall_in_service_is_contracted_in_a_month_and_a_new_one_as_before() -> None:
    """Lease and power contract took eleven weeks where the hall, its power and the operator's agreement are there."""
    existing, new = (
        sum(hours("superpod-1su", step, facility) for step in ("H01", "075")) / SHIFT_H
        for facility in ("existing", "greenfield")
    )

    assert existing <= 20
    assert new == pytest.approx(45 + 40, abs=1)


def test_runs_over_a_whole_cluster_of_eight_servers_take_days() -> None:
    """Seven runs in series took five weeks of people and machine."""
    shifts = sum(hours("h100-8-servers", step) for step in WHOLE_CLUSTER if step != "189") / SHIFT_H
    run_days = hours("h100-8-servers", "189") / 24

    assert shifts + run_days <= 12


def test_the_runs_of_eight_servers_follow_each_other_within_a_month_with_their_approvals() -> None:
    dates = [one.dates for one in plan("h100-8-servers").activities if one.step in WHOLE_CLUSTER and one.dates]

    assert (max(one.early_finish for one in dates) - min(one.early_start for one in dates)).days <= 30


@pytest.mark.parametrize("step", WHOLE_CLUSTER)
def test_runs_over_the_whole_cluster_grow_with_it(step: str) -> None:
    eight, scalable_unit, large = (hours(preset, step) for preset in ("h100-8-servers", "superpod-4su", "h100-10k"))

    assert eight < scalable_unit < large
