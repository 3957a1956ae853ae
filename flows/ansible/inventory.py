"""The site's inventory, read by Ansible itself."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from steps.errors import InputError, Place


def inventory_hosts(inventory: Path) -> tuple[str, ...]:
    """Give the hosts of an inventory file or folder, in its own order."""
    if not inventory.exists():
        raise InputError(f"the inventory {inventory} does not exist", place=Place("site.yaml", None, "inventory"))
    result = subprocess.run(
        [sys.executable, "-m", "ansible", "inventory", "-i", str(inventory), "--list"],
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    if result.returncode != 0:
        last = (result.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise InputError(f"Ansible cannot read the inventory {inventory}: {last}")
    data = json.loads(result.stdout)
    names: dict[str, None] = {}
    _collect("all", data, names)
    if not names:
        warned = next((line for line in result.stderr.splitlines() if "Unable to parse" in line), "")
        raise InputError(f"the inventory {inventory} names no host. {warned}".rstrip())
    return tuple(names)


def _collect(group: str, data: dict[str, dict[str, list[str]]], names: dict[str, None]) -> None:
    entry = data.get(group, {})
    for host in entry.get("hosts", ()):
        names[host] = None
    for child in entry.get("children", ()):
        _collect(child, data, names)
