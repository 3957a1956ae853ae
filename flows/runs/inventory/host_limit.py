"""To which hosts Ansible is held: a file with a line a host. A command line has no room for the hosts of a large site.

Ansible takes a line that is the name of a host of the inventory as that host. It reads every other line as a pattern, which may
name many hosts. So a name with characters of patterns is written as a regular expression that only this name meets.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path

FILE = "limit"
NO_HOST = "~(?!)"
"""A pattern that names no host. Ansible reads an empty file as all hosts."""

_PLAIN = re.compile(r"\w[\w.:-]*")


def limit_of(hosts: Iterable[str], folder: Path) -> str:
    """Write the hosts into a file of a run's folder. Return what `--limit` takes: its name after an @.

    Ansible is started in that folder. It would divide a path with spaces or commas in it.
    """
    handle = os.open(folder / FILE, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write("\n".join(map(_line, hosts)) or NO_HOST)
    return f"@{FILE}"


def _line(host: str) -> str:
    return host if _PLAIN.fullmatch(host) else rf"~{re.escape(host)}\Z"
