"""What a release is bound to: one digest over a playbook and the roles that it uses."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from flows.ansible.plays import roles_of
from steps.errors import UnreachableError

SETTLED_S = 2.0
"""How long, in seconds, a file must be unchanged before its digest is kept: the clocks of file systems are coarse."""

Stamp = tuple[int, int, int]
"""What changes with a file or folder: its inode number, its size in bytes, and when it changed in nanoseconds."""


class _Hashed(NamedTuple):
    digest: str
    stamps: dict[Path, Stamp | None]


_hashed: dict[Path, _Hashed] = {}


def playbook_digest(playbook: Path) -> str:
    """Return the SHA-256 over a playbook and every file of its roles, by relative name and content.

    The files are read once for each change of one of them. Raise where the playbook does not exist.
    """
    known = _hashed.get(playbook)
    if known is not None and known.stamps == _stamps(known.stamps):
        return known.digest
    if not playbook.exists():
        raise UnreachableError(f"the playbook {playbook} does not exist", hint="install Clusterwright again")
    content = list(_content(playbook))
    stamps = _stamps(content)
    digest = _digest(playbook.parent.parent, content)
    changed_ns = max(stamp[2] for stamp in stamps.values() if stamp is not None)
    if time.time_ns() - changed_ns > SETTLED_S * 1e9:
        _hashed[playbook] = _Hashed(digest, stamps)
    return digest


def _content(playbook: Path) -> Iterator[Path]:
    """Yield the playbook, and each of its roles with every file and folder of it."""
    yield playbook
    for role in roles_of(playbook):
        folder = playbook.parent.parent / "roles" / role
        yield folder
        yield from (path for path in sorted(folder.rglob("*")) if "__pycache__" not in path.parts)


def _stamps(paths: Iterable[Path]) -> dict[Path, Stamp | None]:
    """Return what changes with each path. A folder changes when a file in it comes or goes."""
    return {path: _stamp(path) for path in paths}


def _stamp(path: Path) -> Stamp | None:
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_ino, found.st_size, found.st_ctime_ns


def _digest(folder: Path, content: Iterable[Path]) -> str:
    total = hashlib.sha256()
    for path in content:
        if path.is_file():
            total.update(f"{path.relative_to(folder)}\0".encode())
            total.update(hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()
