"""Which hosts each pattern names: `python -m flows.runs.inventory.resolve INVENTORY`, with the patterns as JSON on stdin.

It is a process of its own: importing Ansible takes half a second and changes the process that imports it.
"""

from __future__ import annotations

import json
import sys

from ansible.inventory.manager import InventoryManager
from ansible.parsing.dataloader import DataLoader

from flows.runs.inventory.bounds import bound


def main() -> None:
    """Print each pattern's hosts, in the inventory's own order."""
    bound()
    inventory = InventoryManager(loader=DataLoader(), sources=[sys.argv[1]])
    named = {}
    for pattern in json.load(sys.stdin):
        named[pattern] = [host.name for host in inventory.get_hosts(pattern)]
    print(json.dumps(named))


if __name__ == "__main__":
    main()
