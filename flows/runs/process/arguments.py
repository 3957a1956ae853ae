"""Arguments of Ansible that are kept off its command line, in the run's folder: the hosts, and the passwords of vaults.

A command line has no room for the hosts of a large site, so they are in a file with a line a host. Ansible takes a line that is the
name of a host of the inventory as that host. It reads every other line as a pattern, which may name many hosts. So a name with
characters of patterns is written as a regular expression that only this name meets.

Everybody may read a command line, so passwords are in named pipes, each of which can be read once.
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import threading
from collections.abc import Iterable, Mapping
from pathlib import Path

from ledger.private import write_new

FILE = "limit"
NO_HOST = "~(?!)"
"""A pattern that names no host. Ansible reads an empty file as all hosts."""

_PLAIN = re.compile(r"\w[\w.:-]*")


def limit_of(hosts: Iterable[str], folder: Path) -> str:
    """Write the hosts into a file of a run's folder. Return what `--limit` takes: its name after an @.

    Ansible is started in that folder. It would divide a path with spaces or commas in it.
    """
    write_new(folder / FILE, "\n".join(map(_line, hosts)) or NO_HOST)
    return f"@{FILE}"


def _line(host: str) -> str:
    return host if _PLAIN.fullmatch(host) else rf"~{re.escape(host)}\Z"


def vault_arguments(passwords: Mapping[str, str], folder: Path) -> str:
    """Return Ansible's arguments for the passwords by vault id, and have the pipes that they name answer."""
    words = []
    for number, (vault_id, password) in enumerate(passwords.items()):
        pipe = folder / f"vault-{number}"
        os.mkfifo(pipe, 0o600)
        threading.Thread(target=_answer, args=(pipe, password), daemon=True).start()
        words += ["--vault-id", f"{vault_id}@{pipe}"]
    return shlex.join(words)


def _answer(pipe: Path, password: str) -> None:
    """Write the password for the first who reads, and remove the pipe."""
    with contextlib.suppress(OSError), pipe.open("w", encoding="utf-8") as reader:  # Ansible may have ended before
        pipe.unlink()  # its reader has opened it; nobody else can
        reader.write(password)
