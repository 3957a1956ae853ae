"""The site's inventory, read by Ansible itself."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from flows.ansible.redaction import Redactor
from flows.ansible.secrets import stated_by
from flows.ansible.tree import inventory_files
from steps.errors import InputError, Place

ALL = "all"
NODES = "all:!management:!logins:!storage_servers:!switches:!simulators"
"""The cluster's nodes: the hosts that are in none of the other groups. In an inventory without groups, all of them."""

Hosts = dict[str, tuple[str, ...]]
"""Hosts by the pattern that names them, in the inventory's order."""


def inventory_hosts(inventory: Path, patterns: Iterable[str] = ()) -> Hosts:
    """Return the hosts of an inventory that each pattern names, and all hosts under `all`.

    Raise for an inventory that does not exist, that Ansible cannot read, or that names no host.
    """
    if not inventory.exists():
        raise InputError(f"the inventory {inventory} does not exist", place=Place("site.yaml", None, "inventory"))
    inventory_files(inventory)  # it refuses what no run would read
    result = subprocess.run(
        [sys.executable, "-P", "-m", "flows.ansible.resolve", str(inventory)],
        input=json.dumps(sorted({ALL, *patterns})),
        capture_output=True,
        text=True,
        check=False,
    )
    if result.returncode != 0:
        last = (result.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise InputError(f"Ansible cannot read the inventory {inventory}: {without_secrets(inventory, last)}")
    found = json.loads(result.stdout)
    named = {pattern: tuple(hosts) for pattern, hosts in found.items()}
    if not named[ALL]:
        warned = next((line for line in result.stderr.splitlines() if "Unable to parse" in line), "")
        why = without_secrets(inventory, warned)
        raise InputError(f"the inventory {inventory} names no host. {why}".rstrip())
    return named


def without_secrets(inventory: Path, said: str) -> str:
    """Return what Ansible said of an inventory. It quotes lines that it cannot read, and they may have secrets."""
    return Redactor(stated_by(inventory)).redact_words(said)
