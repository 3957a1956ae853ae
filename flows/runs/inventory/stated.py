"""Which hosts an inventory has, and what it states of its nodes. Values are taken as they are written: a template states nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ansible.inventory.manager import InventoryManager
from ansible.parsing.dataloader import DataLoader
from ansible.vars.plugins import get_vars_from_inventory_sources

VAULT = b"$ANSIBLE_VAULT"
VARIABLES = ("bmc_address", "serial_number")
SOURCES = ("netbox_url", "inventory_file")
"""Where a statement comes from: the device in NetBox, or the file that names the host."""


class Unopened(DataLoader):  # type: ignore[misc]  # Ansible has no types
    """Reads a vaulted file as `instead` says: nobody types a password here."""

    def __init__(self, instead: Callable[[Path], dict[str, str]]) -> None:
        super().__init__()
        self._instead = instead

    def load_from_file(self, file_name: str, *args: Any, **more: Any) -> Any:
        """Return what a file has, or what stands for it if it is vaulted."""
        path = Path(file_name)
        is_vaulted = path.read_bytes().startswith(VAULT)
        return self._instead(path) if is_vaulted else super().load_from_file(file_name, *args, **more)


def hosts(source: str, patterns: list[str]) -> dict[str, list[str]]:
    """Return the hosts that each pattern names, in the inventory's own order."""
    inventory = InventoryManager(loader=DataLoader(), sources=[source])
    return {pattern: [host.name for host in inventory.get_hosts(pattern)] for pattern in patterns}


def nodes(source: str, pattern: str) -> list[dict[str, Any]]:
    """Return each node's name, stated values and source, in the inventory's order."""
    loader = Unopened(lambda _: {})  # what is vaulted states nothing
    found = []
    for host in InventoryManager(loader=loader, sources=[source]).get_hosts(pattern):
        known = host.get_vars() | get_vars_from_inventory_sources(loader, [source], [host], "all")
        stated = {name: _plain(known.get(name)) for name in VARIABLES}
        sources = [str(known[name]) for name in SOURCES if known.get(name)]
        by = sources[0] if sources else source
        found.append({"name": host.name, "source": by, **stated})
    return found


def _plain(value: Any) -> str | None:
    text = str(value).strip() if isinstance(value, str | int) else ""
    return None if not text or "{" in text else text
