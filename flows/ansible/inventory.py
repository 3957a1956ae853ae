"""The site's inventory, read by Ansible itself."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from steps.errors import InputError, Place

ALL = "all"
NODES = "all:!management:!logins:!storage_servers:!switches:!simulators"
"""The cluster's nodes: what is in none of the other groups, or everything where an inventory has no groups."""


def inventory_hosts(inventory: Path, patterns: Iterable[str] = ()) -> dict[str, tuple[str, ...]]:
    """Give the hosts of an inventory file or folder that each pattern names, and all of them, in its own order."""
    if not inventory.exists():
        raise InputError(f"the inventory {inventory} does not exist", place=Place("site.yaml", None, "inventory"))
    result = subprocess.run(
        [sys.executable, "-m", "flows.ansible.resolve", str(inventory)],
        input=json.dumps(sorted({ALL, *patterns})),
        capture_output=True,
        text=True,
        check=False,
    )
    if result.returncode != 0:
        last = (result.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise InputError(f"Ansible cannot read the inventory {inventory}: {last}")
    named = {pattern: tuple(hosts) for pattern, hosts in json.loads(result.stdout).items()}
    if not named[ALL]:
        warned = next((line for line in result.stderr.splitlines() if "Unable to parse" in line), "")
        raise InputError(f"the inventory {inventory} names no host. {warned}".rstrip())
    return named
