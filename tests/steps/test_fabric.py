"""Switch and cable counts against NVIDIA's published SuperPOD tables, and what holds for any size."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steps.design.fabric import fat_tree


@pytest.mark.parametrize(("units", "leaf", "spine"), [(1, 8, 4), (2, 16, 8), (3, 24, 16), (4, 32, 16)])
def test_two_tier_counts_are_the_published_ones(units: int, leaf: int, spine: int) -> None:
    fabric = fat_tree(nodes=32 * units, nodes_per_pod=32, rails=8, radix=64)

    assert (fabric.tiers, fabric.leaf, fabric.spine, fabric.core) == (2, leaf, spine, 0)
    assert fabric.node_leaf_links == fabric.leaf_spine_links == 256 * units


def test_ten_thousand_gpus_take_three_tiers_of_forty_units() -> None:
    fabric = fat_tree(nodes=1250, nodes_per_pod=32, rails=8, radix=64)

    assert (fabric.tiers, fabric.leaf, fabric.spine, fabric.core) == (3, 320, 320, 160)


@given(st.integers(1, 2000), st.sampled_from([4, 8]), st.sampled_from([32, 64, 128]))
def test_no_switch_has_more_cables_than_ports(nodes: int, rails: int, radix: int) -> None:
    fabric = fat_tree(nodes=nodes, nodes_per_pod=radix // 2, rails=rails, radix=radix)

    assert fabric.node_leaf_links <= fabric.leaf * radix // 2
    assert fabric.leaf_spine_links + fabric.spine_core_links <= fabric.spine * radix
    assert fabric.spine_core_links <= fabric.core * radix
    assert fabric.leaf_spine_links >= fabric.node_leaf_links
