"""The evidence store: content under its SHA-256, in `evidence/sha256/ab/...`, in a bucket, or in the database of a shared ledger.

Content is complete or absent. It is never overwritten or deleted here. Symbolic links, anything that is no file, and content
over the limit are refused. Files that people attach are checked before they come here (`ledger.evidence.taking`). Files of runs
are made by this program and are not checked.
"""

from __future__ import annotations

import hashlib
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ledger.evidence import names
from ledger.evidence.bucket import Bucket, bucket_of
from ledger.evidence.folder import on_disk, place_of, write
from ledger.evidence.reading import caller, read_file, too_large
from ledger.stores.place import database_of
from schedule.errors import InputError, LostError, UnreachableError

if TYPE_CHECKING:
    from ledger.stores.postgres import Database

MAX_BYTES = 64 * 1024 * 1024
LONGEST_NAME = 200
INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Unicode categories of characters that are not shown. They could make one name look like another."""


class DatabaseStore(NamedTuple):
    """Evidence in the database of a shared ledger. Content that was read or written here is copied to the folder.

    Content is written to the database first. So everything in the folder is in the database too.
    """

    database: Database
    site_dir: Path

    def __str__(self) -> str:
        """Return the name of the database for messages."""
        return str(self.database)

    def get(self, digest: str) -> bytes | None:
        """Return the content with this digest, without checking it. None if there is none."""
        place = place_of(self.site_dir, digest)
        found = on_disk(place)
        if found is None:
            with self.database:
                found = self.database.evidence(digest)
            if found is not None:
                write(place, found)
        return found

    def put(self, digest: str, content: bytes) -> None:
        """Store content under its digest."""
        self.keep(content)
        write(place_of(self.site_dir, digest), content)

    def keep(self, content: bytes) -> None:
        """Store content in the database. It does nothing if the database has it."""
        with self.database:
            self.database.keep(content)


Store = Bucket | DatabaseStore
"""A place outside the folder that stores content. Its text is its name in messages."""


class SiteFiles(NamedTuple):
    """Reads the files of a site that its events name."""

    site_dir: Path

    def load(self, digest: str) -> bytes:
        """Return the content of a file, after comparing it with its digest."""
        return load(self.site_dir, digest)

    def name_in(self, digest: str) -> str | None:
        """Return the name in a person's document. None if the document was removed."""
        return names.name_in(self.site_dir, digest)


def store_of(site_dir: Path) -> Store | None:
    """Return the bucket that a site names, or else the database of a shared ledger. None if the folder has all evidence."""
    bucket = bucket_of(site_dir)
    if bucket is not None:
        return bucket
    url = database_of(site_dir)
    if url is None:
        return None
    from ledger.stores.postgres import Database  # the driver is slow to import, and most ledgers are not shared

    return DatabaseStore(Database(url), site_dir)


def store(site_dir: Path, content: bytes | Path) -> str:
    """Store content, or the content of a file, and return its SHA-256. Content that is stored already is not written again."""
    found = read_file(content, str(content), MAX_BYTES) if isinstance(content, Path) else content
    if len(found) > MAX_BYTES:
        raise too_large("evidence", len(found), MAX_BYTES)
    digest = hashlib.sha256(found).hexdigest()
    shared, place = store_of(site_dir), place_of(site_dir, digest)
    if _kept(shared, place) is not None:
        load(site_dir, digest)  # raises if the stored content was changed: it would take the place of this content
        if isinstance(shared, DatabaseStore):
            shared.keep(found)  # this folder has it; a database that was restored may have lost it
    elif shared is None:
        write(place, found)
    else:
        shared.put(digest, found)
    return digest


def content_of(given: bytes | Path, name: str, limit: int = MAX_BYTES) -> bytes:
    """Return content, or the content of a file that a person named. It is read with that person's rights, also under sudo.

    Raise InputError for a symbolic link, for what is no file, and above `limit` bytes.
    """
    found = read_file(given, name, limit, caller()) if isinstance(given, Path) else given
    if len(found) > limit:
        raise too_large(name, len(found), limit)
    return found


def file_name(text: str) -> str:
    """Return a file's name for display. Raise InputError for a path, and for a name with invisible characters."""
    is_path = text in {"", ".", ".."} or "/" in text or "\\" in text
    if is_path or len(text) > LONGEST_NAME:
        raise InputError(f"{text[:LONGEST_NAME]!r} is not a file's name", hint="write the name only, without folders")
    if not INVISIBLE.isdisjoint(map(unicodedata.category, text)):
        raise InputError(f"the name {text!r} has invisible characters", hint="rename the file")
    return text


def load(site_dir: Path, digest: str) -> bytes:
    """Return the content with this digest. Raise LostError if it is missing or was changed."""
    shared, place = store_of(site_dir), place_of(site_dir, digest)
    where = place if shared is None else f"it in {shared}"
    found = _kept(shared, place)
    if found is None:
        raise LostError(
            f"evidence {digest[:12]} cannot be read: it is missing",
            hint=f"restore {where} from a backup; `clusterwright audit` lists what is missing",
        )
    if hashlib.sha256(found).hexdigest() != digest:
        raise LostError(
            f"evidence {digest[:12]} was changed after it was stored",
            hint=f"restore {where} from a backup; `clusterwright audit` lists what differs",
        )
    return found


def is_intact(site_dir: Path, digest: str) -> bool:
    """Return whether content with this digest is stored and unchanged. Raise if a bucket or a database does not answer."""
    try:
        load(site_dir, digest)
    except UnreachableError as error:
        if store_of(site_dir) is not None and not isinstance(error, LostError):
            raise
        return False
    return True


def _kept(shared: Store | None, place: Path) -> bytes | None:
    """Return the content with this digest, without checking it. None if there is none."""
    return on_disk(place) if shared is None else shared.get(place.name)
