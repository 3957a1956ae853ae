"""The inventory of a slice's hosts only. A worker of one hall reads no variables of another hall's hosts.

Some playbooks read what is stated of other hosts. A scan of everything that Ansible reads in the run finds the words by which that
can be done. Where one of them is found, the worker gets the whole inventory: a comment costs no more than that.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from flows.runs.bundle.copy import Tree
from flows.runs.bundle.tree import INVENTORY, PLAYBOOKS, PLUGINS, VARIABLES
from flows.runs.inventory.bounds import run_bounded

OTHERS = re.compile(
    rb"(?:(?<![.\w])|vars\.)groups\b(?!\s*:)|\b(?:hostvars|inventory_hostnames|inventory_dir|inventory_file|add_host|group_by)\b"
    rb"|\bdelegate_to\s*:(?!\s*['\"]?(?:localhost|127\.0\.0\.1)\b)"
)
"""How a playbook, a role or a variable reads of other hosts than its own."""

MADE_GROUPS = re.compile(rb"^plugin\s*:", re.MULTILINE)
"""An inventory that makes groups of variables, which the dispatcher cannot all decrypt."""

NOT_READ_HERE = {"files", "library", "module_utils", "README.md"}
"""What of a role Ansible does not read, or sends to the hosts, where no variables of others are."""

ENDINGS = ("", ".yml", ".yaml", ".json")
"""How the name of a file with variables may end."""

FILE = f"{INVENTORY}/hosts.yml"
"""The inventory of a slice's hosts, in its bundle."""


class OwnInventory(NamedTuple):
    """An inventory of some hosts: its text, and the names in the folders of variables that are theirs."""

    text: str
    names: dict[str, frozenset[str]]

    def has(self, path: Path) -> bool:
        """Return whether a file of the copy is for these hosts: all but the inventory, of which their variables."""
        if path.parts[0] != INVENTORY:
            return True
        return len(path.parts) > 2 and path.parts[2] in self.names.get(path.parts[1], ())


def own_inventories(tree: Tree, slices: Sequence[Sequence[str]]) -> list[OwnInventory | None]:
    """Return the inventory of each list of hosts. None for all of them where the run may read of other hosts."""
    if reads_others(tree):
        return [None] * len(slices)
    found = json.loads(run_bounded("parts.parts", tree.inventory, slices).stdout)
    return [_own(hosts, one["text"], one["groups"]) for hosts, one in zip(slices, found, strict=True)]


def reads_others(tree: Tree) -> bool:
    """Return whether a run may read what is stated of other hosts than its own."""
    for file in tree.folder.rglob("*"):
        place = file.relative_to(tree.folder)
        if not file.is_file() or place.parts[0] not in {PLAYBOOKS, INVENTORY}:
            continue
        is_plugin = any(part.endswith(PLUGINS) for part in place.parts)
        if NOT_READ_HERE.intersection(place.parts) and not is_plugin and place.parts[0] == PLAYBOOKS:
            continue
        content = file.read_bytes()
        if OTHERS.search(content) or (place.parts[0] == INVENTORY and MADE_GROUPS.search(content)):
            return True
    return False


def _own(hosts: Sequence[str], text: str, groups: Sequence[str]) -> OwnInventory:
    of_groups, of_hosts = VARIABLES
    names = {of_groups: _files(groups), of_hosts: _files(hosts)}
    return OwnInventory(text, names)


def _files(names: Sequence[str]) -> frozenset[str]:
    return frozenset(f"{name}{ending}" for name in names for ending in ENDINGS)
