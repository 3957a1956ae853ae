"""The inventory's nodes and what it states of each. They are matched with the nodes of a design."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from flows.ansible.inventory import without_secrets
from flows.ansible.tree import inventory_files
from steps.design.matching import Host
from steps.errors import InputError


def inventory_nodes(inventory: Path) -> tuple[Host, ...]:
    """Return the nodes of an inventory in its own order. Hosts of other groups, such as `switches`, are not nodes."""
    if inventory.exists():
        inventory_files(inventory)  # it refuses what no run would read
    result = subprocess.run(
        [sys.executable, "-P", "-m", "flows.ansible.stated", str(inventory)],
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    if result.returncode != 0:
        last = (result.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise InputError(f"Ansible cannot read the inventory {inventory}: {without_secrets(inventory, last)}")
    return tuple(
        Host(node["name"], node["bmc_address"], node["serial_number"], node["source"])
        for node in json.loads(result.stdout)
    )
