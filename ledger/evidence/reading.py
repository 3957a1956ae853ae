"""Read files that people name. Under sudo they are opened as the person who called sudo, and not as root.

Otherwise everybody who may run the program by sudo could have any file of the machine stored, and read it in the record. The
kernel decides: the file and the folders above it are opened with the person's own number and groups, once. So there is nothing
between a check and the opening.
"""

from __future__ import annotations

import errno
import os
import pwd
import stat
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from schedule.errors import InputError

if TYPE_CHECKING:
    import socket

FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
"""A link is refused by the opening itself, and a pipe that nobody writes to does not wait."""


NO_GROUP = 65_534
"""The group of nobody: Linux has this number for it."""


class Caller(NamedTuple):
    """The person who called sudo, as the kernel knows people: their number, their group, and all their groups."""

    uid: int
    gid: int
    groups: tuple[int, ...]


def caller() -> Caller | None:
    """Return the person who called sudo. None if this is not root, or root itself.

    sudo says so in SUDO_UID. Raise InputError if that is no number: then nobody knows what they may read.
    """
    said = os.environ.get("SUDO_UID")
    if said is None or os.geteuid() != 0:
        return None
    if not said.isdecimal():
        raise InputError(f"SUDO_UID is {said!r}, which is no account's number", hint="run the command by sudo itself")
    uid = int(said)
    if uid == 0:
        return None
    try:
        found = pwd.getpwuid(uid)
    except KeyError:  # without an entry it has no groups either
        gid = _group_of_caller()
        return Caller(uid, gid, (gid,))
    groups = os.getgrouplist(found.pw_name, found.pw_gid)
    return Caller(uid, found.pw_gid, tuple(groups))


def _group_of_caller() -> int:
    said = os.environ.get("SUDO_GID", "")
    return int(said) if said.isdecimal() and said != "0" else NO_GROUP


def read_file(
    path: Path,
    name: str,
    limit: int,
    person: Caller | None = None,
) -> bytes:
    """Return the content of a file, of at most `limit` bytes and one more. Raise InputError for a link and for what is no file.

    It is opened with the rights of `person`, or with those of this process if that is None.
    """
    try:
        handle = os.open(path, FLAGS) if person is None else _opened_as(person, path)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise InputError(f"{name} is a symbolic link", hint="attach the file itself") from None
        hint = "under sudo only files are read that you can read without it" if person else "look at the path"
        raise InputError(f"{name} cannot be read: {error.strerror}", hint=hint) from None
    try:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode):
            raise InputError(f"{name} is not a file", hint="attach one file")
        if found.st_size > limit:
            raise too_large(name, found.st_size, limit)
        with os.fdopen(handle, "rb", closefd=False) as file:
            return file.read(limit + 1)
    finally:
        os.close(handle)


def too_large(name: str, size: int, limit: int) -> InputError:
    """Return the error for content above the limit."""
    return InputError(
        f"{name} has {size:,} bytes; the limit is {limit:,}",
        hint="attach only the part that matters, or raise `evidence.max_mb` in site.yaml and adopt the plan",
    )


def _opened_as(person: Caller, path: Path) -> int:
    """Return the descriptor of a file that was opened with the rights of a person, in a process of its own."""
    import socket  # slow to import, and only sudo needs it

    ours, theirs = socket.socketpair()
    with ours, theirs:
        child = os.fork()
        if child == 0:
            _open_and_send(person, path, theirs)
        theirs.close()
        said, handles, *_ = socket.recv_fds(ours, 16, 1)
        os.waitpid(child, 0)
    if handles:
        return handles[0]
    number = int(said or errno.EIO)
    raise OSError(number, os.strerror(number))


def _open_and_send(person: Caller, path: Path, answer: socket.socket) -> None:
    """Become a person for good, open a file, and send its descriptor or the number of the error. This process ends here."""
    import socket

    try:
        os.setgroups(person.groups)
        os.setresgid(person.gid, person.gid, person.gid)
        os.setresuid(person.uid, person.uid, person.uid)
        socket.send_fds(answer, [b"0"], [os.open(path, FLAGS)])
    except OSError as error:
        answer.send(str(error.errno).encode())
    finally:
        os._exit(0)
