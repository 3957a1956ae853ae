"""Switches and cables of the compute fabric: a fat tree of one to three tiers, or a dragonfly.

A leaf switch has `leaf_down` ports for servers and `leaf_up` for spines. If rails are kept apart, each pod has one leaf switch
for each rail (more if the pod is larger than a leaf), and so does the last pod with fewer servers. Otherwise leaves are
filled port by port.

Two tiers reach as many leaves as a spine has ports. Their number of spines is the smallest divisor of the uplinks that is
enough, so that every leaf has the same number of links to every spine. This agrees with NVIDIA's published tables (24 leaves
have 16 spines, not 12). With three tiers, groups of whole pods have spines of their own, and a core joins the groups.

`planes` splits the rails over fabrics that are not connected: traffic between planes crosses inside the server.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import NamedTuple

from steps.design.figures import Chosen, Figures


class Fabric(NamedTuple):
    """Counts over all planes. The routers of a dragonfly are its leaf switches."""

    tiers: int = 0
    leaf: int = 0
    spine: int = 0
    core: int = 0
    node_leaf_links: int = 0
    leaf_spine_links: int = 0
    spine_core_links: int = 0
    manager_links: int = 0
    pods: tuple[int, ...] = ()
    leaves: tuple[int, ...] = ()
    leaf_down: int = 0
    leaf_up: int = 0
    spine_down: int = 0
    spine_up: int = 0
    group_pods: int = 1
    planes: int = 1

    @property
    def switches(self) -> int:
        """Switches of all tiers."""
        return self.leaf + self.spine + self.core

    @property
    def links(self) -> int:
        """Cables of all kinds, those of fabric managers included."""
        return self.node_leaf_links + self.manager_links + self.leaf_spine_links + self.spine_core_links


class FabricShape(NamedTuple):
    """The parameters of a fabric. Oversubscription is the bandwidth down over the bandwidth up."""

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
        """Servers in a full pod: `nodes_per_pod`, or as many as fill the leaves of one group."""
        if self.nodes_per_pod:
            return self.nodes_per_pod
        if self.topology == "dragonfly":
            return max(1, 2 * dragonfly_hosts(self.radix) ** 2 // max(1, self.rails))
        return max(1, ports_down(self.radix, self.leaf_oversubscription))


def shape_of(figures: Figures, choices: Chosen) -> FabricShape:
    """Return the parameters of a fabric from the figures and choices of a design."""
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
    """Return the largest number of ports down for which down over up is at most `oversubscription`."""
    down = int(radix * oversubscription / (1 + oversubscription) + 1e-9)
    while down > 0 and down + ceil(down / oversubscription - 1e-9) > radix:
        down -= 1
    return down


def dragonfly_hosts(radix: int) -> int:
    """Return p, the host ports of a router in a balanced dragonfly, which has 2p - 1 local and p global links as well."""
    return (radix + 1) // 4


def pod_sizes(nodes: int, size: int, held_back: int = 0) -> tuple[int, ...]:
    """Return the servers of each pod; the first has `held_back` places fewer, and the last has the rest of the servers."""
    first = min(nodes, max(1, size - held_back))
    further = [min(size, nodes - done) for done in range(first, nodes, size)]
    return (first, *further)


def node_names(pods: Sequence[int], pod_size: int) -> list[str]:
    """Return the names of all servers in order; `pods` is the number of servers of each pod."""
    digits = max(2, len(str(pod_size)))
    names = []
    for pod, size in enumerate(pods, 1):
        names += [f"pod-{pod:03}-n{n:0{digits}}" for n in range(1, size + 1)]
    return names


def two_tier_limit(radix: int, spine_radix: int, oversubscription: float = 1.0) -> int:
    """Return the largest number of ports that two tiers carry."""
    return spine_radix * ports_down(radix, oversubscription)


def three_tier_limit(shape: FabricShape) -> int:
    """Return the largest number of ports of a plane that three tiers carry."""
    upper = shape.upper_radix
    down = ports_down(shape.radix, shape.leaf_oversubscription)
    return upper * ports_down(upper, shape.spine_oversubscription) * down


def no_fabric(nodes: int, nodes_per_pod: int) -> Fabric:
    """Return the fabric of a site that has none: pods without switches."""
    pods = pod_sizes(nodes, nodes_per_pod)
    return Fabric(pods=pods, leaves=(0,) * len(pods))


def fabric_of(shape: FabricShape) -> Fabric:
    """Return the counts of a fabric. One that cannot be built is counted as well; the findings name it."""
    return _dragonfly(shape) if shape.topology == "dragonfly" else _fat_tree(shape)


def _fat_tree(shape: FabricShape) -> Fabric:
    s, planes = shape, shape.planes
    rails = ceil(s.rails / planes)
    down_most = ports_down(s.radix, s.leaf_oversubscription)
    held = ceil(s.manager_ports / s.rails)
    if (s.nodes + held) * rails <= s.radix and s.tiers < 2:
        return _one_switch(s)
    pods = pod_sizes(s.nodes, s.pod_size, held)
    if s.rail_optimised:
        per_rail = ceil(s.pod_size / down_most)
        leaves = (rails * per_rail,) * len(pods)
        down = min(down_most, ceil(s.pod_size / per_rail))
    else:
        places = (pods[0] + held, *pods[1:])
        leaves = tuple(ceil(size * rails / down_most) for size in places)
        down = down_most
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
        starts = range(0, len(leaves), group_pods)
        groups = [sum(leaves[start : start + group_pods]) for start in starts]
        spine = sum(ceil(group * up / spine_down) for group in groups)
        core = ceil(spine * spine_up / upper)
    return Fabric(
        tiers=tiers,
        leaf=leaf * planes,
        spine=spine * planes,
        core=core * planes,
        node_leaf_links=s.nodes * s.rails,
        leaf_spine_links=leaf * up * planes,
        spine_core_links=spine * spine_up * planes,
        manager_links=s.manager_ports,
        pods=pods,
        leaves=tuple(count * planes for count in leaves),
        leaf_down=down,
        leaf_up=up,
        spine_down=spine_down,
        spine_up=spine_up,
        group_pods=group_pods,
        planes=planes,
    )


def _one_switch(s: FabricShape) -> Fabric:
    """Return a fabric of one switch for each plane, which carries every port."""
    pods = pod_sizes(s.nodes, s.pod_size)
    leaves = (s.planes, *(0 for _ in pods[1:]))
    return Fabric(
        tiers=1,
        leaf=s.planes,
        node_leaf_links=s.nodes * s.rails,
        manager_links=s.manager_ports,
        pods=pods,
        leaves=leaves,
        leaf_down=s.radix,
        planes=s.planes,
    )


def even_spines(leaf: int, up: int, spine_radix: int) -> int:
    """Return the spines of two tiers: the smallest divisor of a leaf's uplinks with ports for all uplinks."""
    need = ceil(leaf * up / spine_radix)
    enough = range(max(1, need), up + 1)
    return next((number for number in enough if up % number == 0), need)


def _dragonfly(s: FabricShape) -> Fabric:
    """Return a balanced dragonfly (Kim, Dally, Scott, Abts 2008): a = 2p = 2h, and links between each pair of groups.

    A pod is a group or a whole part of one. `leaf_spine_links` are the links inside groups, `spine_core_links` those
    between groups.
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
        tiers=2 if groups > 1 else 1,
        leaf=groups * in_group,
        node_leaf_links=s.nodes * s.rails,
        leaf_spine_links=local,
        spine_core_links=between,
        manager_links=s.manager_ports,
        pods=pods,
        leaves=leaves,
        leaf_down=hosts,
        leaf_up=in_group - 1,
        spine_up=hosts,
        group_pods=group_pods,
    )
