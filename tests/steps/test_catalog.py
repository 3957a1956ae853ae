"""The catalog as shipped: lint-clean for every preset, and the precedences a builder would insist on."""

from __future__ import annotations

from functools import cache

import pytest

from clusterwright.planning import rooms
from flows.runs.process.place import playbooks_folder
from steps.catalog.lint.check import HOLD_POINTS, SEED_STEPS, lint
from steps.catalog.lint.report import Installed
from steps.catalog.loader import read_roles
from steps.catalog.terms import Effect, Kind
from steps.design.design import Design, design_of, design_of_preset
from steps.design.preset import preset_names
from steps.design.site import Site
from steps.planning.network.expansion import expand
from steps.planning.network.parts import Expansion
from tests.shipped import shipped_catalog


@cache
def design(**changes: str | int) -> Design:
    entry = {
        "name": "t",
        "time_zone": "Etc/UTC",
        "country": "US",
        "currency": "USD",
        "preset": "h100-10k",
        "start": "2027-01-04",
        "people": [{"id": "owner", "roles": ["owner-pm"]}],
        "overrides": {"nodes": 64} | changes,
    }
    return design_of(Site.model_validate(entry))


@cache
def ancestors(**changes: str | int) -> tuple[Expansion, dict[str, set[str]]]:
    found = expand(shipped_catalog(), design(**changes), 8.0)
    before: dict[str, set[str]] = {}
    for link in found.links:
        before.setdefault(link.after, set()).add(link.before)
    closed: dict[str, set[str]] = {}

    def close(node: str) -> set[str]:
        if node not in closed:
            closed[node] = set()
            for earlier in before.get(node, ()):
                closed[node] |= {earlier} | close(earlier)
        return closed[node]

    return found, {node: close(node) for node in found.nodes if found.nodes[node].applies}


def comes_before(first: str, second: str, **changes: str) -> bool:
    """Whether, at every unit of the second step, some unit of the first is an ancestor."""
    found, above = ancestors(**changes)
    seconds = [n.id for n in found.nodes.values() if n.entry.step.id == second and n.applies]
    return bool(seconds) and all(any(a.partition("@")[0] == first for a in above[node]) for node in seconds)


def test_the_catalog_has_no_findings_for_any_preset() -> None:
    designs = {name: design_of_preset(name) for name in preset_names()}

    report = lint(shipped_catalog(), Installed(read_roles(), playbooks_folder(), rooms()), designs)

    assert [f"{f.place}: {f.message}" for f in report.findings] == []
    assert 0 < report.assumption_share < 1


def test_all_195_steps_and_all_hold_points_are_there() -> None:
    assert set(shipped_catalog()) == {*SEED_STEPS, *HOLD_POINTS}


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("038", "001"), ("072", "001"), ("H01", "001"), ("074", "001"), ("075", "001"), ("097", "009"), ("009", "001"), ("001", "004"), ("004", "005"),
        ("005", "H09"), ("017", "H09"), ("017", "031"), ("H32", "007"), ("007", "034"), ("008", "H21"), ("090", "034"),
        ("H64", "034"), ("100", "034"), ("102", "031"), ("115", "031"), ("116", "031"), ("H06", "H09"), ("H08", "H09"), ("H09", "031"), ("H09", "087"),
        ("091", "031"), ("091", "049"), ("091", "050"), ("091", "087"), ("091", "124"), ("093", "031"),
        ("093", "124"), ("089", "031"), ("095", "086"), ("H31", "095"), ("100", "124"), ("104", "031"),
        ("107", "031"), ("038", "044"), ("038", "045"), ("044", "045"), ("169", "173"), ("064", "063"),
        ("034", "063"), ("060", "059"), ("H14", "034"), ("088", "034"), ("033", "034"), ("034", "035"),
        ("H15", "142"), ("H15", "166"), ("H15", "146"), ("H14", "186"), ("H21", "186"), ("186", "195"),
        ("H24", "195"), ("190", "195"), ("059", "174"), ("173", "193"), ("070", "H66"), ("094", "H66"), ("H66", "195"), ("178", "195"), ("179", "195"), ("H43", "195"), ("H10", "H06"), ("H20", "031"), ("118", "H20"), ("079", "H20"),
        ("H12", "077"), ("077", "078"), ("095", "077"), ("H03", "077"), ("H04", "080"), ("H25", "081"),
    ],
)  # fmt: skip
def test_what_must_come_first_does(first: str, second: str) -> None:
    assert comes_before(first, second, facility="greenfield")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("005", "006"), ("006", "026"), ("026", "H09"), ("018", "H09"), ("020", "H09"), ("030", "H09"), ("041", "H09"),
        ("017", "H32"), ("H32", "007"), ("007", "026"), ("008", "026"), ("017", "031"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("burn_in", ["bench", "in-place"])
def test_servers_that_are_built_here_are_tested_assembled_and_racked_in_turn(
    first: str, second: str, burn_in: str
) -> None:
    assert comes_before(first, second, facility="greenfield", build="white-box", burn_in=burn_in)


@pytest.mark.parametrize(
    ("first", "second"),
    [("111", "031"), ("112", "031"), ("113", "111"), ("109", "111"), ("111", "034"), ("112", "034"), ("113", "034")],
)
def test_liquid_is_tight_and_watched_before_power(first: str, second: str) -> None:
    assert comes_before(first, second, facility="greenfield", cooling="hybrid")


@pytest.mark.parametrize(("first", "second"), [("110", "H09"), ("097", "110")])
def test_cold_plates_that_are_fitted_here_are_on_before_servers_are_racked(first: str, second: str) -> None:
    assert comes_before(first, second, facility="greenfield", cooling="hybrid", build="white-box")


@pytest.mark.parametrize("first", ["031", "034", "035", "H32", "007"])
def test_bench_burn_in_comes_before_racking(first: str) -> None:
    assert comes_before(first, "H09", burn_in="bench")
    assert comes_before("H36", "H21", burn_in="bench")


@pytest.mark.parametrize("first", ["100", "102", "H15", "H16", "115", "116"])
def test_bench_burnt_servers_wait_in_their_racks_for_cooling_and_management(first: str) -> None:
    assert comes_before(first, "H36", facility="greenfield", burn_in="bench")


@pytest.mark.parametrize(
    ("waits", "for_what"),
    [
        ("186", "120"), ("186", "173"), ("186", "174"), ("195", "184"), ("195", "185"), ("195", "117"),
        ("142", "048"), ("142", "049"), ("166", "049"), ("H14", "166"), ("034", "173"),
        ("077", "001"), ("031", "143"),
    ],
)  # fmt: skip
def test_nothing_waits_for_what_it_does_not_need(waits: str, for_what: str) -> None:
    found, above = ancestors(facility="greenfield")
    node = next(n.id for n in found.nodes.values() if n.entry.step.id == waits and n.applies)

    assert for_what not in {a.partition("@")[0] for a in above[node]}


def test_no_pod_waits_for_another_pod() -> None:
    found, _ = ancestors(facility="existing")

    for link in found.links:
        before, after = link.before.partition("@")[2], link.after.partition("@")[2]
        if before.startswith("pod-") and after.startswith("pod-"):
            assert before.partition("#")[0] == after.partition("#")[0]


ON_PAPER = {"H05", "H31", "H29", "098"}
"""What a permit, a lock-out or the lock-up of the site takes from every hall: drawings, and floors finished behind doors."""


@pytest.mark.parametrize("burn_in", ["bench", "in-place"])
@pytest.mark.parametrize("step", ["034", "H21", "130"])
def test_a_pod_waits_for_no_work_in_a_hall_where_nothing_of_it_stands(step: str, burn_in: str) -> None:
    """Infrastructure racks and storage stand in the first hall; the last hall's switchgear is nothing to its pods."""
    _, above = ancestors(facility="greenfield", burn_in=burn_in, halls=2)

    waited_for = {a.partition("@")[0] for a in above[f"{step}@pod-001"] if a.endswith("@hall-2")}

    assert {"H05"} <= waited_for <= ON_PAPER


def test_a_bench_waits_for_bench_power_and_for_no_hall_to_be_energised() -> None:
    """The bench has its own power, network and image server (H26)."""
    _, above = ancestors(facility="greenfield", burn_in="bench")

    steps = {a.partition("@")[0] for a in above["034@pod-001"]}

    assert "H26" in steps
    assert not steps & {"077", "079", "091", "093", "H33", "H15", "H20"}


def test_an_oem_site_bridges_from_the_order_of_the_servers_to_power_on() -> None:
    found, above = ancestors(facility="existing")

    assert not found.nodes["015@pod-001"].applies
    assert "001@site#gpu-server" in above["031@pod-001"]
    assert any(link.bridged for link in found.links)


def test_a_step_that_only_reads_is_a_check_and_not_automated() -> None:
    """Firmware, frame sizes and open ports once counted as automated, and were only read."""
    automated = [entry.step for entry in shipped_catalog().values() if entry.step.kind is Kind.AUTOMATE]

    assert [step.id for step in automated if step.effect is Effect.READ] == []
