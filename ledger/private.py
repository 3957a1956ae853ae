"""What a site keeps is for the account that runs it: files have mode 0600 and folders 0700, whatever the umask is.

A ledger for several accounts is in PostgreSQL, where each has a folder of its own.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

OTHERS = 0o077
"""The permissions of everybody but the owner."""

KEPT = ("ledger.db", "ledger.db-wal", "ledger.db-shm", "evidence", ".clusterwright")
"""What a site keeps in its folder besides the files that people write."""

_NOT_CHANGED = -1
_umasks: list[int] = []


def make_file(path: Path) -> None:
    """Make an empty file that only its owner can use, if there is none. What opens it later says why that fails."""
    with suppress(OSError):
        write_new(path, "")
        owned_like_folder(path)


def write_new(path: Path, text: str) -> None:
    """Write a new file that only its owner can use. Raise FileExistsError where there is one."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)


def owned_like_folder(path: Path) -> None:
    """Let root leave what it makes to the owner of the folder around it. SQLite does the same with its log.

    Otherwise an engine under sudo would make evidence that the owner of the site cannot read.
    """
    if os.geteuid() == 0:
        owner = path.parent.stat()
        os.chown(path, owner.st_uid, owner.st_gid, follow_symlinks=False)


def is_open_to_others(path: Path) -> bool:
    """Return whether other accounts have any permission on a file or folder. A link has none of its own."""
    try:
        mode = path.lstat().st_mode
    except OSError:
        return False
    return not stat.S_ISLNK(mode) and bool(mode & OTHERS)


def close_to_others(site_dir: Path) -> int:
    """Take the permissions of others from what a site keeps, where this account owns it. Return how many files and folders had them.

    A folder is searched only if others may enter it. So this is quick from the second time on.
    """
    found = [site_dir / name for name in KEPT if is_open_to_others(site_dir / name)]
    return sum(map(close_tree, found))


def close_tree(path: Path) -> int:
    """Close a file, or a folder with everything in it. Return how many files and folders were open to others."""
    count = int(_closed(path))  # the folder first: once it is closed, nobody else can come in
    if path.is_dir():
        count += sum(map(_closed, path.rglob("*")))
    return count


def _closed(path: Path) -> bool:
    # by its name: to open and close the ledger here would end the locks that SQLite has on it in this process
    try:
        if not is_open_to_others(path) or path.lstat().st_uid != os.geteuid():
            return False
        mode = stat.S_IMODE(path.lstat().st_mode)
        path.chmod(mode & ~OTHERS)
    except OSError:  # it was removed in the meantime, or the disk is read-only
        return False
    return True


@contextmanager
def private_files() -> Iterator[None]:
    """Let this process, and what it starts, make files and folders that only their owner can use."""
    _umasks.append(os.umask(OTHERS))
    try:
        yield
    finally:
        os.umask(_umasks.pop())


def given_umask() -> int:
    """Return the umask that this process was started with, for `Popen`: what Ansible installs on this machine is for everybody."""
    return _umasks[0] if _umasks else _NOT_CHANGED
