"""The inventory's nodes and what it states of each. They are matched with the nodes of a design."""

from __future__ import annotations

import json
from pathlib import Path

from flows.runs.bundle.tree import inventory_files
from flows.runs.inventory.bounds import run_bounded
from steps.design.matching import Host


def inventory_nodes(inventory: Path) -> tuple[Host, ...]:
    """Return the nodes of an inventory in its own order. Hosts of other groups, such as `switches`, are not nodes."""
    if inventory.exists():
        inventory_files(inventory)  # it refuses what no run would read
    result = run_bounded("flows.runs.inventory.stated", inventory)
    return tuple(
        Host(node["name"], node["bmc_address"], node["serial_number"], node["source"])
        for node in json.loads(result.stdout)
    )
