"""Power topology is a choice: equipment, orders and dates follow from load, facility and what the site chose."""

from __future__ import annotations

from datetime import datetime
from functools import cache
from typing import Any

import pytest

from steps.design.design import design_of_preset
from steps.design.power_topology import DISTRIBUTION_MVA, standard_rating
from steps.design.preset import preset_names
from steps.planning.network.expansion import expand
from steps.planning.plan import Plan, PlanOrder
from tests.shipped import shipped_catalog
from tests.steps.test_catalog import comes_before
from tests.steps.test_plan import planned

pytestmark = [pytest.mark.long, pytest.mark.xdist_group("plans")]

SMALL = "superpod-1su"
LARGE = "h100-10k"


@cache
def site(preset: str, facility: str, **choices: str) -> Plan:
    """Return the plan of a preset in another facility, with some choices of its own."""
    return planned(preset, facility=facility, overrides=choices)


def weeks(made: Plan) -> float:
    """Return the weeks from start to go-live, levelled."""
    return (made.finish - made.start).days / 7


def items(made: Plan) -> set[str]:
    """Return what a plan orders, by item."""
    return {order.id.partition("#")[2] for order in made.orders}


def order(made: Plan, item: str) -> PlanOrder:
    """Return the only order of an item."""
    (found,) = (order for order in made.orders if order.id.partition("#")[2] == item)
    return found


def applies(made: Plan, step: str) -> bool:
    """Return whether a step applies anywhere on a site."""
    return any(one.applicable for one in made.activities if one.id.partition("@")[0] == step)


def span(made: Plan, activity: str) -> tuple[datetime, datetime]:
    """Return early start and finish of an activity."""
    dates = next(one.dates for one in made.activities if one.id == activity)
    assert dates is not None
    return dates.early_start, dates.early_finish


def hall(preset: str, **choices: str | float) -> dict[str, Any]:
    """Return the design values of the first hall."""
    return dict(design_of_preset(preset, {"facility": "greenfield", **choices}).units[1].values)


def test_a_small_load_at_medium_voltage_waits_for_no_power_transformer() -> None:
    """Half a megawatt below a 13.8 kV intake is served by two small distribution transformers."""
    medium, high = site(SMALL, "shell"), site(SMALL, "shell", power_delivery="high")

    assert "distribution-transformer" in items(medium)
    assert "power-transformer" not in items(medium)
    assert "power-transformer" in items(high)
    assert weeks(high) - weeks(medium) > 52


def test_voltage_follows_the_load_and_a_hall_in_service_has_power_at_the_hall() -> None:
    delivery = {
        (preset, facility): design_of_preset(preset, {"facility": facility}).choices["power_delivery"]
        for preset in (SMALL, LARGE, "meta-24k")
        for facility in ("existing", "greenfield")
    }

    assert {preset: delivery[preset, "greenfield"] for preset in (SMALL, LARGE, "meta-24k")} == {
        SMALL: "medium",
        LARGE: "medium",
        "meta-24k": "high",
    }
    assert {delivery[preset, "existing"] for preset in (SMALL, LARGE, "meta-24k")} == {"low"}


@pytest.mark.parametrize(("load", "rating"), [(0.2, 0.3), (0.6, 0.75), (0.75, 0.75), (2.2, 2.5), (9.0, 2.5)])
def test_the_next_standard_rating_carries_the_load(load: float, rating: float) -> None:
    assert standard_rating(load, 2.5, DISTRIBUTION_MVA) == rating


def test_transformers_of_every_preset_carry_their_hall_with_one_lost() -> None:
    for preset in preset_names():
        for voltage in ("medium", "high"):
            v = hall(preset, power_delivery=voltage, substation_owner="site")
            mva = v["hall_mw"] / 0.95
            small = v["distribution_transformers_in_hall"] - 1
            large = v["transformers_in_hall"] - 1

            assert small * v["distribution_transformer_mva_in_hall"] >= mva
            assert large * v["transformer_mva_in_hall"] >= mva or voltage == "medium"


def test_a_larger_load_never_gets_less_transformer() -> None:
    ratings = [standard_rating(load / 100, 2.5, DISTRIBUTION_MVA) for load in range(1, 400)]

    assert ratings == sorted(ratings)


def test_a_substation_of_the_utility_is_not_bought_by_the_site() -> None:
    own, utility = (hall("meta-24k", substation_owner=owner) for owner in ("site", "utility"))

    assert own["transformers_in_hall"] > 0
    assert utility["transformers_in_hall"] == 0
    assert utility["distribution_transformers_in_hall"] == own["distribution_transformers_in_hall"]


@pytest.mark.parametrize("preset", [SMALL, LARGE])
@pytest.mark.parametrize("equipment", ["made-to-order", "stock"])
def test_a_shell_is_ready_before_a_greenfield_and_after_a_hall_in_service(preset: str, equipment: str) -> None:
    existing, shell, greenfield = (
        weeks(site(preset, facility, power_equipment=equipment)) for facility in ("existing", "shell", "greenfield")
    )

    assert existing < shell
    assert shell + 6 < greenfield


def test_the_building_drives_a_greenfield_whose_equipment_comes_from_stock() -> None:
    made = site(LARGE, "greenfield", power_equipment="stock")
    critical = {one.id for one in made.activities if one.dates and one.dates.is_critical}

    assert {"H45@site", "H44@site", "H28@site"} <= critical


def test_equipment_from_stock_is_never_later() -> None:
    for facility in ("shell", "greenfield"):
        assert weeks(site(SMALL, facility, power_equipment="stock")) < weeks(site(SMALL, facility)) - 10


@pytest.mark.parametrize(
    ("choices", "steps"),
    [
        ({"generators": "none"}, {"080": False, "081": False, "H25": False, "H04": False, "H51": False, "078": True}),
        ({"generators": "gas-turbine"}, {"080": False, "081": True, "H25": False, "H04": True, "H51": True}),
        ({"ride_through": "batteries"}, {"078": False, "079": False, "H52": True}),
        ({"ride_through": "none"}, {"078": True, "079": True, "H52": False}),
        ({"power_delivery": "low"}, {"076": False, "077": False, "H12": False, "078": True, "082": True}),
        ({"power_equipment": "stock"}, {"H19": True, "H12": True}),
        ({"power_equipment": "stock", "cooling_equipment": "stock"}, {"H19": False, "H12": True}),
    ],
    ids=lambda value: "-".join(value.values()) if "power" in str(value) or "rid" in str(value) else "",
)
def test_steps_follow_the_power_choices(choices: dict[str, str], steps: dict[str, bool]) -> None:
    made = site(SMALL, "shell", **choices)

    assert {step: applies(made, step) for step in steps} == steps


def test_without_ride_through_the_ups_carries_all_but_the_servers() -> None:
    whole, rest = hall(LARGE), hall(LARGE, ride_through="none")

    assert rest["ups_load_mw_in_hall"] == pytest.approx(whole["hall_it_mw"] - whole["nodes_in_hall"] * 10.2 / 1000)
    assert 0 < rest["ups_modules_in_hall"] < whole["ups_modules_in_hall"] / 2


def test_a_staged_site_goes_live_before_the_utilitys_full_capacity() -> None:
    """Turbines on hire carry the first load; the large-load study and the substation follow."""
    choices = {"generators": "gas-turbine", "power_equipment": "stock", "utility_service": "upgrade"}
    staged = site(SMALL, "shell", power_delivery="high", energisation="staged", **choices)
    full = order(staged, "full-service")

    assert full.tranches[0].dates is not None
    assert full.tranches[0].dates.early_finish > staged.finish
    assert span(staged, "H49@site")[1] > span(staged, "075@site")[0]
    assert weeks(staged) < weeks(site(SMALL, "shell", power_delivery="high", **choices)) - 26


def test_the_preset_of_colossus_has_what_its_site_had() -> None:
    """Hired turbines and batteries in a former factory, and a substation of the utility that came later."""
    values = design_of_preset("xai-100k", {}).units[1].values
    names = ("power_delivery", "substation_owner", "generators", "ride_through", "power_equipment", "energisation")
    v = hall("xai-100k")

    assert [values[name] for name in names] == ["high", "utility", "gas-turbine", "batteries", "stock", "staged"]
    assert (v["transformers_in_hall"], v["generators_in_hall"], v["ups_modules_in_hall"]) == (0, 0, 0)
    # the permit of July 2025 is for 15 turbines; 150 MW of batteries are 79 containers
    assert 12 <= 4 * v["gas_turbines_in_hall"] <= 18
    assert 72 <= 4 * v["battery_units_in_hall"] <= 100


@pytest.mark.parametrize(
    ("preset", "swings"), [(SMALL, False), (LARGE, False), ("llama3-16k", True), ("meta-24k", True)]
)
def test_a_large_synchronous_load_is_smoothed(preset: str, swings: bool) -> None:
    """The Llama 3 report names swings of tens of megawatts."""
    found = expand(shipped_catalog(), design_of_preset(preset, {}), 8.0)

    assert found.nodes["H53@site"].applies is swings


@pytest.mark.parametrize("facility", ["shell", "greenfield"])
def test_temporary_power_stays_until_permanent_power_serves_the_hall(facility: str) -> None:
    made = site(SMALL, facility)
    brought, taken = span(made, "H50@site"), span(made, "H27@hall-1")

    for live in ("077@hall-1", "082@hall-1", "091@hall-1", "093@hall-1"):
        assert span(made, live)[1] <= taken[0]
    assert brought[1] <= span(made, "H29@hall-1")[0]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("H45", "H44"), ("H44", "H02"), ("H46", "H02"), ("H45", "H47"), ("H46", "H47"), ("H48", "H47"), ("H47", "H28"),
        ("H50", "H28"), ("H49", "074"), ("H49", "075"), ("074", "075"), ("H48", "H29"), ("H50", "H29"), ("H48", "H07"),
    ],
)  # fmt: skip
def test_a_building_is_designed_approved_and_tendered_before_it_is_built(first: str, second: str) -> None:
    assert comes_before(first, second, facility="greenfield")


@pytest.mark.parametrize("facility", ["existing", "shell", "greenfield"])
@pytest.mark.parametrize("gate", ["H01", "074", "075", "002"])
def test_gpus_are_ordered_once_site_and_power_are_contracted(gate: str, facility: str) -> None:
    """An allocation letter keeps the slots until then, and waits for neither."""
    assert comes_before(gate, "001", facility=facility)
    assert not comes_before("H01", "002", facility=facility)


@pytest.mark.parametrize("preset", [name for name in preset_names() if name not in ("lab", "localhost")])
def test_no_preset_orders_gpus_or_chassis_before_the_site_is_under_control(preset: str) -> None:
    made = site(preset, "shell") if preset == "h100-1000-servers" else site(preset, "existing")
    gates = [span(made, f"{step}@site")[1] for step in ("H01", "074", "075")]
    bought = [o for o in made.orders if o.id.partition("#")[2] in {"gpu", "gpu-server", "chassis"}]

    assert bought
    assert all(one.dates and one.dates.early_start >= max(gates) for one in bought)


def test_rack_pdus_are_bought_once_and_come_by_pods() -> None:
    made = site(LARGE, "existing")
    pdus = order(made, "rack-pdu")

    assert pdus.id == "084@site#rack-pdu"
    assert len(pdus.tranches) == 5
    feeds = design_of_preset(LARGE, {}).figures["rack_feeds"]
    assert float(pdus.quantity) == feeds * 313
    assert sum(float(one.quantity) for one in pdus.tranches) == feeds * 313


@pytest.mark.parametrize("step", ["083", "091"])
def test_panels_take_their_time(step: str) -> None:
    """164 panels are not set in three days, and not inspected in four, whatever the number of crews."""
    made = site("meta-24k", "greenfield")
    duration = next(one.duration for one in made.activities if one.id == f"{step}@hall-1")

    assert duration.m > 10 * 8


@pytest.mark.parametrize(
    ("step", "role"), [("H01", "site-developer"), ("H07", "safety-officer"), ("H11", "fire-protection-fitter")]
)
def test_the_trade_that_does_it_is_on_it(step: str, role: str) -> None:
    assert shipped_catalog()[step].step.crew.role == role
