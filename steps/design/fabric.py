"""Switches and cables of the compute fabric: a fat tree of one to three tiers, or a dragonfly.

A leaf switch gives `leaf_down` ports to servers and `leaf_up` to spines. Where rails are kept apart, each pod
has one leaf switch a rail (or more, where the pod is larger than a leaf), also the last pod with its few
servers; where they are not, leaves are filled port by port. Two tiers reach as many leaves as a spine has
ports; their spine count is the smallest divisor of the uplinks that carries them, so that every leaf has the
same number of links to every spine. That rule gives NVIDIA's published tables (24 leaves: 16 spines, not 12).
Above it, groups of whole pods have spines of their own, and a core joins the groups.

`planes` splits the rails over fabrics that are not joined: traffic between planes crosses inside the server.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from typing import Any, NamedTuple


class Fabric(NamedTuple):
    """Counts over all planes, and the shape they come from; a dragonfly's routers are its leaf switches."""

    tiers: int
    leaf: int
    spine: int
    core: int
    node_leaf_links: int
    leaf_spine_links: int
    spine_core_links: int
    manager_links: int
    pods: tuple[int, ...]
    leaves: tuple[int, ...]
    leaf_down: int
    leaf_up: int
    spine_down: int
    spine_up: int
    group_pods: int
    planes: int

    @property
    def switches(self) -> int:
        """Switches of all tiers."""
        return self.leaf + self.spine + self.core

    @property
    def links(self) -> int:
        """Cables of all kinds, fabric managers' included."""
        return self.node_leaf_links + self.manager_links + self.leaf_spine_links + self.spine_core_links


class FabricShape(NamedTuple):
    """What a fabric is asked to be; all counts, oversubscription is bandwidth down over bandwidth up."""

    nodes: int
    rails: int
    radix: int
    nodes_per_pod: int = 0
    spine_radix: int = 0
    leaf_oversubscription: float = 1.0
    spine_oversubscription: float = 1.0
    planes: int = 1
    manager_ports: int = 0
    tiers: int = 0
    rail_optimised: bool = True
    topology: str = "fat-tree"

    @property
    def upper_radix(self) -> int:
        """Ports of a spine or core switch."""
        return self.spine_radix or self.radix

    @property
    def pod_size(self) -> int:
        """Servers in a full pod: as given, or as many as fill the leaves of one group."""
        if self.nodes_per_pod:
            return self.nodes_per_pod
        if self.topology == "dragonfly":
            return max(1, 2 * dragonfly_hosts(self.radix) ** 2 // max(1, self.rails))
        return max(1, ports_down(self.radix, self.leaf_oversubscription))


def shape_of(figures: Mapping[str, float], choices: Mapping[str, Any]) -> FabricShape:
    """Return the shape that a design's figures and choices ask for."""
    return FabricShape(
        nodes=int(figures["nodes"]),
        rails=int(figures["rails"]),
        radix=int(figures["radix"]),
        nodes_per_pod=int(figures.get("nodes_per_pod", 0)),
        spine_radix=int(figures["spine_radix"]),
        leaf_oversubscription=figures["leaf_oversubscription"],
        spine_oversubscription=figures["spine_oversubscription"],
        planes=int(figures["planes"]),
        manager_ports=int(figures["fabric_manager_ports"]),
        tiers=int(figures["tiers"]),
        rail_optimised=bool(choices["rail_optimised"]),
        topology=str(choices["topology"]),
    )


def ports_down(radix: int, oversubscription: float) -> int:
    """Return the most ports downward that leave enough upward, so that down over up is at most `oversubscription`."""
    down = int(radix * oversubscription / (1 + oversubscription) + 1e-9)
    while down > 0 and down + ceil(down / oversubscription - 1e-9) > radix:
        down -= 1
    return down


def dragonfly_hosts(radix: int) -> int:
    """Return the host ports of a router in a balanced dragonfly: p, beside 2p - 1 local and p global links."""
    return (radix + 1) // 4


def pod_sizes(nodes: int, size: int, held_back: int = 0) -> tuple[int, ...]:
    """Return the servers of each pod; the first gives up `held_back` places, the last takes what is left."""
    first = min(nodes, max(1, size - held_back))
    return (first, *(min(size, nodes - done) for done in range(first, nodes, size)))


def node_names(pods: Sequence[int], pod_size: int) -> list[str]:
    """Return the names of all servers in order; `pods` has how many each holds."""
    digits = max(2, len(str(pod_size)))
    return [f"pod-{pod:03}-n{n:0{digits}}" for pod, size in enumerate(pods, 1) for n in range(1, size + 1)]


def two_tier_limit(radix: int, spine_radix: int, oversubscription: float = 1.0) -> int:
    """Return the most ports that two tiers carry."""
    return spine_radix * ports_down(radix, oversubscription)


def three_tier_limit(shape: FabricShape) -> int:
    """Return the most ports of a plane that three tiers carry."""
    upper = shape.upper_radix
    down = ports_down(shape.radix, shape.leaf_oversubscription)
    return upper * ports_down(upper, shape.spine_oversubscription) * down


def no_fabric(nodes: int, nodes_per_pod: int) -> Fabric:
    """Return the fabric of machines that have none: pods, and no switch."""
    pods = pod_sizes(nodes, nodes_per_pod)
    return Fabric(0, 0, 0, 0, 0, 0, 0, 0, pods, (0,) * len(pods), 0, 0, 0, 0, 1, 1)


def fabric_of(shape: FabricShape) -> Fabric:
    """Return the counts of a fabric; what cannot be built is counted as asked for, and is a finding's business."""
    return _dragonfly(shape) if shape.topology == "dragonfly" else _fat_tree(shape)


def _fat_tree(shape: FabricShape) -> Fabric:
    s, planes = shape, shape.planes
    rails = ceil(s.rails / planes)
    down_most = ports_down(s.radix, s.leaf_oversubscription)
    if (s.nodes + ceil(s.manager_ports / s.rails)) * rails <= s.radix and s.tiers < 2:
        return _one_switch(s)
    per_rail = ceil(s.pod_size / down_most)
    full_pod = rails * per_rail if s.rail_optimised else ceil(s.pod_size * rails / down_most)
    held = ceil(s.manager_ports / s.rails)
    pods = pod_sizes(s.nodes, s.pod_size, held)
    places = (pods[0] + held, *pods[1:])
    leaves = tuple(full_pod if s.rail_optimised else ceil(size * rails / down_most) for size in places)
    down = min(down_most, ceil(s.pod_size / per_rail)) if s.rail_optimised else down_most
    up = ceil(down / s.leaf_oversubscription - 1e-9)
    leaf, upper = sum(leaves), s.upper_radix
    spine_down = ports_down(upper, s.spine_oversubscription)
    spine_up = upper - spine_down if s.spine_oversubscription == 1 else ceil(spine_down / s.spine_oversubscription)
    group_pods = max(1, spine_down // max(leaves))
    if s.tiers == 2 or (s.tiers < 2 and leaf <= upper):
        tiers, spine, core, spine_up = 2, even_spines(leaf, up, upper), 0, 0
        group_pods, spine_down = len(pods), upper
    else:
        tiers = 3
        groups = [sum(leaves[first : first + group_pods]) for first in range(0, len(leaves), group_pods)]
        spine = sum(ceil(group * up / spine_down) for group in groups)
        core = ceil(spine * spine_up / upper)
    return Fabric(
        tiers,
        leaf * planes,
        spine * planes,
        core * planes,
        s.nodes * s.rails,
        leaf * up * planes,
        spine * spine_up * planes,
        s.manager_ports,
        pods,
        tuple(count * planes for count in leaves),
        down,
        up,
        spine_down,
        spine_up,
        group_pods,
        planes,
    )


def _one_switch(s: FabricShape) -> Fabric:
    """One switch a plane carries every port, and nothing is joined."""
    pods = pod_sizes(s.nodes, s.pod_size)
    leaves = (s.planes, *(0 for _ in pods[1:]))
    return Fabric(
        1, s.planes, 0, 0, s.nodes * s.rails, 0, 0, s.manager_ports, pods, leaves, s.radix, 0, 0, 0, 1, s.planes
    )


def even_spines(leaf: int, up: int, spine_radix: int) -> int:
    """Return the spines of two tiers: the smallest divisor of a leaf's uplinks that has ports for all of them."""
    need = ceil(leaf * up / spine_radix)
    return next((d for d in range(max(1, need), up + 1) if up % d == 0), need)


def _dragonfly(s: FabricShape) -> Fabric:
    """Lay out a balanced dragonfly (Kim, Dally, Scott, Abts 2008): a = 2p = 2h, groups joined pairwise.

    A pod is a group or a whole part of one. `leaf_spine_links` are those inside groups, `spine_core_links`
    those between groups.
    """
    hosts = dragonfly_hosts(s.radix)
    in_group = 2 * hosts
    pods = pod_sizes(s.nodes, s.pod_size, ceil(s.manager_ports / s.rails))
    group_nodes = max(1, in_group * hosts // s.rails)
    group_pods = max(1, group_nodes // s.pod_size)
    groups = ceil(len(pods) / group_pods)
    leaves = tuple(in_group if index % group_pods == 0 else 0 for index in range(len(pods)))
    local = groups * in_group * (in_group - 1) // 2
    pair = in_group * hosts // (groups - 1) if groups > 1 else 0
    between = groups * (groups - 1) // 2 * pair
    return Fabric(
        2 if groups > 1 else 1,
        groups * in_group,
        0,
        0,
        s.nodes * s.rails,
        local,
        between,
        s.manager_ports,
        pods,
        leaves,
        hosts,
        in_group - 1,
        0,
        hosts,
        group_pods,
        1,
    )
