"""The inventory's hosts by the units of a design, and whom each playbook plays."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from clusterwright.matching import matching_of
from flows.runs.inventory.hosts import ALL, NODES, inventory_hosts
from flows.runs.plays import patterns_of
from steps.catalog.loader import Catalog
from steps.catalog.terms import Scope
from steps.design.design import Design
from steps.design.site import Site
from steps.planning.planner import Hosts, playbook_of


def hosts_of(
    folder: Path,
    site: Site,
    design: Design,
    catalog: Catalog,
    playbooks: Path,
    serials: Mapping[str, str],
) -> Hosts:
    """Return each unit's nodes as they match the inventory. Other hosts are the site's, its first hall's and first pod's.

    A step is tracked at a site, a hall or a pod, so every host must belong to one of each. Otherwise a step of pods would
    never reach the management hosts.
    """
    if site.inventory is None:
        return Hosts()
    matching = matching_of(folder, site.inventory, design, serials)
    patterns = {name: patterns_of(playbooks / name) for name in _playbooks(design, catalog)}
    wanted = {NODES}.union(*patterns.values())
    named = inventory_hosts(folder / site.inventory, wanted)
    nodes = set(named[NODES])
    others = tuple(host for host in named[ALL] if host not in nodes)
    pods = {unit.id: design.within(unit, Scope.POD) for unit in design.units}
    first = next(unit for unit in design.units if unit.kind is Scope.POD)
    hosts, unmatched = {}, {}
    for unit, inside in pods.items():
        hosts[unit] = tuple(host for pod in inside for host in matching.hosts_of(pod.id))
        unmatched[unit] = tuple(node for pod in inside for node in matching.unmatched_of(pod.id))
    # a pattern with a bracket names some hosts of a group by their place: management[0], compute[0:1]
    sets = {", ".join(names): _hosts_in(named, names) for names in patterns.values()}
    return Hosts(
        nodes=hosts,
        unmatched=unmatched,
        shared={unit: others for unit, inside in pods.items() if first in inside},
        sets=sets,
        plays={playbook: ", ".join(names) for playbook, names in patterns.items()},
        leads={
            playbook: _hosts_in(named, (name for name in names if "[" in name)) for playbook, names in patterns.items()
        },
    )


def _playbooks(design: Design, catalog: Catalog) -> list[str]:
    """Return the playbooks that the steps have in this design, in the order of steps."""
    steps = [entry.step for entry in catalog.values() if entry.step.playbooks]
    found: dict[str, None] = {}
    for step in steps:
        for unit in design.units:
            playbook = playbook_of(step, unit.values) if unit.kind is step.scope else None
            if playbook is not None:
                found[playbook] = None
    return list(found)


def _hosts_in(
    named: Mapping[str, tuple[str, ...]],
    patterns: Iterable[str],
) -> tuple[str, ...]:
    """Return the hosts that any of the patterns names, in the order of the inventory."""
    wanted = set[str]().union(*(named[pattern] for pattern in patterns))
    return tuple(host for host in named[ALL] if host in wanted)
