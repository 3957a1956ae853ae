"""The networks beside the compute fabric against published tables, their names, and plans from before they were counted."""

from __future__ import annotations

from hashlib import sha256

import pytest

from steps.catalog.terms import Scope
from steps.design.cables import CableSchedule
from steps.design.design import counted_from, design_of_preset
from steps.design.figures import figure_specs
from steps.design.positions import cable_rows, drawing_of, item_names
from steps.formula import number_of
from tests.shipped import shipped_catalog

NEW_FIGURES = {name for name in figure_specs() if name.startswith(("storage_ports", "in_band", "out_of_band"))} | {
    *("pod_switches_per_rack", "fabric_managers", "border_routers", "node_ports_per_cage", "warm_water_c"),
}

CABLES_OF_0_3_0 = {
    "superpod-1su": "d155962bee85413b",
    "superpod-4su": "b0ac8b0019ec51a3",
    "gb200-nvl72-su": "66283315713ff9c8",
    "h100-10k": "661ac8e9678030fa",
}
"""By preset: what pods' cables are called, and which devices each joins, as a digest."""


def test_storage_leaves_of_four_scalable_units_are_the_published_ones() -> None:
    """NVIDIA DGX SuperPOD, RA-11333-001: 4:3 to the servers; 494 cables, 254 of them to servers, are 240 between switches."""
    storage = design_of_preset("superpod-4su").counted.services.storage

    assert storage.pod_leaves == (2, 2, 2, 2)
    assert sum(storage.pod_cables) == 2 * 128
    assert storage.uplinks == 192 + storage.site_cables
    assert storage.switches in range(14, 17)  # published: 16, with 48 cables to storage


def test_management_networks_of_four_scalable_units_are_near_the_published_ones() -> None:
    """Published: eight switches each. Here every pod has its own pair, so that pods are built one after another."""
    services = design_of_preset("superpod-4su").counted.services

    assert services.in_band.switches in range(8, 13)
    assert services.out_of_band.switches in range(8, 13)
    assert sum(services.in_band.pod_cables) == 2 * 128
    assert sum(services.out_of_band.pod_cables) >= 128 + 32 * 3 + 32  # servers, rack PDUs, leaf switches


def test_a_small_site_has_one_pair_of_storage_switches() -> None:
    storage = design_of_preset("superpod-1su").counted.services.storage

    assert (storage.switches, storage.uplinks) == (2, 0)


def test_storage_over_the_compute_fabric_has_no_switches_of_its_own() -> None:
    services = design_of_preset("superpod-4su", {"storage_network": "none"}).counted.services

    assert services.storage.switches == services.storage.uplink_cables == 0


@pytest.mark.parametrize(
    ("step", "unit"), [("046", "pod-001"), ("049", "pod-001"), ("050", "site"), ("051", "pod-001")]
)
def test_what_is_mounted_and_cabled_has_a_name(step: str, unit: str) -> None:
    """A label names both ends; a switch that is only counted has none."""
    design = design_of_preset("superpod-4su")
    items = shipped_catalog()[step].step.items
    assert items
    values = next(one.values for one in design.units if one.id == unit)
    count = int(number_of(items.count, values))

    names = item_names(drawing_of(design.figures, design.choices), unit, items.of, count)

    assert len(set(names)) == count


@pytest.mark.parametrize("preset", CABLES_OF_0_3_0)
def test_a_cable_keeps_its_name_over_releases(preset: str) -> None:
    """Checklists have it. With other names the audit would find work that was finished with items unchecked."""
    design = design_of_preset(preset)
    drawing = drawing_of(design.figures, design.choices)
    assert drawing
    joined = sorted(
        f"{row[0]} {row[3]} {row[6]}" for row in cable_rows(drawing, "site") if str(row[3]).startswith("pod-")
    )

    assert sha256("\n".join(joined).encode()).hexdigest()[:16] == CABLES_OF_0_3_0[preset]


def test_a_plan_from_before_these_networks_is_counted_as_it_was() -> None:
    design = design_of_preset("superpod-4su")
    before = {name: value for name, value in design.figures.items() if name not in NEW_FIGURES}

    counted = counted_from(before, dict(design.choices))
    racks = {row[8] for row in CableSchedule(before, design.choices).rows(0) if row[1] == "node-leaf"}

    assert counted.services.storage.switches == counted.services.management_switches == 0
    assert counted.power.rack_kw == 4 * 10.2
    assert len(racks) == 1  # all leaf switches of a pod in its middle rack


def test_top_of_rack_switches_are_in_the_rack_of_their_servers() -> None:
    design = design_of_preset("meta-24k")
    pod = next(unit for unit in design.units if unit.kind is Scope.POD)
    rows = list(CableSchedule(design.figures, design.choices).rows(0))

    assert all(row[5] == row[8] for row in rows if row[1] == "node-leaf")
    assert pod.values["leaf_in_pod"] == pod.values["racks_in_pod"]
