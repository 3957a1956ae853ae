"""The servers that a design plans, before any of them is there: what each is called, its pod and its controller's address."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain, repeat

from steps.catalog.schema import Scope
from steps.design.addressing import address_plan, hosts
from steps.design.design import Design
from steps.design.fabric import node_names, shape_of
from steps.design.matching import Node

OUT_OF_BAND = "out-of-band"


def planned_nodes(design: Design, serials: Mapping[str, str]) -> tuple[Node, ...]:
    """Return every server of a design, in the order of its pods; `serials` are those recorded at positions.

    A BMC has no address where the design's network has no room for it.
    """
    counted = design.counted
    names = node_names(counted.fabric.pods, shape_of(design.figures, design.choices).pod_size)
    pods = (repeat(u.id, int(u.values["nodes_in_pod"])) for u in design.units if u.kind is Scope.POD)
    plan = address_plan(
        design.figures,
        design.choices,
        counted.fabric,
        racks=int(design.site.values["racks"]),
        storage_servers=counted.storage.servers,
    )
    controllers = plan._replace(networks=tuple(n for n in plan.networks if n.name == OUT_OF_BAND))
    addresses = {node: address.partition("/")[0] for node, _, address in hosts(controllers, names)}
    return tuple(
        Node(name, pod, addresses.get(name), serials.get(name))
        for name, pod in zip(names, chain.from_iterable(pods), strict=True)
    )
