"""The servers that a design plans: the name of each, its pod, and the address of its controller."""

from __future__ import annotations

from collections.abc import Mapping

from steps.catalog.terms import Scope
from steps.design.addressing import AddressPlan, address_plan, hosts
from steps.design.design import Design
from steps.design.fabric import node_names, shape_of
from steps.design.matching import PlannedNode

OUT_OF_BAND = "out-of-band"


def addresses_of(design: Design) -> AddressPlan:
    """Return the addresses of a design."""
    return address_plan(
        design.figures,
        design.choices,
        design.counted.fabric,
        racks=int(design.site.values["racks"]),
        storage_servers=design.counted.storage.servers,
    )


def planned_nodes(design: Design, serials: Mapping[str, str]) -> tuple[PlannedNode, ...]:
    """Return every server of a design in the order of its pods; `serials` are those recorded at positions, by name.

    A BMC has no address if the design's network has no room for it.
    """
    counted = design.counted
    names = node_names(counted.fabric.pods, shape_of(design.figures, design.choices).pod_size)
    pods: list[str] = []
    for unit in design.units:
        if unit.kind is Scope.POD:
            pods += [unit.id] * int(unit.values["nodes_in_pod"])
    plan = addresses_of(design)
    controllers = plan._replace(networks=tuple(n for n in plan.networks if n.name == OUT_OF_BAND))
    with_prefix = {node: address for node, _, address in hosts(controllers, names)}
    addresses = {node: address.partition("/")[0] for node, address in with_prefix.items()}
    nodes = []
    for name, pod in zip(names, pods, strict=True):
        nodes.append(PlannedNode(name, pod, addresses.get(name), serials.get(name)))
    return tuple(nodes)
