"""The evidence store: content by its SHA-256 under `evidence/sha256/ab/...` or in a bucket, written once.

Content is complete or absent (on disk: written aside, synced, renamed). Symbolic links, things that are not files and anything
over the limit are refused. Nothing here overwrites or deletes content; what a killed process began to write is cleared by a
later one. What people attach is judged before (`ledger.intake`); what runs leave is the program's own.
"""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
import time
import unicodedata
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from ledger.bucket import bucket_of
from ledger.shared.place import database_of
from steps.errors import InputError, UnreachableError

MAX_BYTES = 64 * 1024 * 1024
LONGEST_NAME = 200
ASIDE = ".new-"
ABANDONED_S = 3600.0
"""A file that was begun so long ago, s, belongs to a process that was killed: writing the largest takes seconds."""


class Store(Protocol):
    """Where content lies that is not in the folder alone; its text is how errors call it."""

    def get(self, digest: str) -> bytes | None:
        """Give the content under a digest, unchecked; none where there is none."""

    def put(self, digest: str, content: bytes) -> None:
        """Keep content under its digest."""


def store_of(site_dir: Path) -> Store | None:
    """Give the bucket a site names, or the database of a shared ledger; none where the folder holds everything."""
    bucket = bucket_of(site_dir)
    if bucket is not None:
        return bucket
    url = database_of(site_dir)
    if url is None:
        return None
    from ledger.shared.content import DatabaseStore  # the driver is heavy, and most sites are a folder

    return DatabaseStore(url, site_dir)


def place_of(site_dir: Path, digest: str) -> Path:
    """Give where the content of a digest lies, or would lie."""
    if len(digest) != 64 or not all(c in "0123456789abcdef" for c in digest):
        raise InputError(f"{digest!r} is not a SHA-256 digest", hint="64 lower-case hex digits")
    return site_dir / "evidence" / "sha256" / digest[:2] / digest


def store(site_dir: Path, content: bytes | Path) -> str:
    """Keep content, or a file's, and give its SHA-256; content already there is left as it is."""
    held = content_of(content, str(content) if isinstance(content, Path) else "evidence")
    digest = hashlib.sha256(held).hexdigest()
    shared, place = store_of(site_dir), place_of(site_dir, digest)
    if _held(shared, place) is not None:
        load(site_dir, digest)  # changed content would be taken for what was just given
    elif shared is None:
        write(place, held)
    else:
        shared.put(digest, held)
    return digest


def content_of(given: bytes | Path, name: str, limit: int = MAX_BYTES) -> bytes:
    """Give the bytes of what was given; a link, a thing that is no file, and too much are refused under the name."""
    held = _read(given, name, limit) if isinstance(given, Path) else given
    if len(held) > limit:
        raise too_large(name, len(held), limit)
    return held


def too_large(name: str, size: int, limit: int) -> InputError:
    """Give the refusal of something over the limit."""
    return InputError(
        f"{name} has {size:,} bytes; the limit is {limit:,}",
        hint="attach what matters of it, or raise `evidence.max_mb` in site.yaml and adopt the plan",
    )


def file_name(text: str) -> str:
    """Give the name that evidence is shown by: a name and no path, without marks that mislead the eye."""
    if not text or text in {".", ".."} or len(text) > LONGEST_NAME or set(text) & set("/\\"):
        raise InputError(f"{text[:LONGEST_NAME]!r} is not a file's name", hint="a name alone, without folders")
    if any(unicodedata.category(mark) in {"Cc", "Cf", "Cs", "Zl", "Zp"} for mark in text):
        raise InputError(f"the name {text!r} holds marks that cannot be seen", hint="rename the file")
    return text


def load(site_dir: Path, digest: str) -> bytes:
    """Give the content of a digest, checked against it."""
    shared, place = store_of(site_dir), place_of(site_dir, digest)
    where = place if shared is None else f"it in {shared}"
    held = _held(shared, place)
    if held is None:
        raise UnreachableError(
            f"evidence {digest[:12]} cannot be read: it is not there",
            hint=f"restore {where} from a backup; `clusterwright audit` lists what is missing",
        )
    if hashlib.sha256(held).hexdigest() != digest:
        raise UnreachableError(
            f"evidence {digest[:12]} was changed after it was stored",
            hint=f"restore {where} from a backup; `clusterwright audit` lists what differs",
        )
    return held


def _held(shared: Store | None, place: Path) -> bytes | None:
    """Give what lies under a digest, unchecked; none where nothing does."""
    return on_disk(place) if shared is None else shared.get(place.name)


def on_disk(place: Path) -> bytes | None:
    """Give what lies in a file of the folder, unchecked; none where there is no file."""
    try:
        return place.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UnreachableError(
            f"evidence {place.name[:12]} cannot be read: {error.strerror}",
            hint=f"see the owner and permissions of {place}",
        ) from None


def is_intact(site_dir: Path, digest: str) -> bool:
    """Say whether the content is there and has that digest; a bucket that does not answer says neither."""
    shared, place = store_of(site_dir), place_of(site_dir, digest)
    try:
        held = _held(shared, place)
    except UnreachableError:
        if shared is not None:
            raise
        return False
    return held is not None and hashlib.sha256(held).hexdigest() == digest


def _read(path: Path, name: str, limit: int) -> bytes:
    """O_NOFOLLOW refuses a link in the same breath as opening it; a check before would race."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        if path.is_symlink():
            raise InputError(f"{name} is a symbolic link", hint="attach the file itself") from None
        raise InputError(f"{name} cannot be read: {error.strerror}") from None
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


def write(place: Path, content: bytes) -> None:
    """Write a file whole or not at all, on disk before it has its name."""
    try:
        new = [folder for folder in (place.parent, *place.parent.parents) if not folder.exists()]
        place.parent.mkdir(parents=True, exist_ok=True)
        for left in half_written(place.parent, ABANDONED_S):
            with suppress(OSError):  # another account's; it is in nobody's way
                left.unlink()
        _write_aside(place, content)
        for folder in (place.parent, *(made.parent for made in new)):
            sync_folder(folder)
    except OSError as error:
        raise UnreachableError(
            f"evidence cannot be written to {place.parent}: {error.strerror}",
            hint="check free space and permissions",
        ) from None


def _write_aside(place: Path, content: bytes) -> None:
    handle, name = tempfile.mkstemp(dir=place.parent, prefix=ASIDE)
    aside = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        aside.chmod(0o444)
        aside.replace(place)
    except BaseException:
        aside.unlink(missing_ok=True)
        raise


def half_written(folder: Path, older_than_s: float) -> Iterator[Path]:
    """Give the files of a folder that were begun and never got their name, the younger ones left out."""
    for path in folder.glob(f"{ASIDE}*"):
        with suppress(FileNotFoundError):  # finished meanwhile
            if time.time() - path.stat().st_mtime >= older_than_s:
                yield path


def sync_folder(folder: Path) -> None:
    """Wait until what a folder holds is on disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
