"""The inventory's hosts by the units of a design, and whom each playbook plays."""

from __future__ import annotations

from pathlib import Path

from steps.catalog.loader import Catalog
from steps.catalog.terms import Scope
from steps.design.design import Design
from steps.design.site import Site
from steps.schedule.planner import Hosts, playbook_of


def hosts_of(folder: Path, site: Site, design: Design, catalog: Catalog, playbooks: Path) -> Hosts:
    """Give each unit's nodes as they match the inventory; hosts that are no nodes are the site's, its first hall's and first pod's.

    A step is tracked at a site, a hall or a pod, and so every host must be somebody's: otherwise a step of pods
    would never reach the management hosts.
    """
    if site.inventory is None:
        return Hosts()
    from clusterwright.matching import matching_of
    from flows.ansible.inventory import ALL, NODES, inventory_hosts
    from flows.ansible.plays import patterns_of

    matching = matching_of(folder, site.inventory, design)
    patterns = {name: patterns_of(playbooks / name) for name in _playbooks(design, catalog)}
    named = inventory_hosts(folder / site.inventory, {NODES, *(p for each in patterns.values() for p in each)})
    nodes = set(named[NODES])
    others = tuple(host for host in named[ALL] if host not in nodes)
    pods = {unit.id: design.within(unit, Scope.POD) for unit in design.units}
    first = next(unit for unit in design.units if unit.kind is Scope.POD)
    return Hosts(
        nodes={
            unit: tuple(host for pod in inside for host in matching.hosts_of(pod.id)) for unit, inside in pods.items()
        },
        unmatched={
            unit: tuple(node for pod in inside for node in matching.unmatched_of(pod.id))
            for unit, inside in pods.items()
        },
        shared={unit: others for unit, inside in pods.items() if first in inside},
        sets={", ".join(each): _in_any(named[ALL], [named[one] for one in each]) for each in patterns.values()},
        plays={playbook: ", ".join(each) for playbook, each in patterns.items()},
    )


def _playbooks(design: Design, catalog: Catalog) -> list[str]:
    """Give the playbooks that the steps have in this design, in the order of steps."""
    found = [
        playbook_of(entry.step, unit.values)
        for entry in catalog.values()
        for unit in design.units
        if entry.step.playbooks and unit.kind is entry.step.scope
    ]
    return [playbook for playbook in dict.fromkeys(found) if playbook is not None]


def _in_any(everybody: tuple[str, ...], groups: list[tuple[str, ...]]) -> tuple[str, ...]:
    named = {host for group in groups for host in group}
    return tuple(host for host in everybody if host in named)
