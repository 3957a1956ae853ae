"""Switches and cables of a rail-optimised fat tree.

Each pod of up to radix/2 servers has one leaf switch a rail. Two tiers reach radix**2/2 ports; above
that spines come in groups that mirror the leaves, under a core. The spine count of two tiers is the
smallest divisor of the uplinks that carries them, which gives NVIDIA's published SuperPOD tables.
"""

from __future__ import annotations

from math import ceil
from typing import NamedTuple


class Fabric(NamedTuple):
    """Counts of a fabric; `leaf_per_pod` is for a full pod."""

    tiers: int
    leaf: int
    spine: int
    core: int
    leaf_per_pod: int
    node_leaf_links: int
    leaf_spine_links: int
    spine_core_links: int


NO_FABRIC = Fabric(0, 0, 0, 0, 0, 0, 0, 0)


def fat_tree(*, nodes: int, nodes_per_pod: int, rails: int, radix: int) -> Fabric:
    """Give the non-blocking fabric of `nodes` servers with `rails` ports each."""
    uplinks = radix // 2
    leaf_per_pod = rails * ceil(nodes_per_pod / uplinks)
    pods = ceil(nodes / nodes_per_pod)
    leaf = leaf_per_pod * pods
    upward = leaf * uplinks
    two_tier = leaf * uplinks <= radix * uplinks
    if two_tier:
        need = ceil(upward / radix)
        spine = next(d for d in range(max(1, need), uplinks + 1) if uplinks % d == 0)
        return Fabric(2, leaf, spine, 0, leaf_per_pod, nodes * rails, upward, 0)
    spine, core = leaf, ceil(leaf * uplinks / radix)
    return Fabric(3, leaf, spine, core, leaf_per_pod, nodes * rails, upward, spine * uplinks)
