"""What runs that were ended in the middle leave on this machine: their folders, and Ansible's temporary files.

Both may hold secrets in clear text. A run removes them itself. What killed runs have left is removed by the next engine.
"""

from __future__ import annotations

import hashlib
import os
import platform
import pwd
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from flows.runs.bundle.copy import remove
from flows.runs.process.orphans import members
from ledger.machine_processes import is_alive
from ledger.machine_time import machine_time

YOUNG_S = 30.0
"""A run's folder is that old, in seconds, before it may be taken for one that nobody uses."""


def remote_temp() -> str:
    """Return the folder in which Ansible keeps files on a host while it changes the host, written as on a host's shell.

    Its name is this machine's. So on this machine, what is in it was put there by a process of this machine.
    """
    mark = hashlib.sha256(f"{platform.node()} {_machine_id()}".encode()).hexdigest()[:12]
    return f"~/.ansible/tmp/clusterwright-{mark}"


def remove_temporary_files() -> None:
    """Remove what Ansible's processes that have ended left on this machine while they were changing it.

    The name of each folder has the process's number: `ansible-tmp-TIME-NUMBER-RANDOM`.
    """
    homes = {Path.home()}  # a shell finds it in HOME, Ansible by the account's name
    with suppress(KeyError):  # in a container an account may have no name
        homes.add(Path(pwd.getpwuid(os.geteuid()).pw_dir))
    for home in homes:
        for path in _children(home / remote_temp().removeprefix("~/")):
            number = path.name.split("-")[-2:-1]
            if number and number[0].isdigit() and not is_alive(int(number[0])):
                shutil.rmtree(path, ignore_errors=True)


def remove_abandoned(runs: Path, mine: str) -> None:
    """Remove the folders of runs that nobody is at work in. `mine` begins the names of this engine's."""
    for path in _children(runs):
        if path.name.startswith(mine):
            continue
        with suppress(OSError):  # who was at work in it has just removed it, or it is of another account
            is_old = machine_time().timestamp() - path.stat().st_mtime > YOUNG_S
            if is_old and not members(0, path):
                remove(path)
    remove_temporary_files()


def _children(folder: Path) -> Iterator[Path]:
    if folder.is_dir():
        yield from (path for path in folder.iterdir() if path.is_dir())


def _machine_id() -> str:
    """Return the id that the system was given when it was installed. Empty where it has none."""
    path = Path("/etc/machine-id")
    return path.read_text(encoding="ascii").strip() if path.exists() else ""
