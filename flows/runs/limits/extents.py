"""What the bounds of an activity's run follow from: its hosts, its duration, and how long its playbook waits."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from flows.runs.bundle.tree import inventory_files, playbook_files
from flows.runs.inventory.hosts import inventory_hosts
from flows.runs.limits.limits import Extent
from flows.runs.limits.waits import waits_in
from schedule.errors import InputError, Place
from steps.design.run_settings import RunSettings
from steps.planning.activity import PlanActivity


def extent_of(
    settings: RunSettings, activity: PlanActivity, hosts: Collection[str], playbook: Path, inventory: Path
) -> Extent:
    """Return what a run of an activity extends over. With waves it is the largest wave: each has bounds of its own."""
    waves = activity.waves
    at_once = len(hosts) if waves is None else min(len(hosts), max(waves.canary, waves.size))
    files = (*playbook_files(playbook).files.values(), *inventory_files(inventory).files.values())
    return Extent(
        step=activity.step,
        effect=activity.effect,
        hosts=at_once,
        hours=activity.duration.p,
        share=at_once / max(1, len(hosts)),
        groups=frozenset(group for group, found in group_hosts(settings, inventory).items() if found & set(hosts)),
        waits=waits_in(files),
    )


def group_hosts(settings: RunSettings, inventory: Path) -> dict[str, set[str]]:
    """Return the hosts of each group that the settings name. Raise for a group without hosts."""
    if not settings.groups:
        return {}
    named = inventory_hosts(inventory, settings.groups)
    for group in settings.groups:
        if not named[group]:
            raise InputError(
                f"the inventory has no group {group!r} with hosts",
                hint=f"`ansible-inventory -i {inventory} --graph` shows its groups",
                place=Place("site.yaml", None, f"runs.groups.{group}"),
            )
    return {group: set(named[group]) for group in settings.groups}
