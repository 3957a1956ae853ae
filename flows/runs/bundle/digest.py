"""What a release is bound to: one digest over everything that Ansible may read in a run.

It has three parts, so that people learn which of them changed. The first is over the playbook's files, and the versions of Ansible and
of its collections. The second is over the inventory with all variables, and the user's settings for Ansible. It has a key, since
inventories hold secrets that could be guessed from a digest without one. The third names the key: two folders of a site that have
each made one never find the same digest.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import stat
import time
from collections.abc import Callable, Iterable, Sized
from pathlib import Path
from typing import NamedTuple

from flows.runs.bundle.digest_key import digest_key, key_file
from flows.runs.bundle.galaxy import collections_for
from flows.runs.bundle.tree import SETTINGS, folder_files, inventory_files, playbook_files, settings_files

SETTLED_S = 2.0
"""How long, in seconds, a file must be unchanged before its digest is kept: the clocks of file systems are coarse."""

SHORT = 12

BELIEVED_S = 60e-6
"""How long, in seconds for each file, a digest is believed without another look: about 20 times as long as a look takes."""

UNKEYED = b"clusterwright"
"""The key of the first part, which holds no secret: what comes with the program can be known to everybody."""

OTHER_KEY = (
    "the inventory's key is another: each folder has made its own, so their digests never agree. Copy `.digest-key` beside the"
    " inventory from the engine's folder to the others"
)

Stamp = tuple[int, int, int]
"""What changes with a file or folder: its inode number, its size in bytes, and when it changed in nanoseconds."""

Take = Callable[[str, Path, bool], bytes]
"""Returns the content of a file, by its name in the copy, where it is, and whether it may be executed."""


class Part(NamedTuple):
    """A part of what Ansible reads: its files, what else counts, and where a change of either shows."""

    files: dict[str, Path]
    stated: dict[str, str]
    shown_by: tuple[Path, ...]
    key: bytes


class _Hashed(NamedTuple):
    digest: str
    stamps: dict[Path, Stamp | None]
    believed_until: float


_hashed: dict[tuple[str, Path], _Hashed] = {}


def run_digest(playbook: Path, inventory: Path) -> str:
    """Return the digest of what a run of a playbook with an inventory would read now.

    The files are read once for each change of one of them. Raise where playbook or inventory do not exist or cannot be released.
    """
    return joined(playbook_digest(playbook), _known("inventory", inventory_part, inventory))


def playbook_digest(playbook: Path) -> str:
    """Return the part of a run's digest that is about its playbook. Raise where it does not exist."""
    return _known("playbook", playbook_part, playbook)


def joined(playbook: str, inventory: str) -> str:
    """Return the digest of which these are the parts."""
    return f"{playbook}.{inventory}"


def short(digest: str) -> str:
    """Return a digest for people: enough of each part to see whether two are the same."""
    return ".".join(part[:SHORT] for part in digest.split("."))


def same_playbook(one: str, other: str) -> bool:
    """Return whether two digests are of the same playbook, whatever the inventory said."""
    return one.partition(".")[0] == other.partition(".")[0]


def why_lapsed(released: str, now: str) -> str:
    """Return in words why a release of one digest does not cover another. Empty where it does."""
    if released == now:
        return ""
    if released.count(".") < now.count("."):
        return "it was released with an earlier version of Clusterwright, which looked at less"
    differs = what_differs(released, now)
    return differs if differs == OTHER_KEY else f"{differs} after the release"


def what_differs(one: str, other: str) -> str:
    """Return what of a run's files is another in two digests. Empty where all is the same. Earlier ones do not name the key."""
    if one == other or other.startswith(f"{one}."):
        return ""
    if not same_playbook(one, other):
        return "the playbook, one of its roles, Ansible or a collection was changed"
    if one.count(".") == other.count(".") > 1 and one.rpartition(".")[2] != other.rpartition(".")[2]:
        return OTHER_KEY
    return "the inventory, a variable beside it or ansible.cfg was changed"


def playbook_part(playbook: Path) -> Part:
    """Return what comes with the program: the playbook's files, the collections, and versions."""
    files, folders = playbook_files(playbook)
    installed = collections_for(playbook.parent.parent)
    for name, folder in installed.folders.items():
        namespace, _, short = name.partition(".")
        found = folder_files(folder, f"collections/ansible_collections/{namespace}/{short}")
        files, folders = files | found.files, folders + found.folders
    return Part(files, installed.versions, folders + installed.shown_by, UNKEYED)


def inventory_part(inventory: Path) -> Part:
    """Return what is the site's own: the inventory, the variables beside it, and the settings of this user."""
    found = inventory_files(inventory)
    settings = settings_files(Path.home())
    first = next((path for path in settings if path.is_file()), None)
    files = found.files if first is None else found.files | {SETTINGS: first}
    return Part(files, {}, (*found.folders, *settings, key_file(inventory)), digest_key(inventory))


def digest_of(part: Part, take: Take = lambda _, path, __: path.read_bytes()) -> str:
    """Return the digest of a part: over each name, whether it may be executed, and its content, in order of names."""
    total = hmac.new(part.key, digestmod=hashlib.sha256)
    for name, words in sorted(part.stated.items()):
        total.update(f"{name} {words}\0".encode())
    for name, path in sorted(part.files.items()):
        may_run = bool(path.stat().st_mode & stat.S_IXUSR)
        content = hashlib.sha256(take(name, path, may_run)).digest()
        total.update(os.fsencode(name) + (b"\0x" if may_run else b"\0-") + content)
    return total.hexdigest() if part.key == UNKEYED else f"{total.hexdigest()}.{_name_of(part.key)}"


def _name_of(key: bytes) -> str:
    """Return by what two folders see whether they have one key. Nobody can work out the key from it."""
    return hmac.new(key, b"the name of this key", "sha256").hexdigest()[:SHORT]


def _known(kind: str, part_of: Callable[[Path], Part], path: Path) -> str:
    """Return the digest of a part. It is worked out anew only if a file or folder of it has changed."""
    known = _hashed.get((kind, path))
    if known is not None and time.monotonic() < known.believed_until:
        return known.digest
    if known is not None and known.stamps == _stamps(known.stamps):
        _hashed[kind, path] = known._replace(believed_until=_until(known.stamps))
        return known.digest
    part = part_of(path)
    digest = digest_of(part)
    stamps = _stamps((*part.files.values(), *part.shown_by))
    changed_ns = max(stamp[2] for stamp in stamps.values() if stamp is not None)
    if time.time_ns() - changed_ns > SETTLED_S * 1e9:
        _hashed[kind, path] = _Hashed(digest, stamps, _until(stamps))
    return digest


def _until(stamps: Sized) -> float:
    """Return until when a digest is believed. So looks at a large inventory take a small share of the time."""
    return time.monotonic() + BELIEVED_S * len(stamps)


def _stamps(paths: Iterable[Path]) -> dict[Path, Stamp | None]:
    """Return what changes with each path. A folder changes when a file in it comes or goes."""
    return {path: _stamp(path) for path in paths}


def _stamp(path: Path) -> Stamp | None:
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_ino, found.st_size, found.st_ctime_ns
