"""What of an inventory decides which code runs, as Ansible reads it. Hosts and addresses may change without another answer."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any, NamedTuple

from flows.runs.bundle.tree import inventory_files
from flows.runs.inventory.bounds import run_bounded
from flows.runs.secrets.values import is_secret_name

SHOWN = 80
OF_ANSIBLE = "ansible_"


class InventoryCode(NamedTuple):
    """The digest of all that may be code, empty where nothing may; and each statement of it in words, by its own digest."""

    digest: str
    said: dict[str, str]


NO_CODE = InventoryCode("", {})

_known: dict[tuple[str, bool], InventoryCode] = {}


def code_of(inventory: Path, digest: str, *, is_copy: bool) -> InventoryCode:
    """Return the code of an inventory with this digest. What was read of a run's own copy is never taken from another reading.

    The files of a site may be changed between the digest and this reading. A copy is read-only, and belongs to the digest.
    """
    if (digest, is_copy) not in _known:
        _known[digest, is_copy] = code_in(inventory)
    return _known[digest, is_copy]


def code_in(inventory: Path) -> InventoryCode:
    """Return the code of an inventory as it is now. Raise where Ansible cannot read it."""
    inventory_files(inventory)  # it refuses what no run would read
    printed = run_bounded("flows.runs.inventory.code", inventory).stdout
    said = {_digest(one): _words(*one) for one in json.loads(printed)["said"]}
    return InventoryCode(_digest(printed), said) if said else NO_CODE


def _digest(of: Any) -> str:
    return hashlib.sha256(json.dumps(["inventory", of]).encode()).hexdigest()


def _words(whose: str, name: str, value: Any) -> str:
    """Return a statement for people. Only Ansible's own variables are shown with their values: others may be secrets."""
    if not name.startswith(OF_ANSIBLE) or is_secret_name(name) or not isinstance(value, str):
        return f"{whose}: {name}"
    return f"{whose}: {name} = {value[:SHOWN]}{' ...' if len(value) > SHOWN else ''}"
