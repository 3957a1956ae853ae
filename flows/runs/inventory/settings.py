"""With which settings Ansible reads an inventory: those of this account or machine, and none of the folder where a command began.

Ansible reads `ansible.cfg` of the folder that it is started in, and a site's folder may be somebody else's. Such a file names
plugins, which are programs. So what reads an inventory is started in `ROOT`, with this environment.
"""

from __future__ import annotations

import os

ROOT = "/"
OF_ANSIBLE = "ANSIBLE_"
SOURCES = "yaml,ini,toml,constructed"
"""What may be an inventory, as in a run. No program, and nothing that asks another source."""


def reading_environment() -> dict[str, str]:
    """Return the environment of a process that reads an inventory. A run has one of its own."""
    ours = {name: value for name, value in os.environ.items() if not name.startswith(OF_ANSIBLE)}
    return ours | {"ANSIBLE_INVENTORY_ENABLED": SOURCES}
