"""Finds figures with which nothing can be counted, and fabrics that cannot be built."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil

from steps.design.fabric import (
    Fabric,
    FabricShape,
    dragonfly_hosts,
    ports_down,
    shape_of,
    three_tier_limit,
    two_tier_limit,
)
from steps.design.figures import Chosen, Figures, figure_specs
from steps.design.findings import Finding

RADICES = (32, 36, 40, 64, 72, 128, 144, 256, 512)
"""Port counts of switches on the market."""

MOST_PODS = 1024
MOST_PORTS = 1_048_576
MOST_STORAGE_SERVERS = 10_000


def faults(f: Figures, choices: Chosen) -> Iterator[Finding]:
    """Yield the figures with which nothing can be counted."""
    broken = False
    for name, value in f.items():
        fault = figure_specs()[name].fault(value)
        if fault is not None:
            broken = True
            unit = figure_specs()[name].unit
            yield Finding(
                "impossible-figure",
                "error",
                "figures",
                f"{name} {fault}; it is {value:g} {unit}",
                f"set {name} to a possible value",
                {name: value},
            )
    if broken:
        return
    shape = shape_of(f, choices)
    yield from _too_much(f, shape)
    if choices["fabric"] == "none":
        return
    if shape.rails < 1:
        yield _unbuildable(
            "no-rails",
            "servers have no port on the compute fabric",
            "rails of at least 1, or fabric: none",
            rails=shape.rails,
        )
    if shape.rails and shape.pod_size <= ceil(shape.manager_ports / shape.rails):
        yield _unbuildable(
            "no-room-for-managers",
            f"{shape.manager_ports} ports of fabric managers take the places of a whole pod of {shape.pod_size}",
            "fabric_manager_ports: 0, or larger pods",
            manager_ports=shape.manager_ports,
            nodes_per_pod=shape.pod_size,
        )
    if shape.rails and shape.rails % shape.planes:
        yield _unbuildable(
            "planes-uneven",
            f"{shape.rails} rails cannot be split evenly over {shape.planes} planes",
            "planes that divide the rails",
            rails=shape.rails,
            planes=shape.planes,
        )
    group = 2 * dragonfly_hosts(shape.radix) ** 2 // shape.rails if shape.rails else 0
    if shape.topology == "dragonfly" and shape.rails and not 0 < shape.pod_size <= group:
        yield _unbuildable(
            "pod-over-group",
            f"a dragonfly group of {shape.radix}-port routers takes {group} servers of {shape.rails} rails; a pod has {shape.pod_size}",
            f"nodes_per_pod: {max(1, group)}, or a larger radix",
            nodes_per_pod=shape.pod_size,
            group=group,
        )
    if shape.topology == "dragonfly":
        least = dragonfly_hosts(shape.radix)
    else:
        upper = ports_down(shape.upper_radix, shape.spine_oversubscription)
        least = min(upper, ports_down(shape.radix, shape.leaf_oversubscription))
    if least < 1:
        yield _unbuildable(
            "radix-too-small",
            f"a switch of {min(shape.radix, shape.upper_radix)} ports has none left for servers beside its uplinks",
            "a radix of at least 4; switches on the market have 32 to 512 ports",
            radix=shape.radix,
        )


def _unbuildable(name: str, says: str, remedy: str, **numbers: float) -> Finding:
    """Return what makes a fabric one that cannot be built."""
    return Finding(name, "error", "fabric", says, remedy, numbers)


def _too_much(f: Figures, shape: FabricShape) -> Iterator[Finding]:
    """Yield what is more than a design can count in a gigabyte of memory: pods, cables and storage servers."""
    pods = ceil(shape.nodes / shape.pod_size)
    if pods > MOST_PODS:
        yield Finding(
            "too-many-pods",
            "error",
            "scale",
            f"{shape.nodes:,} servers in pods of {shape.pod_size} are {pods:,} pods; a site has at most {MOST_PODS:,}",
            f"nodes_per_pod: {ceil(shape.nodes / MOST_PODS)} or more",
            {"nodes": shape.nodes, "nodes_per_pod": shape.pod_size},
        )
    ports = shape.nodes * shape.rails
    if ports > MOST_PORTS:
        yield Finding(
            "too-many-ports",
            "error",
            "scale",
            f"{shape.nodes:,} servers with {shape.rails} rails have {ports:,} ports; a site has at most {MOST_PORTS:,}",
            "fewer servers or fewer rails",
            {"rails": shape.rails, "nodes": shape.nodes},
        )
    rate = f["nodes"] * f["storage_gb_s_per_node"]
    servers = rate / f["storage_gb_s_per_server"]
    if servers > MOST_STORAGE_SERVERS:
        yield Finding(
            "too-much-storage",
            "error",
            "storage",
            f"{rate:,.10g} GB/s take {servers:,.10g} storage servers; a site has at most {MOST_STORAGE_SERVERS:,}",
            "less bandwidth for each server, or faster storage servers",
            {"storage_gb_s_per_node": f["storage_gb_s_per_node"]},
        )


def fabric_findings(f: Figures, choices: Chosen, fabric: Fabric) -> Iterator[Finding]:
    """Yield what the fabric cannot carry, and ports or bandwidth that it wastes."""
    if fabric.tiers == 0:
        return
    shape = shape_of(f, choices)
    if shape.topology == "dragonfly":
        yield from _dragonfly(shape, fabric)
        return
    ports = sum(fabric.leaves) // shape.planes * ports_down(shape.radix, shape.leaf_oversubscription)
    if shape.tiers == 1 and fabric.tiers > 1:
        yield _over(
            "one-switch-too-small",
            shape,
            shape.nodes * shape.rails,
            shape.radix,
            "one switch",
            "tiers: 0, which takes as many as it needs",
        )
    elif shape.tiers == 2 and fabric.leaf // shape.planes > shape.upper_radix:
        limit = two_tier_limit(shape.radix, shape.upper_radix, shape.leaf_oversubscription)
        yield _over(
            "two-tiers-too-small",
            shape,
            ports,
            limit,
            "two tiers",
            f"tiers: 3, {_radix_for(shape, 2)}or planes: {_planes_for(shape, ports, limit)}",
        )
    elif fabric.tiers == 3:
        limit = three_tier_limit(shape)
        groups = ceil(len(fabric.pods) / fabric.group_pods)
        if groups > shape.upper_radix or ports > limit:
            yield _over(
                "three-tiers-too-small",
                shape,
                ports,
                limit,
                "three tiers",
                f"{_radix_for(shape, 3)}or planes: {_planes_for(shape, ports, limit)}",
            )
    if shape.rail_optimised and fabric.tiers > 1:
        yield from _idle_ports(shape, fabric)
    if shape.leaf_oversubscription > 1 or (fabric.tiers == 3 and shape.spine_oversubscription > 1):
        at = "leaf" if shape.leaf_oversubscription > 1 else "spine"
        ratio = max(shape.leaf_oversubscription, shape.spine_oversubscription)
        yield Finding(
            "oversubscribed",
            "warning",
            "fabric",
            f"{at} switches have {ratio:g} times as much bandwidth down as up: jobs that cross them slow down",
            f"{at}_oversubscription: 1, or jobs kept inside a {'pod' if at == 'leaf' else 'group of pods'}",
            {"oversubscription": ratio},
        )


def _over(
    name: str,
    shape: FabricShape,
    ports: int,
    limit: int,
    what: str,
    remedy: str,
) -> Finding:
    planes = f"{shape.planes} plane{'s' if shape.planes > 1 else ''}"
    wanted = f"{shape.nodes:,} servers with {shape.rails} rails need {ports:,} in {planes}"
    return _unbuildable(
        name, f"{what} of {shape.radix}-port switches carry {limit:,} ports; {wanted}", remedy, ports=ports, limit=limit
    )


def _radix_for(shape: FabricShape, tiers: int) -> str:
    """Return the smallest switch on the market that is large enough, as the start of a remedy; empty if there is none."""
    hosts = shape.nodes * shape.rails / shape.planes
    for radix in RADICES:
        limit = radix**2 / 2 if tiers == 2 else radix**3 / 4
        if radix > shape.radix and limit >= hosts and shape.leaf_oversubscription == 1:
            return f"radix: {radix}, "
    return ""


def _planes_for(shape: FabricShape, ports: int, limit: int) -> int:
    """Return the smallest number of planes over which the rails fit."""
    total = ports * shape.planes
    numbers = range(1, shape.rails + 1)
    even = [planes for planes in numbers if shape.rails % planes == 0]
    return next((planes for planes in even if ceil(total / planes) <= limit), shape.rails)


def _idle_ports(shape: FabricShape, fabric: Fabric) -> Iterator[Finding]:
    """Yield a warning if a pod uses less than three quarters of the ports of its leaf switches."""
    down = ports_down(shape.radix, shape.leaf_oversubscription)
    per_rail = ceil(shape.pod_size / down)
    idle = down * per_rail - shape.pod_size
    if idle * 4 > down * per_rail and len(fabric.pods) > 1:
        yield Finding(
            "leaf-ports-idle",
            "warning",
            "fabric",
            f"a pod of {shape.pod_size} uses {shape.pod_size} of {down * per_rail} ports down of its leaf switches on each rail",
            f"nodes_per_pod: {down * per_rail}, or a smaller switch",
            {"idle": idle},
        )


def _dragonfly(shape: FabricShape, fabric: Fabric) -> Iterator[Finding]:
    hosts = dragonfly_hosts(shape.radix)
    groups, most = fabric.leaf // (2 * hosts), 2 * hosts * hosts + 1
    if groups > most:
        yield _unbuildable(
            "dragonfly-too-small",
            f"a dragonfly of {shape.radix}-port routers joins {most} groups; {shape.nodes:,} servers need {groups}",
            "a larger radix, or topology: fat-tree",
            groups=groups,
            limit=most,
        )
