"""Hardware that comes whole is not taken apart: complete servers, whole racks; and benches burn in what they have places for."""

from __future__ import annotations

from datetime import timedelta
from functools import cache
from itertools import pairwise, product

import pytest

from steps.catalog.lint.designs import network_findings
from steps.catalog.lint.report import LintReport
from steps.design.design import design_of_preset
from steps.design.dossier import dossier_of
from steps.design.preset import preset_names
from steps.formula import number_of
from steps.planning.activity import PlanActivity
from steps.planning.network.expansion import expand
from steps.planning.network.parts import Expansion
from steps.planning.plan import Plan
from tests.shipped import shipped_catalog
from tests.steps.test_plan import plan, planned

pytestmark = [pytest.mark.long, pytest.mark.xdist_group("plans")]

OPENED = {
    "006",
    *(f"{n:03}" for n in range(10, 17)),
    "020",
    *(f"{n:03}" for n in range(22, 29)),
    "030",
    "041",
    "110",
}
"""What is done inside a server: assembly, a bench test of each GPU, fitting or seating of parts."""
OF_TRAYS_ALONE = {"H06", "H08", "H09", "005", "087", "109"}
"""What is done to servers that come one by one, beside what is done inside them."""
OF_RACKS = {f"H{n}" for n in range(55, 63)}
WEEK = timedelta(weeks=1)


@cache
def expanded(preset: str) -> Expansion:
    return expand(shipped_catalog(), design_of_preset(preset), 8.0)


def done(found: Expansion) -> set[str]:
    """Return the steps that apply somewhere."""
    return {node.entry.step.id for node in found.nodes.values() if node.applies}


def of(made: Plan, step: str) -> PlanActivity:
    """Return a step's activity in the first unit where it applies."""
    return next(one for one in made.activities if one.step == step and one.applicable)


OEM = [name for name in preset_names() if design_of_preset(name).choices["build"] == "oem"]
RACK_SCALE = ["gb200-nvl72", "gb200-nvl72-su", "gb300-nvl72-su"]


@pytest.mark.parametrize("preset", OEM)
def test_complete_servers_are_not_opened(preset: str) -> None:
    assert done(expanded(preset)) & OPENED == set()


@pytest.mark.parametrize("preset", [name for name in preset_names() if name != "localhost"])
def test_controllers_are_onboarded_before_anything_reads_them(preset: str) -> None:
    """Firmware is read through them, and the first power-on is watched through them. One machine has nobody to onboard it."""
    links = {(link.before, link.after) for link in expanded(preset).links}

    assert {("H32@pod-001", "007@pod-001"), ("H32@pod-001", "031@pod-001"), ("007@pod-001", "008@pod-001")} <= links


def test_servers_that_are_built_here_are_tested_and_assembled() -> None:
    """All but what only cards in slots need: SXM modules have no risers, cables or brackets."""
    assert OPENED - done(expanded("h100-1000-servers")) == {"022", "024", "027", "028"}


def test_a_sample_of_complete_servers_is_inspected() -> None:
    """ISO 2859-1 takes 8 of a lot of 26 to 50."""
    assert of(plan("superpod-1su"), "005").items == 8
    assert of(plan("superpod-1su"), "005").duration.m < 8


def test_drives_of_complete_servers_are_looked_at_in_the_rack_once_they_are_read() -> None:
    links = {(link.before, link.after) for link in expanded("superpod-1su").links}

    assert {("008@pod-001", "018@pod-001"), ("018@pod-001", "H21@pod-001")} <= links
    assert ("018@pod-001", "H09@pod-001") not in links


def test_what_arrives_dead_is_found_at_the_first_power_on_and_replaced() -> None:
    for preset in ("superpod-1su", "gb200-nvl72-su"):
        first = of(plan(preset), "031")

        assert first.dead
        assert (first.dead.part, first.dead.holds) == ("server", "H21@pod-001")


@pytest.mark.parametrize("preset", preset_names())
def test_only_whole_racks_are_received_set_and_proven_as_racks(preset: str) -> None:
    """Servers are joined to coolant loops too (H59), where they are cooled by liquid."""
    steps, cooling = done(expanded(preset)), design_of_preset(preset).choices["cooling"]

    if preset in RACK_SCALE:
        assert steps >= OF_RACKS
        assert steps & OF_TRAYS_ALONE == set()
    else:
        assert steps & OF_RACKS == (set() if cooling == "air" else {"H59"})


@pytest.mark.parametrize("preset", RACK_SCALE)
def test_a_whole_rack_is_proven_in_turn(preset: str) -> None:
    """Way, delivery, bolts, a loop that is flushed and passes before, shelves, power, switch trays, domain, diagnostics, burn-in."""
    found = expanded(preset)
    before: dict[str, set[str]] = {}
    for link in found.links:
        before.setdefault(link.after.partition("@")[0], set()).add(link.before.partition("@")[0])

    turn = ["H55", "H56", "H57", "H59", "031", "H60", "H61", "H62", "034"]
    assert [earlier for earlier, later in pairwise(turn) if earlier not in before[later]] == []
    assert "111" in before["H59"]
    assert {"H57", "H37", "089"} <= before["H58"]
    assert "H58" in before["H32"] & before["031"]


def test_eight_racks_are_accepted_in_weeks_and_not_in_a_season() -> None:
    """Eight racks of NVL72: field crews and vendors speak of one to three crew-days a rack, then come tests and burn-in."""
    made = plan("gb200-nvl72-su")
    order = next(one for one in made.orders if one.item == "gpu-server")
    delivered = max(one.dates.early_finish for one in order.tranches if one.dates)
    powered, accepted = of(made, "031").dates, of(made, "H21").dates

    assert powered
    assert accepted
    assert 2 * WEEK < powered.early_finish - delivered < 5 * WEEK
    assert 4 * WEEK < accepted.early_finish - delivered < 9 * WEEK


def batches(made: Plan) -> float:
    """Return the batches in which all pods go over the benches: those before the last, and the last."""
    pods = sum(1 for one in made.units if one.kind == "pod")
    return pods + sum(one.items or 0 for one in made.activities if one.step == "H63" and one.applicable)


def test_a_thousand_servers_on_sixteen_bench_places_soak_for_189_days() -> None:
    """Sixty-three batches of 72 hours: thirty-one pods of 32 go in two, the last pod of 8 in one."""
    made = plan("h100-1000-servers")

    assert made.design["bench_servers"] == 16
    assert batches(made) == 63
    assert batches(made) * of(made, "034").duration.m / 24 == 189


def bench(**overrides: float) -> Plan:
    return planned("superpod-1su", burn_in="bench", overrides=overrides)


@cache
def bench_days(**overrides: float) -> float:
    """Return the days that one pod of 256 servers needs the benches for."""
    made = bench(nodes=256, nodes_per_pod=256, radix=512, **overrides)
    hours = [one.duration.m for one in made.activities if one.step in {"H63", "034", "035"} and one.applicable]
    return sum(hours) / 24


def test_the_soak_of_a_pod_is_its_batches_times_the_soak() -> None:
    """256 servers on 16 places: 15 batches of 90 hours with their change of servers, then the last of 86."""
    assert bench_days(test_benches=16) == pytest.approx((15 * 90 + 86) / 24, rel=1e-4)


def test_places_or_power_limit_the_benches_and_more_of_either_is_never_later() -> None:
    places = [bench_days(test_benches=count) for count in (1, 16, 64, 256)]
    power = [bench_days(test_benches=64, bench_power_kw=kw) for kw in (11, 163.2, 652.8, 5000)]

    assert places == sorted(places, reverse=True)
    assert len(set(places)) == len(places)
    assert power[1] == bench_days(test_benches=16)
    assert power[2:] == [bench_days(test_benches=64)] * 2


def test_a_pod_that_fits_on_the_benches_soaks_once() -> None:
    assert bench_days(test_benches=256) == (72 + 14) / 24


def test_a_pod_holds_the_bench_places_that_it_uses_and_no_more() -> None:
    values = bench(test_benches=16).design | {"nodes_in_pod": 32}
    for step in ("034", "035", "H63"):
        held = shipped_catalog()[step].step.resources["test-benches"]

        assert number_of(held, values) == 16
        assert number_of(held, values | {"nodes_in_pod": 8}) == 8


@pytest.mark.parametrize(
    ("cooling", "burn_in", "has_loop"),
    [("hybrid", "bench", True), ("hybrid", "in-place", False), ("air", "bench", False)],
)
def test_liquid_cooled_servers_burn_in_on_benches_with_a_loop(cooling: str, burn_in: str, *, has_loop: bool) -> None:
    made = planned("superpod-1su", burn_in=burn_in, overrides={"cooling": cooling})

    assert any(one.item == "bench-loop" for one in made.orders) is has_loop


@pytest.mark.parametrize(
    ("preset", "overrides", "says"),
    [
        ("superpod-1su", {"bench_power_kw": 8.0}, "the benches have 8 kW, and one server draws 10.2"),
        ("gb200-nvl72-su", {}, "racks that come whole do not go on benches"),
    ],
)
def test_benches_that_cannot_do_it_are_refused(preset: str, overrides: dict[str, float], says: str) -> None:
    dossier = dossier_of(design_of_preset(preset, {"burn_in": "bench", **overrides}))

    assert [one.severity for one in dossier.findings if says in one.says] == ["error"]


CHOICES = {
    "build": ("oem", "white-box"),
    "burn_in": ("bench", "in-place"),
    "cooling": ("air", "hybrid"),
    "server_form": ("node", "rack"),
    "gpu_form": ("sxm", "pcie"),
}


@pytest.mark.parametrize("facility", ["existing", "greenfield"])
def test_no_mix_of_choices_runs_in_a_circle(facility: str) -> None:
    """Racks that come whole are neither built from parts nor burnt in on benches."""
    for mix in product(*CHOICES.values()):
        chosen: dict[str, float | bool | str] = dict(zip(CHOICES, mix, strict=True))
        chosen |= {"facility": facility, "nodes": 64}
        design = design_of_preset("superpod-1su", chosen)
        if "rack" in mix and ("white-box" in mix or "bench" in mix):
            assert not dossier_of(design).buildable
            continue
        found = network_findings(str(mix), design, shipped_catalog(), LintReport())

        assert [finding.message for finding in found] == []
