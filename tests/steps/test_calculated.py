"""Compute steps: every criterion is worked out, by something that could also fail."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from functools import cache
from typing import Any

import numpy as np
import pytest

from steps.design.cables import CableSchedule
from steps.design.calculated import WORKERS, Calculator
from steps.design.calculations.calculation import exact
from steps.design.calculations.wiring import Wiring
from steps.design.design import design_of, design_of_preset
from steps.design.preset import preset_names
from steps.design.site import Site
from steps.planning.activity import PlanActivity
from steps.planning.plan import Plan
from steps.planning.planner import Hosts, Surroundings, make_plan
from steps.value import Value
from tests.shipped import shipped_catalog

FACTS: dict[str, Value] = {
    "feed.voltage": Decimal(415),
    "feed.breaker": Decimal(80),
    "feed.count": Decimal(2),
    "feed.phases": Decimal(3),
    "server.inlet": "C20",
    "pdu.outlet": "C19",
    "pdu.outlet_voltage": Decimal(240),
    "pdu.phases": Decimal(3),
    "plant.capacity_one_unit_out": Decimal("3.2"),
    "plant.used_by_others": Decimal("0.2"),
    "plant.warm_capacity_one_unit_out": Decimal(2),
}


@cache
def plan_of(preset: str, **overrides: float | str | bool) -> Plan:
    """Return a preset's plan."""
    site = Site.model_validate(
        {
            "name": "one",
            "time_zone": "Etc/UTC",
            "country": "US",
            "currency": "USD",
            "preset": preset,
            "start": "2027-01-04",
            "overrides": overrides,
            "people": [{"id": "owner", "roles": ["owner-pm"]}],
        }
    )
    return make_plan(site, design_of(site), shipped_catalog(), Surroundings(roles={}, hosts=Hosts(), digests={}))


def activity(plan: Plan, name: str) -> PlanActivity:
    """Return an activity of a plan."""
    return next(a for a in plan.activities if a.id == name)


def result(plan: Plan, name: str, figure: str, facts: dict[str, Value] | None = None) -> Value:
    """Return one result of an activity."""
    found = Calculator(plan).of(activity(plan, name), FACTS if facts is None else facts).result(figure)
    assert found is not None
    return found.value


@pytest.mark.slow
@pytest.mark.parametrize("preset", preset_names())
def test_every_criterion_of_a_compute_step_is_worked_out(preset: str) -> None:
    """A criterion without a calculator would keep a step waiting for a person in every project."""
    plan = plan_of(preset)
    calculator = Calculator(plan)

    for a in plan.activities[:: 1 if len(plan.activities) < 2000 else 7]:
        if a.applicable and a.step in WORKERS:
            found = calculator.of(a, FACTS)
            assert [c.metric for c in a.criteria if found.result(c.metric) is None] == [], a.id
            assert a.criteria


def test_a_step_that_compares_with_facts_gives_nothing_without_them() -> None:
    """The design's own voltage is what is to be checked, not what it is checked with."""
    plan = plan_of("superpod-1su")

    for name in ("021@site", "085@site", "114@hall-1"):
        found = Calculator(plan).of(activity(plan, name), {})
        assert [c.metric for c in activity(plan, name).criteria if found.result(c.metric)] == []


@pytest.mark.parametrize(
    ("volts", "amps", "feeds", "phases", "kw"),
    [
        (415, 80, 2, 3, "46.003269"),
        (208, 60, 2, 3, "17.292795"),
        (415, 80, 3, 3, "81.78359"),
        (230, 32, 2, 1, "5.888"),
    ],
)
def test_what_is_left_of_the_feeds_when_one_is_lost(volts: int, amps: int, feeds: int, phases: int, kw: str) -> None:
    """sqrt(3) V A 0.8 of each feed that is left, less where its phases are uneven; a single phase has no root of three."""
    given = {"feed.voltage": volts, "feed.breaker": amps, "feed.count": feeds, "feed.phases": phases}
    facts: dict[str, Value] = {name: Decimal(value) for name, value in given.items()}

    assert result(plan_of("superpod-1su"), "085@site", "rack.kw_one_feed_lost", facts) == Decimal(kw)


@pytest.mark.parametrize("feeds", [1, 2, 3, 4, 6])
def test_a_facility_that_gives_what_was_designed_carries_what_the_design_says(feeds: int) -> None:
    """`design` and step 085 are read side by side: two figures for one circuit would be believed in neither."""
    plan = plan_of("superpod-1su", rack_feeds=feeds)
    power = design_of_preset("superpod-1su", {"rack_feeds": feeds}).counted.power
    facts = FACTS | {"feed.count": Decimal(feeds)}

    assert result(plan, "085@site", "rack.kw_one_feed_lost", facts) == exact(power.feeds_kw_one_lost)
    assert result(plan, "085@site", "rack.phase_imbalance", facts) == exact(power.phase_imbalance)


@pytest.mark.parametrize(
    ("changed", "mismatches"),
    [
        ({}, 0),
        ({"server.inlet": "C14"}, 1),
        ({"pdu.outlet_voltage": Decimal(208)}, 2),
        ({"pdu.phases": Decimal(1)}, 1),
        ({"server.inlet": "C14", "pdu.outlet": "C13"}, 1),
        ({"pdu.outlet_voltage": Decimal(120), "feed.voltage": Decimal(208)}, 2),
    ],
)
def test_plugs_voltages_currents_and_phases_are_held_against_each_other(
    changed: dict[str, Value], mismatches: int
) -> None:
    """A C14 draws what a C13 does not carry; the voltage at the outlet is 240 V at 415 V, not 208 V."""
    assert result(plan_of("superpod-1su"), "021@site", "plug.mismatches", FACTS | changed) == mismatches


def test_others_draw_from_the_plant_before_we_do() -> None:
    """Capacity with one unit out, less what tenants use."""
    assert result(plan_of("superpod-1su"), "114@hall-1", "plant.capacity_n_plus_1_mw") == Decimal(3)


@pytest.mark.slow
def test_odd_pods_planes_and_three_tiers_come_out_as_their_formulas_say() -> None:
    """The cables are counted, and no shape of fabric may differ from what it was laid out to be."""
    for overrides in (
        {"nodes": 100, "nodes_per_pod": 32},
        {"nodes": 77, "planes": 2, "nodes_per_pod": 20},
        {"nodes": 300, "rail_optimised": False, "radix": 40},
        {"nodes": 600, "radix": 32, "nodes_per_pod": 16},
    ):
        plan = plan_of("superpod-4su", **overrides)
        for a in plan.activities:
            if a.step in {"036", "037", "044", "072"}:
                found = Calculator(plan).of(a, {})
                for c in a.criteria:
                    figure = found.result(c.metric)
                    assert figure is not None
                    assert isinstance(figure.value, Decimal)
                    assert isinstance(c.value, Decimal)
                    holds = {
                        "==": figure.value == c.value,
                        "<=": figure.value <= c.value,
                        ">=": figure.value >= c.value,
                    }
                    assert holds[c.op], (a.id, c.metric, figure.value, c.value, overrides)


def test_a_wrong_cable_schedule_is_found_out() -> None:
    """The checks count what is drawn: one cable on a port that is taken, one beyond the switch."""
    design = design_of_preset("superpod-1su")
    right = Wiring(CableSchedule(design.figures, design.choices))
    drawn = CableSchedule(design.figures, design.choices)
    servers, *rest = drawn.runs
    ports = servers.b_port.copy()
    ports[0], ports[-1] = ports[8], 65
    drawn.__dict__["runs"] = (replace(servers, b_port=ports), *rest)
    wrong = Wiring(drawn)

    assert (right.ports_twice(), right.ports_over("leaf", 64)) == (0, 0)
    assert (wrong.ports_twice(), wrong.ports_over("leaf", 64)) == (1, 1)
    assert right.digest() != wrong.digest()


def test_a_leaf_without_uplinks_is_not_full_bisection() -> None:
    """Fewer ports up than down is what step 036 must not let pass."""
    design = design_of_preset("superpod-1su")
    cables = CableSchedule(design.figures, design.choices)
    servers, trunks = cables.runs
    half: dict[str, Any] = {
        name: getattr(trunks, name)[::2] for name in ("a", "a_port", "b", "b_port", "rail", "length_m")
    }
    places: dict[str, Any] = {name: tuple(x[::2] for x in getattr(trunks, name)) for name in ("a_place", "b_place")}
    cables.__dict__["runs"] = (servers, replace(trunks, **half, **places))

    assert Wiring(cables).oversubscription() == 2


def test_cables_over_trays_add_up() -> None:
    """32 servers of 4 a rack: the fullest stretch carries half the pod's copper to the middle rack."""
    design = design_of_preset("superpod-1su")
    wiring = Wiring(CableSchedule(design.figures, design.choices))
    reach = np.concatenate([run.stock_m[at] for run, at in wiring.of_pod(0)])

    assert 1 < wiring.tray_fill(0) < 50
    assert wiring.over_reach(0) == int((reach > 500).sum()) == 0


def test_a_plan_of_before_figures_is_worked_out_by_the_formulas_of_that_time() -> None:
    """What was adopted with 0.1.0 stays computable as it was."""
    plan = plan_of("superpod-1su").model_copy(update={"figures": {}, "choices": {}})

    found = Calculator(plan).of(activity(plan, "073@site"), {})

    assert found.result("power.facility_mw") is not None
    assert not found.inputs


def test_what_a_calculation_rests_on_changes_with_its_own_figures_only() -> None:
    """A better PUE is none of the fabric's business."""
    before, after = Calculator(plan_of("superpod-1su")), Calculator(plan_of("superpod-1su", pue=1.2))
    plan = plan_of("superpod-1su")
    changed = [
        a.step
        for a in plan.activities
        if a.step in WORKERS and before.basis(a) != after.basis(activity(after.plan, a.id))
    ]

    assert changed == ["073"]


@pytest.mark.parametrize(("value", "text"), [(2.0, "2"), (0.1 + 0.2, "0.3"), (1e-9, "0"), (12500.0, "12500")])
def test_figures_are_exact_and_short(value: float, text: str) -> None:
    """A float's noise would make every design differ from itself."""
    assert str(exact(value)) == text
