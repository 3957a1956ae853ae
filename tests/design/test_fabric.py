"""Switch and cable counts against published tables, and what holds for any size and every cable."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from steps.design.cables import CableSchedule
from steps.design.design import ImpossibleDesignError, design_of_preset
from steps.design.fabric import FabricShape, fabric_of
from steps.design.preset import layered, read_preset


@pytest.mark.parametrize(
    ("units", "leaf", "spine", "core"),
    [
        (1, 8, 4, 0),
        (2, 16, 8, 0),
        (3, 24, 16, 0),
        (4, 32, 16, 0),
        (8, 64, 32, 0),
        (16, 128, 128, 64),
        (32, 256, 256, 128),
        (64, 512, 512, 256),
    ],
)
def test_counts_of_h100_and_b200_superpods_are_the_published_ones(units: int, leaf: int, spine: int, core: int) -> None:
    fabric = fabric_of(FabricShape(nodes=32 * units, rails=8, radix=64))

    assert (fabric.leaf, fabric.spine, fabric.core) == (leaf, spine, core)
    assert fabric.node_leaf_links == fabric.leaf_spine_links == 256 * units
    assert fabric.spine_core_links == (256 * units if core else 0)


@pytest.mark.parametrize(("units", "leaf", "spine"), [(1, 8, 4), (2, 16, 8), (4, 32, 18), (8, 64, 36), (18, 144, 72)])
def test_counts_of_b300_superpods_on_144_port_switches_are_the_published_ones(
    units: int, leaf: int, spine: int
) -> None:
    fabric = fabric_of(FabricShape(nodes=72 * units, rails=8, radix=144))

    assert (fabric.tiers, fabric.leaf, fabric.spine) == (2, leaf, spine)
    assert fabric.node_leaf_links == fabric.leaf_spine_links == 576 * units


@pytest.mark.parametrize(
    ("units", "planes", "leaf", "spine"),
    [(1, 1, 16, 8), (2, 1, 32, 16), (4, 1, 64, 32), (8, 2, 128, 64), (16, 4, 256, 128)],
)
def test_counts_of_b300_superpods_on_ethernet_are_the_published_ones(
    units: int, planes: int, leaf: int, spine: int
) -> None:
    """Beyond 2,048 ports the published table stays at two tiers, which separate planes of rails explain."""
    fabric = fabric_of(FabricShape(nodes=64 * units, rails=8, radix=64, nodes_per_pod=64, planes=planes))

    assert (fabric.tiers, fabric.leaf, fabric.spine) == (2, leaf, spine)
    assert fabric.node_leaf_links == fabric.leaf_spine_links == 512 * units


@pytest.mark.parametrize(
    ("nodes", "server_cables", "upward"), [(31, 252, 256), (63, 508, 512), (95, 764, 768), (127, 1020, 1024)]
)
def test_ports_kept_for_fabric_managers_give_the_published_31_to_127_nodes(
    nodes: int, server_cables: int, upward: int
) -> None:
    fabric = fabric_of(FabricShape(nodes=nodes, rails=8, radix=64, manager_ports=4))

    assert fabric.node_leaf_links + fabric.manager_links == server_cables
    assert fabric.leaf_spine_links == upward
    assert fabric.pods[0] == 31
    assert len(fabric.pods) == (nodes + 1) // 32


def test_ten_thousand_gpus_take_320_leaves_with_rails_and_313_without() -> None:
    with_rails = fabric_of(FabricShape(nodes=1250, rails=8, radix=64))
    without = fabric_of(FabricShape(nodes=1250, rails=8, radix=64, rail_optimised=False))

    assert (with_rails.tiers, with_rails.leaf, with_rails.spine, with_rails.core) == (3, 320, 320, 160)
    assert (without.leaf, without.spine, without.core) == (313, 313, 157)


SHAPES = st.builds(
    FabricShape,
    nodes=st.integers(1, 700),
    rails=st.sampled_from([1, 2, 4, 8]),
    radix=st.sampled_from([16, 32, 40, 64]),
    nodes_per_pod=st.one_of(st.just(0), st.integers(1, 80)),
    spine_radix=st.sampled_from([0, 32, 128]),
    leaf_oversubscription=st.sampled_from([1.0, 1.5, 2.0, 3.0]),
    spine_oversubscription=st.sampled_from([1.0, 2.0, 7.0]),
    planes=st.sampled_from([1, 2]),
    manager_ports=st.sampled_from([0, 4]),
    tiers=st.sampled_from([0, 3]),
    rail_optimised=st.booleans(),
    topology=st.sampled_from(["fat-tree", "fat-tree", "dragonfly"]),
)


def schedule_of(shape: FabricShape) -> CableSchedule:
    figures, choices, _ = layered(read_preset("superpod-1su"), {})
    figures |= {
        "nodes": shape.nodes,
        "rails": shape.rails,
        "radix": shape.radix,
        "nodes_per_pod": shape.nodes_per_pod,
        "spine_radix": shape.spine_radix,
        "leaf_oversubscription": shape.leaf_oversubscription,
        "spine_oversubscription": shape.spine_oversubscription,
        "planes": shape.planes,
        "fabric_manager_ports": shape.manager_ports,
        "tiers": shape.tiers,
    }
    return CableSchedule(figures, choices | {"rail_optimised": shape.rail_optimised, "topology": shape.topology})


def fits(shape: FabricShape) -> bool:
    """Return whether the switches have the ports: what they lack is a finding, and another test."""
    fabric = fabric_of(shape)
    if (
        shape.pod_size <= -(-shape.manager_ports // shape.rails)
        or shape.rails % shape.planes
        or (shape.topology == "dragonfly" and shape.planes > 1)
    ):
        return False
    if shape.topology == "dragonfly":
        hosts = (shape.radix + 1) // 4
        return shape.pod_size * shape.rails <= 2 * hosts * hosts and fabric.leaf // (2 * hosts) <= 2 * hosts * hosts + 1
    groups = -(-len(fabric.pods) // fabric.group_pods)
    return (
        groups <= shape.upper_radix and max(fabric.leaves) // shape.planes <= fabric.spine_down
        if fabric.tiers == 3
        else True
    )


@given(SHAPES)
def test_no_port_is_used_twice_and_every_server_has_all_its_rails(shape: FabricShape) -> None:
    assume(fits(shape))
    schedule = schedule_of(shape)
    ends: Counter[tuple[str, int]] = Counter()
    rails: dict[str, set[int]] = {}
    for row in schedule.rows():
        tier, rail, a, a_port, b, b_port = row[1], row[2], row[3], row[4], row[6], row[7]
        ends[str(a), int(a_port)] += 1
        ends[str(b), int(b_port)] += 1
        if tier == "node-leaf":
            rails.setdefault(str(a), set()).add(int(rail))
        most = shape.upper_radix if str(b).startswith(("spine", "core")) else shape.radix
        assert 1 <= int(b_port) <= most

    assert max(ends.values()) == 1
    assert len(rails) == shape.nodes
    assert all(found == set(range(1, shape.rails + 1)) for found in rails.values())


@given(SHAPES)
def test_counts_equal_the_cable_schedule(shape: FabricShape) -> None:
    assume(fits(shape))
    schedule = schedule_of(shape)
    cables = Counter(str(row[1]) for row in schedule.rows())
    fabric = schedule.fabric

    assert cables["node-leaf"] == fabric.node_leaf_links
    assert cables["manager-leaf"] == fabric.manager_links
    assert cables["leaf-spine"] + cables["local"] == fabric.leaf_spine_links
    assert cables["spine-core"] + cables["global"] == fabric.spine_core_links
    assert sum(cables.values()) == fabric.links == sum(schedule.lengths().values())
    assert len({row[0] for row in schedule.rows()}) == fabric.links


@given(SHAPES)
def test_bandwidth_up_is_bandwidth_down_over_the_oversubscription(shape: FabricShape) -> None:
    assume(fits(shape) and shape.topology == "fat-tree")
    fabric = fabric_of(shape)
    assume(fabric.tiers > 1)

    assert fabric.leaf_down <= fabric.leaf_up * shape.leaf_oversubscription
    assert fabric.leaf_down + fabric.leaf_up <= shape.radix
    if fabric.tiers == 3:
        assert fabric.spine_down <= fabric.spine_up * shape.spine_oversubscription
        assert fabric.spine_down + fabric.spine_up <= shape.upper_radix


@given(SHAPES)
def test_in_one_plane_any_two_leaves_are_joined(shape: FabricShape) -> None:
    assume(fits(shape) and shape.planes == 1)
    neighbours: dict[str, set[str]] = {}
    for row in schedule_of(shape).rows():
        if row[1] not in ("node-leaf", "manager-leaf"):
            neighbours.setdefault(str(row[3]), set()).add(str(row[6]))
            neighbours.setdefault(str(row[6]), set()).add(str(row[3]))
    assume(neighbours)
    reached, ahead = set(), [next(iter(neighbours))]
    while ahead:
        at = ahead.pop()
        if at not in reached:
            reached.add(at)
            ahead += neighbours[at]

    assert reached == neighbours.keys()


def test_two_tiers_give_every_leaf_the_same_links_to_every_spine() -> None:
    pairs = Counter(
        (row[3], row[6])
        for row in schedule_of(FabricShape(nodes=96, rails=8, radix=64)).rows()
        if row[1] == "leaf-spine"
    )

    assert len(pairs) == 24 * 16
    assert set(pairs.values()) == {2}


def test_rail_n_of_a_pod_ends_on_leaf_n() -> None:
    for row in schedule_of(FabricShape(nodes=64, rails=8, radix=64)).rows():
        if row[1] == "node-leaf":
            assert str(row[6]) == f"{str(row[3])[:7]}-leaf-{int(row[2]):02}"


def test_a_pod_schedule_has_its_servers_cables_and_its_leaves_uplinks() -> None:
    rows = list(schedule_of(FabricShape(nodes=128, rails=8, radix=64)).rows(pod=2))

    assert Counter(str(row[1]) for row in rows) == {"node-leaf": 256, "leaf-spine": 256}
    assert all(str(row[3]).startswith("pod-003-") for row in rows)


def test_cables_are_cut_no_shorter_than_the_way() -> None:
    for run in schedule_of(FabricShape(nodes=512, rails=8, radix=64)).runs:
        assert np.all(run.stock_m >= run.length_m)


def test_a_dragonfly_joins_every_pair_of_groups() -> None:
    shape = FabricShape(nodes=256, rails=8, radix=64, topology="dragonfly")
    groups = Counter(
        frozenset((str(row[3])[:7], str(row[6])[:7])) for row in schedule_of(shape).rows() if row[1] == "global"
    )

    assert len(groups) == 4 * 3 // 2
    assert len(set(groups.values())) == 1


@pytest.mark.parametrize(
    ("settings", "name"),
    [
        ({"nodes": 0}, "impossible-figure"),
        ({"nodes": -5}, "impossible-figure"),
        ({"nodes": 2.5}, "impossible-figure"),
        ({"radix": 1}, "radix-too-small"),
        ({"planes": 3}, "planes-uneven"),
        ({"nodes_per_pod": 1, "fabric_manager_ports": 4}, "no-room-for-managers"),
        ({"topology": "dragonfly", "radix": 36, "nodes_per_pod": 32}, "pod-over-group"),
        ({"mfu": 1.2}, "impossible-figure"),
    ],
)
def test_what_cannot_be_counted_is_refused_by_name(settings: dict[str, float | str], name: str) -> None:
    with pytest.raises(ImpossibleDesignError) as caught:
        design_of_preset("superpod-1su", dict(settings))

    assert caught.value.findings[0].name == name
    assert caught.value.findings[0].remedy


@pytest.mark.parametrize(
    ("units", "leaf", "spine"), [(1, 16, 8), (2, 32, 16), (4, 64, 32), (8, 128, 64), (16, 256, 128)]
)
def test_b300_has_the_published_switches_of_two_planes(units: int, leaf: int, spine: int) -> None:
    """NVIDIA DGX SuperPOD reference architecture, DGX B300, table 3; a cable of 800G there is two links of 400G here."""
    values = design_of_preset("superpod-b300-4su", {"nodes": 64 * units}).site.values

    assert (values["leaf"], values["spine"], values["core"]) == (leaf, spine, 0)
    assert values["node_leaf_links"] == values["leaf_spine_links"] == 2 * 512 * units


@pytest.mark.parametrize("preset", ["superpod-b300-4su", "gb300-nvl72-su"])
def test_b300_and_gb300_come_with_two_planes(preset: str) -> None:
    figures = design_of_preset(preset).figures

    assert figures["planes"] == 2
    assert figures["rails"] == 2 * figures["gpus_per_node"]
