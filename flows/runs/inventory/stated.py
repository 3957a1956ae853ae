"""What an inventory states of its nodes: `python -m flows.runs.inventory.stated INVENTORY` prints one JSON document.

It is a process of its own, as `resolve` is. Values are taken as they are written. A template, such as `{{ serial }}`,
states nothing.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from ansible.inventory.manager import InventoryManager
from ansible.parsing.dataloader import DataLoader
from ansible.vars.plugins import get_vars_from_inventory_sources

from flows.runs.inventory.bounds import bound
from flows.runs.inventory.hosts import NODES

VAULT = b"$ANSIBLE_VAULT"
VARIABLES = ("bmc_address", "serial_number")
SOURCES = ("netbox_url", "inventory_file")
"""Where a statement comes from: the device in NetBox, or the file that names the host."""


def main() -> None:
    """Print each node's name, stated values and source, in the inventory's order."""
    bound()
    loader, source = _Unopened(), sys.argv[1]
    inventory = InventoryManager(loader=loader, sources=[source])
    nodes = []
    for host in inventory.get_hosts(NODES):
        known = host.get_vars() | get_vars_from_inventory_sources(loader, [source], [host], "all")
        stated = {name: _plain(known.get(name)) for name in VARIABLES}
        sources = [str(known[name]) for name in SOURCES if known.get(name)]
        by = sources[0] if sources else source
        nodes.append({"name": host.name, "source": by, **stated})
    print(json.dumps(nodes))


class _Unopened(DataLoader):  # type: ignore[misc]  # Ansible has no types
    """Takes a vaulted file for an empty one: what is vaulted states nothing, and a plan needs no password."""

    def load_from_file(self, file_name: str, *args: Any, **more: Any) -> Any:
        """Return what a file has, nothing if it is vaulted."""
        content = Path(file_name).read_bytes()
        return {} if content.startswith(VAULT) else super().load_from_file(file_name, *args, **more)


def _plain(value: Any) -> str | None:
    text = str(value).strip() if isinstance(value, str | int) else ""
    return None if not text or "{" in text else text


if __name__ == "__main__":
    main()
