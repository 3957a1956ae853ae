"""Which hosts of an inventory patterns name: `python -m flows.ansible.resolve INVENTORY`, patterns as JSON on stdin.

A process of its own, since importing Ansible takes half a second and changes the process it is imported into.
"""

from __future__ import annotations

import json
import sys

from ansible.inventory.manager import InventoryManager
from ansible.parsing.dataloader import DataLoader


def main() -> None:
    """Print each pattern's hosts, in the inventory's own order."""
    inventory = InventoryManager(loader=DataLoader(), sources=[sys.argv[1]])
    patterns = json.load(sys.stdin)
    print(json.dumps({pattern: [host.name for host in inventory.get_hosts(pattern)] for pattern in patterns}))


if __name__ == "__main__":
    main()
