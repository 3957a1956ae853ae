"""The site's inventory, read by Ansible itself."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from flows.runs.inventory.bounds import run_bounded
from ledger.subjects.runs.host_name_rules import require_host_names
from schedule.errors import InputError, Place
from steps.design.matching import Host

ALL = "all"
NO_NODES = ("management", "logins", "storage_servers", "switches", "simulators")
"""The groups of the hosts that are no nodes."""
NODES = ":!".join(("all", *NO_NODES))
"""The cluster's nodes: the hosts that are in none of these groups. In an inventory without groups, all of them."""


def inventory_hosts(inventory: Path, patterns: Iterable[str] = ()) -> dict[str, tuple[str, ...]]:
    """Return the hosts of an inventory that each pattern names, in the inventory's order, and all hosts under `all`.

    Raise for an inventory that does not exist, that Ansible cannot read, or that names no host.
    """
    if not inventory.exists():
        raise InputError(f"the inventory {inventory} does not exist", place=Place("site.yaml", None, "inventory"))
    found = json.loads(run_bounded("stated.hosts", inventory, sorted({ALL, *patterns})).stdout)
    named = {pattern: tuple(hosts) for pattern, hosts in found.items()}
    if not named[ALL]:
        raise InputError(f"the inventory {inventory} names no host")
    require_host_names(named[ALL], str(inventory))
    return named


def inventory_nodes(inventory: Path) -> tuple[Host, ...]:
    """Return the nodes of an inventory in its own order, with what it states of each: they are matched with those of a design."""
    found = json.loads(run_bounded("stated.nodes", inventory, NODES).stdout)
    return tuple(Host(one["name"], one["bmc_address"], one["serial_number"], one["source"]) for one in found)
