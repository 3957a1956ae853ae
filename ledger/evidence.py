"""The evidence store: files by their SHA-256 under `evidence/sha256/ab/...`, written once.

A file is complete or absent (written aside, synced, renamed). Symbolic links, things that are not files
and anything over 64 MiB are refused. Nothing here overwrites or deletes.
"""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
from pathlib import Path

from steps.errors import InputError, UnreachableError

MAX_BYTES = 64 * 1024 * 1024


def place_of(site_dir: Path, digest: str) -> Path:
    """Give where the content of a digest lies, or would lie."""
    if len(digest) != 64 or not all(c in "0123456789abcdef" for c in digest):
        raise InputError(f"{digest!r} is not a SHA-256 digest", hint="64 lower-case hex digits")
    return site_dir / "evidence" / "sha256" / digest[:2] / digest


def store(site_dir: Path, content: bytes | Path) -> str:
    """Keep content, or a file's, and give its SHA-256; content already there is left as it is."""
    held = _read(content) if isinstance(content, Path) else content
    if len(held) > MAX_BYTES:
        raise InputError(f"evidence of {len(held):,} bytes is over the limit of {MAX_BYTES:,}")
    digest = hashlib.sha256(held).hexdigest()
    place = place_of(site_dir, digest)
    if not place.exists():
        _write(place, held)
    return digest


def load(site_dir: Path, digest: str) -> bytes:
    """Give the content of a digest, checked against it."""
    place = place_of(site_dir, digest)
    try:
        held = place.read_bytes()
    except OSError as error:
        raise UnreachableError(
            f"evidence {digest[:12]} cannot be read: {error.strerror}",
            hint=f"restore {place} from a backup; `clusterwright audit` lists what is missing",
        ) from None
    if hashlib.sha256(held).hexdigest() != digest:
        raise UnreachableError(
            f"evidence {digest[:12]} was changed after it was stored",
            hint=f"restore {place} from a backup; `clusterwright audit` lists what differs",
        )
    return held


def is_intact(site_dir: Path, digest: str) -> bool:
    """Say whether the content is there and has that digest."""
    try:
        load(site_dir, digest)
    except UnreachableError:
        return False
    return True


def _read(path: Path) -> bytes:
    """O_NOFOLLOW refuses a link in the same breath as opening it; a check before would race."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        if path.is_symlink():
            raise InputError(f"{path} is a symbolic link", hint="attach the file itself") from None
        raise InputError(f"{path} cannot be read: {error.strerror}") from None
    try:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode):
            raise InputError(f"{path} is not a file")
        if found.st_size > MAX_BYTES:
            raise InputError(f"{path} has {found.st_size:,} bytes; the limit is {MAX_BYTES:,}")
        with os.fdopen(handle, "rb", closefd=False) as file:
            return file.read(MAX_BYTES + 1)
    finally:
        os.close(handle)


def _write(place: Path, content: bytes) -> None:
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        handle, aside = tempfile.mkstemp(dir=place.parent, prefix=".new-")
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(aside).chmod(0o444)
        Path(aside).replace(place)
        _sync_folder(place.parent)
    except OSError as error:
        raise UnreachableError(
            f"evidence cannot be written to {place.parent}: {error.strerror}",
            hint="check free space and permissions",
        ) from None


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
