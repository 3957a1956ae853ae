"""The evidence store: content by its SHA-256 under `evidence/sha256/ab/...` or in a bucket, written once.

Content is complete or absent. Symbolic links, things that are not files and anything over the limit are refused. Nothing
here overwrites or deletes content. What people attach is judged before (`ledger.evidence.taking`); what runs leave is the
program's own.
"""

from __future__ import annotations

import hashlib
import os
import stat
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from ledger.evidence import names
from ledger.evidence.bucket import bucket_of
from ledger.evidence.folder import on_disk, place_of, write
from ledger.stores.place import database_of
from steps.errors import InputError, UnreachableError

if TYPE_CHECKING:
    from ledger.stores.postgres import Database

MAX_BYTES = 64 * 1024 * 1024
LONGEST_NAME = 200


class Store(Protocol):
    """Where content is kept that is not in the folder alone. Errors name it by its text."""

    def get(self, digest: str) -> bytes | None:
        """Return the content of a digest, unchecked. None where there is none."""

    def put(self, digest: str, content: bytes) -> None:
        """Keep content under its digest."""


class DatabaseStore:
    """Evidence in the database of a shared ledger, with a copy in the folder of everything that was asked for once.

    What is in the folder is in the database too, since it is written there first.
    """

    def __init__(self, database: Database, site_dir: Path) -> None:
        """Take the database and the site's folder."""
        self.database = database
        self.site_dir = site_dir

    def __str__(self) -> str:
        """Return which database it is, as errors name it."""
        return str(self.database)

    def get(self, digest: str) -> bytes | None:
        """Return the content of a digest, unchecked. None where there is none."""
        place = place_of(self.site_dir, digest)
        found = on_disk(place)
        if found is None:
            with self.database:
                found = self.database.evidence(digest)
            if found is not None:
                write(place, found)
        return found

    def put(self, digest: str, content: bytes) -> None:
        """Keep content under its digest."""
        with self.database:
            self.database.keep(content)
        write(place_of(self.site_dir, digest), content)


class SiteFiles:
    """The files of a site that its events name: see `ledger.state.projection.Files`."""

    def __init__(self, site_dir: Path) -> None:
        """Take the site's folder."""
        self.site_dir = site_dir

    def load(self, digest: str) -> bytes:
        """Return the content of evidence, checked against its digest."""
        return load(self.site_dir, digest)

    def name_in(self, digest: str) -> str | None:
        """Return the name in a person's document. None where the document was removed."""
        return names.name_in(self.site_dir, digest)


def store_of(site_dir: Path) -> Store | None:
    """Return the bucket that a site names, or the database of a shared ledger. None where the folder holds everything."""
    bucket = bucket_of(site_dir)
    if bucket is not None:
        return bucket
    url = database_of(site_dir)
    if url is None:
        return None
    from ledger.stores.postgres import Database  # the driver is heavy, and most sites are a folder

    return DatabaseStore(Database(url), site_dir)


def store(site_dir: Path, content: bytes | Path) -> str:
    """Keep content, or a file's, and return its SHA-256. Content that is there already is left as it is."""
    found = content_of(content, str(content) if isinstance(content, Path) else "evidence")
    digest = hashlib.sha256(found).hexdigest()
    shared, place = store_of(site_dir), place_of(site_dir, digest)
    if _kept(shared, place) is not None:
        load(site_dir, digest)  # changed content would be taken for what was just given
    elif shared is None:
        write(place, found)
    else:
        shared.put(digest, found)
    return digest


def content_of(given: bytes | Path, name: str, limit: int = MAX_BYTES) -> bytes:
    """Return the bytes of a file or of content. Raise for a link, for what is no file, and for more than `limit` bytes."""
    found = _read(given, name, limit) if isinstance(given, Path) else given
    if len(found) > limit:
        raise too_large(name, len(found), limit)
    return found


def too_large(name: str, size: int, limit: int) -> InputError:
    """Return the refusal of something over the limit."""
    return InputError(
        f"{name} has {size:,} bytes; the limit is {limit:,}",
        hint="attach what matters of it, or raise `evidence.max_mb` in site.yaml and adopt the plan",
    )


def file_name(text: str) -> str:
    """Return the name that evidence is shown by: a name and no path, without marks that mislead the eye."""
    if not text or text in {".", ".."} or len(text) > LONGEST_NAME or set(text) & set("/\\"):
        raise InputError(f"{text[:LONGEST_NAME]!r} is not a file's name", hint="a name alone, without folders")
    if any(unicodedata.category(mark) in {"Cc", "Cf", "Cs", "Zl", "Zp"} for mark in text):
        raise InputError(f"the name {text!r} holds marks that cannot be seen", hint="rename the file")
    return text


def load(site_dir: Path, digest: str) -> bytes:
    """Return the content of a digest, checked against it."""
    shared, place = store_of(site_dir), place_of(site_dir, digest)
    where = place if shared is None else f"it in {shared}"
    found = _kept(shared, place)
    if found is None:
        raise UnreachableError(
            f"evidence {digest[:12]} cannot be read: it is not there",
            hint=f"restore {where} from a backup; `clusterwright audit` lists what is missing",
        )
    if hashlib.sha256(found).hexdigest() != digest:
        raise UnreachableError(
            f"evidence {digest[:12]} was changed after it was stored",
            hint=f"restore {where} from a backup; `clusterwright audit` lists what differs",
        )
    return found


def is_intact(site_dir: Path, digest: str) -> bool:
    """Return whether the content is there and has that digest. Raise where a bucket or a database does not answer."""
    shared, place = store_of(site_dir), place_of(site_dir, digest)
    try:
        found = _kept(shared, place)
    except UnreachableError:
        if shared is not None:
            raise
        return False
    return found is not None and hashlib.sha256(found).hexdigest() == digest


def _kept(shared: Store | None, place: Path) -> bytes | None:
    """Return the content of a digest, unchecked. None where there is none."""
    return on_disk(place) if shared is None else shared.get(place.name)


def _read(path: Path, name: str, limit: int) -> bytes:
    # O_NOFOLLOW refuses a link at the moment of opening it; a check before could be overtaken
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
