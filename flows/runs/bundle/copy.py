"""A run's own copy of everything that Ansible reads, in the run's folder. What was hashed is what is read, and nothing else.

Each file is read once: what is written into the copy is what goes into the digest. The copy is read-only, and is removed with the
run. Ansible finds no variables, roles, modules, plugins, collections or settings but those of the copy and its own.
"""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path
from typing import NamedTuple

from flows.runs.bundle.digest import Take, digest_of, inventory_part, joined, playbook_part
from flows.runs.bundle.tree import ALL_IS_READ, INVENTORY, PLAYBOOKS, SETTINGS

FOLDER = "tree"
NO_PLUGINS = "none"
"""A folder that is never made. Ansible looks there instead of in the user's and the machine's folders of plugins."""

PLUGINS = (
    "LIBRARY", "MODULE_UTILS", "ACTION_PLUGINS", "BECOME_PLUGINS", "CACHE_PLUGINS", "CALLBACK_PLUGINS", "CLICONF_PLUGINS",
    "CONNECTION_PLUGINS", "DOC_FRAGMENT_PLUGINS", "FILTER_PLUGINS", "HTTPAPI_PLUGINS", "INVENTORY_PLUGINS", "LOOKUP_PLUGINS",
    "NETCONF_PLUGINS", "STRATEGY_PLUGINS", "TERMINAL_PLUGINS", "TEST_PLUGINS", "VARS_PLUGINS",
)  # fmt: skip
READ_ONLY, RUN_ONLY = 0o400, 0o500
SOURCES = "ansible.builtin.yaml,ansible.builtin.ini,ansible.builtin.toml,ansible.builtin.constructed"
"""What may be an inventory: files. `script` and `auto`, which ask programs and other sources, are not among them."""


class Tree(NamedTuple):
    """A copy: where its playbook and its inventory are, and the digest of all of it."""

    folder: Path
    playbook: Path
    inventory: Path
    digest: str

    def environment(self) -> dict[str, str]:
        """Return the variables that keep Ansible to the copy. They have precedence over every file of settings."""
        nothing = str(self.folder / NO_PLUGINS)
        return dict.fromkeys((f"ANSIBLE_{name}" for name in PLUGINS), nothing) | {
            "ANSIBLE_CONFIG": str(self.folder / SETTINGS),
            "ANSIBLE_HOME": str(self.folder.parent / "home"),
            "ANSIBLE_ROLES_PATH": str(self.folder / PLAYBOOKS / "roles"),
            "ANSIBLE_COLLECTIONS_PATH": str(self.folder / "collections"),
            "ANSIBLE_INVENTORY_ENABLED": SOURCES,
            "PYTHONDONTWRITEBYTECODE": "1",
            **ALL_IS_READ,
        }


def snapshot(playbook: Path, inventory: Path, work_dir: Path) -> Tree:
    """Copy what a run reads into its folder. Raise where playbook or inventory do not exist or cannot be released."""
    folder = work_dir / FOLDER
    take = _copying_to(folder)
    of_playbook, of_inventory = playbook_part(playbook), inventory_part(inventory)
    digest = joined(digest_of(of_playbook, take), digest_of(of_inventory, take))
    folder.mkdir(parents=True, exist_ok=True)
    (folder / SETTINGS).touch()  # where this user has no settings, those that come later are not read either
    inside = inventory.resolve()
    copied = folder / INVENTORY if inside.is_dir() else folder / INVENTORY / inside.name
    _set_mode(folder, stat.S_IRUSR | stat.S_IXUSR)  # nobody writes into the copy by mistake
    return Tree(folder, folder / PLAYBOOKS / playbook.parent.name / playbook.name, copied, digest)


def remove(work_dir: Path) -> None:
    """Remove a run's folder, with the read-only copy in it. Nothing happens where it is not there."""
    _set_mode(work_dir / FOLDER, stat.S_IRWXU)
    shutil.rmtree(work_dir, ignore_errors=True)


def _copying_to(folder: Path) -> Take:
    """Return what reads a file and writes it into a folder."""
    made: set[str] = set()

    def take(name: str, path: Path, may_run: bool) -> bytes:
        parent = name.rpartition("/")[0]
        if parent not in made:
            (folder / parent).mkdir(parents=True, exist_ok=True)
            made.add(parent)
        content = path.read_bytes()
        copy = os.open(folder / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, RUN_ONLY if may_run else READ_ONLY)
        with os.fdopen(copy, "wb") as file:
            file.write(content)
        return content

    return take


def _set_mode(folder: Path, mode: int) -> None:
    """Set the mode of a folder and of the folders in it. Nothing happens where it is not there."""
    for path in [folder, *folder.rglob("*")]:
        if path.is_dir():
            path.chmod(mode)
