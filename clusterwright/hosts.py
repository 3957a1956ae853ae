"""The inventory's hosts, dealt to the units of a design; and whom each playbook plays."""

from __future__ import annotations

from pathlib import Path

from steps.catalog.loader import Catalog
from steps.design.design import Design
from steps.design.site import Site
from steps.schedule.planner import Hosts


def hosts_of(folder: Path, site: Site, design: Design, catalog: Catalog, playbooks: Path) -> Hosts:
    """Deal nodes to pods in the inventory's order; hosts that are no nodes are the site's, its first hall's and first pod's.

    A step is tracked at a site, a hall or a pod, and so every host must be somebody's: otherwise a step of pods
    would never reach the management hosts.
    """
    if site.inventory is None:
        return Hosts()
    from flows.ansible.inventory import ALL, NODES, inventory_hosts
    from flows.ansible.plays import patterns_of

    patterns = {
        entry.step.playbook: patterns_of(playbooks / entry.step.playbook)
        for entry in catalog.values()
        if entry.step.playbook
    }
    named = inventory_hosts(folder / site.inventory, {NODES, *(p for each in patterns.values() for p in each)})
    nodes = _dealt(design, named[NODES])
    first = next(u for u in design.units if u.kind == "pod")
    others = tuple(host for host in named[ALL] if host not in set(named[NODES]))
    return Hosts(
        nodes=nodes,
        shared={u.id: others for u in design.units if u.id == first.id or first in design.within(u, first.kind)},
        sets={", ".join(each): _in_any(named, each) for each in patterns.values()},
        plays={playbook: ", ".join(each) for playbook, each in patterns.items()},
    )


def _dealt(design: Design, names: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    pods = [unit for unit in design.units if unit.kind == "pod"]
    dealt: dict[str, tuple[str, ...]] = {}
    first = 0
    for pod in pods:
        size = int(pod.values["nodes_in_pod"])
        dealt[pod.id] = names[first : first + size]
        first += size
    for unit in design.units:
        if unit.kind != "pod":
            dealt[unit.id] = tuple(host for pod in design.within(unit, pods[0].kind) for host in dealt[pod.id])
    return dealt


def _in_any(named: dict[str, tuple[str, ...]], patterns: tuple[str, ...]) -> tuple[str, ...]:
    from flows.ansible.inventory import ALL

    played = {host for pattern in patterns for host in named[pattern]}
    return tuple(host for host in named[ALL] if host in played)
