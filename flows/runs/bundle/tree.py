"""Every file that Ansible may read in a run, by its name in the run's own copy.

Of the playbooks: the playbook, the files and folders beside it that Ansible looks into, and its roles, whole. Of the site: the
inventory with the variables beside it, and the settings of the user who runs Ansible. Compiled Python is left out: Ansible compiles
anew. A program as inventory is refused, since nobody can release what it will answer.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from shlex import quote
from typing import NamedTuple

from flows.runs.plays import files_beside, roles_of
from schedule.errors import InputError, Place, UnreachableError

BESIDE_PLAYBOOK = ("collections", "files", "handlers", "library", "module_utils", "roles", "tasks", "templates", "vars")
VARIABLES = ("group_vars", "host_vars")
PLUGINS = "_plugins"
"""How the name of a folder with plugins ends."""

COMPILED = "__pycache__"
PLAYBOOKS = "playbooks"
INVENTORY = "inventory"
SETTINGS = "ansible.cfg"

ALL_IS_READ = {"ANSIBLE_INVENTORY_ANY_UNPARSED_IS_FAILED": "1"}
"""Ansible's setting wherever it reads an inventory. Without it a file with a mistake is left out, and the run goes on with the other hosts."""

PROGRAM = re.compile(rb"#!|\x7fELF")
ANOTHER_SOURCE = re.compile(rb"^plugin\s*:\s*(?!['\"]?(ansible\.builtin\.)?constructed\b)(\S+)", re.MULTILINE)
"""An inventory that is asked from somewhere else. `constructed` is not: it makes groups of what the other files say."""


class Found(NamedTuple):
    """Where each file is, by its name in the copy; and the folders that were listed, whose change brings or takes files."""

    files: dict[str, Path]
    folders: tuple[Path, ...]


def playbook_files(playbook: Path) -> Found:
    """Return the playbook's files. Raise where it does not exist."""
    if not playbook.exists():
        raise UnreachableError(f"the playbook {playbook} does not exist", hint="install Clusterwright again")
    here, whole = playbook.parent, playbook.parent.parent
    looked_into = [path for path in sorted(here.iterdir()) if _is_looked_into(path)]
    paths = [here, *files_beside(playbook)]
    if (whole / "roles").is_dir():
        paths.append(whole / "roles")
    for folder in (*looked_into, *(whole / "roles" / role for role in roles_of(playbook))):
        paths += _walk(folder)
    return _found(paths, whole, PLAYBOOKS)


def _is_looked_into(path: Path) -> bool:
    is_known = path.name in {*BESIDE_PLAYBOOK, *VARIABLES} or path.name.endswith(PLUGINS)
    return is_known and path.is_dir()


def inventory_files(inventory: Path) -> Found:
    """Return the inventory's files: of a folder all, of a file also the variables beside it. Hidden ones are not read by Ansible.

    Raise where it does not exist, or where one of them is a program or asks another source.
    """
    if not inventory.exists():
        raise UnreachableError(f"the inventory {inventory} is not there", place=Place("site.yaml", None, "inventory"))
    folder = inventory_folder(inventory)
    if inventory.is_dir():
        paths = list(_walk(folder, hidden=False))
    else:
        paths = [inventory.resolve()]
        for name in VARIABLES:
            paths += _walk(folder / name, hidden=False)
    found = _found(paths, folder, INVENTORY)
    refuse_programs(path for path in found.files.values() if path.relative_to(folder).parts[0] not in VARIABLES)
    # a folder of variables that is not there may come: the inventory's own folder changes for other reasons too
    return found._replace(folders=(*found.folders, *(folder / name for name in VARIABLES)))


def inventory_folder(inventory: Path) -> Path:
    """Return the folder in which Ansible looks for variables of the inventory."""
    where = inventory.resolve()
    return where if where.is_dir() else where.parent


def refuse_programs(sources: Iterable[Path]) -> None:
    """Raise for an inventory that is a program, or that is asked from another source than a file."""
    for path in sources:
        content = path.read_bytes()
        asked = ANOTHER_SOURCE.search(content) if path.suffix in {".yml", ".yaml"} else None
        if PROGRAM.match(content) is None and asked is None:
            continue
        what = f"asks {asked[2].decode('utf-8', 'replace')}" if asked else "is a program"
        raise InputError(
            f"the inventory {what}, and nobody can release what the answer will be",
            hint=f"keep the answer in a file: ansible-inventory -i {quote(str(path))} --list --export --output hosts.json",
            place=Place(str(path)),
        )


def folder_files(folder: Path, name: str) -> Found:
    """Return every file of a folder, under a name of its own in the copy."""
    return _found(_walk(folder), folder, name)


def settings_files(home: Path) -> tuple[Path, ...]:
    """Return where Ansible looks for the settings of a user. The first that is there counts."""
    return home / f".{SETTINGS}", Path("/etc/ansible") / SETTINGS


def _found(paths: Iterable[Path], folder: Path, name: str) -> Found:
    files, folders = {}, []
    before = len(str(folder)) + 1
    for path in paths:
        if path.is_dir():
            folders.append(path)
        else:
            files[f"{name}/{str(path)[before:]}"] = path
    return Found(files, tuple(folders))


def _walk(folder: Path, above: frozenset[str] = frozenset(), *, hidden: bool = True) -> Iterator[Path]:
    """Yield a folder with its files and folders, also those of links. Raise for other kinds: reading a pipe never ends."""
    real = os.path.realpath(folder)
    if real in above or not folder.is_dir():  # a link to a folder above has no end
        return
    yield folder
    with os.scandir(folder) as found:
        entries = sorted(found, key=lambda entry: entry.name)
    for entry in entries:
        if entry.name == COMPILED or (entry.name.startswith(".") and not hidden):
            continue
        if entry.is_dir():
            yield from _walk(folder / entry.name, above | {real}, hidden=hidden)
        elif entry.is_file():
            yield folder / entry.name
        elif Path(entry).exists():  # a link to nothing cannot be read
            place = Place(entry.path)
            raise InputError("it is no plain file, and Ansible would read it", hint="remove it", place=place)
