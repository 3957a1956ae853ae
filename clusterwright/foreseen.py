"""What the operating system refuses, as errors with a remedy: a full disk, a folder in place of a file, no memory.

Most places that open files say this themselves, with the line and the key. This is the last net above them.
"""

import errno
import os

from schedule.errors import ClusterwrightError, InputError, UnreachableError

REMEDIES = {
    errno.ENOSPC: "make room, and type the command again: nothing is recorded by halves",
    errno.EDQUOT: "make room within the quota, and type the command again: nothing is recorded by halves",
    errno.EACCES: "look at the owner and the mode of the file and of its folders",
    errno.EPERM: "look at the owner and the mode of the file and of its folders",
    errno.EROFS: "the disk is mounted to be read only",
    errno.EMFILE: "raise the limit of open files: `ulimit -n 4096`",
    errno.ENFILE: "close other programs: the machine has too many open files",
    errno.EIO: "the disk or the network drive has an error: look at the machine's log",
    errno.ENOENT: "look at the path",
    errno.ENOMEM: "end other programs, or take a machine with more memory",
}
"""What to do where the world does not let us, by the system's number of the error."""

MISTAKEN = {
    errno.EISDIR: "name a file, not its folder",
    errno.ENOTDIR: "a part of the path is a file, not a folder",
    errno.ENAMETOOLONG: "take a shorter name",
    errno.ELOOP: "links point at each other in a circle",
    errno.EINVAL: "look at the path",
    errno.ENXIO: "name a file, not a socket or a pipe",
    errno.ENOTEMPTY: "take an empty folder",
    errno.EEXIST: "take another name, or remove what is there",
}
"""What to do where the path itself is wrong."""

SHOWN = 120


def foreseen(error: BaseException) -> ClusterwrightError | None:
    """Return the error to show in place of one that the system raised. None for one that nobody foresaw."""
    if isinstance(error, MemoryError):
        return UnreachableError("the memory does not suffice for this", hint=REMEDIES[errno.ENOMEM])
    if not isinstance(error, OSError) or error.errno not in REMEDIES | MISTAKEN:
        return None
    place = os.fsdecode(error.filename) if isinstance(error.filename, str | bytes | os.PathLike) else ""
    shown = place if len(place) <= SHOWN else f"{place[:SHOWN]}…"
    says = (error.strerror or os.strerror(error.errno)).lower()
    what = f"{shown}: {says}" if shown else says
    if error.errno in MISTAKEN:
        return InputError(what, hint=MISTAKEN[error.errno])
    return UnreachableError(what, hint=REMEDIES[error.errno])
