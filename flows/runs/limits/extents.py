"""What the bounds of an activity's run follow from: its hosts, its duration, and how long its playbook waits."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from pathlib import Path
from shlex import quote

from flows.runs.bundle.tree import inventory_files, playbook_files
from flows.runs.inventory.hosts import inventory_hosts
from flows.runs.limits.limits import Extent
from schedule.errors import InputError, Place
from steps.design.run_settings import RunSettings
from steps.planning.activity import PlanActivity

_STATED = re.compile(
    r"^[\s-]*(?P<name>[a-z][a-z0-9_]*_(?P<unit>timeout_s|patience_s|wait_s|ready_s|seconds|minutes|hours))\s*[:=]\s*[\"']?(?P<number>\d{1,7})\b",
    re.MULTILINE,
)
"""How a playbook, a role or an inventory states a wait."""

_UNIT_S = {"minutes": 60, "hours": 3600}
READ = frozenset({".yml", ".yaml", ".ini", ""})


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
                hint=f"`ansible-inventory -i {quote(str(inventory))} --graph` shows its groups",
                place=Place("site.yaml", None, f"runs.groups.{group}"),
            )
    return {group: set(named[group]) for group in settings.groups}


def waits_in(files: Iterable[Path]) -> dict[str, int]:
    """Return the seconds of each wait by its name. Where it is stated more than once, the longest counts."""
    found: dict[str, int] = {}
    for path in files:
        if path.suffix not in READ:
            continue
        for wait in _STATED.finditer(path.read_text(encoding="utf-8", errors="replace")):
            seconds = int(wait["number"]) * _UNIT_S.get(wait["unit"], 1)
            found[wait["name"]] = max(seconds, found.get(wait["name"], 0))
    return found
