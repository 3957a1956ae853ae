"""Backing up a site's record while the engine writes, and restoring it. Both are audited before they count.

The database is copied by SQLite's online backup in one read transaction, so that writers go on. Evidence is copied after it,
since a file is in the store before an event names it. A backup holds site.yaml, the ledger, the evidence, the user's catalog/
and the anchors that the site kept. It does not hold inventory/ or .clusterwright/, which may contain secrets.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import tempfile
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from ledger.evidence import names
from ledger.evidence.store import store_of
from ledger.stores.file import LEDGER_FILE, connect, explained, ledger_path
from ledger.stores.following import brought_up
from ledger.stores.opening import take_over
from ledger.stores.place import database_of
from ledger.trust.anchors import KEPT
from ledger.trust.archive import EVIDENCE, Contents, Member, digest_of, is_a_place, pack, unpack
from ledger.trust.audit import Findings, audit
from steps.errors import ClusterwrightError, InputError, NotSatisfiedError, UnreachableError

SITE_FILE = "site.yaml"
STORE = Path("evidence", "store.yaml")
"""Names the bucket of the evidence. What is in the bucket is backed up with the bucket."""


class Ending(NamedTuple):
    """Which ledger it is, and where it ends."""

    site: str
    seq: int
    head: str
    rehearsal: bool


class BackedUp(NamedTuple):
    """What was written, what was left out, what the audit of it found, and whom its site.yaml should not name."""

    contents: Contents
    size: int
    left_out: tuple[str, ...]
    findings: Findings
    redacted_but_named: tuple[str, ...]


class Restored(NamedTuple):
    """What was restored, what the audit of it found, whom it names, and whom its site.yaml should not name.

    A backup does not know redactions that came after it: it still names people who were redacted since.
    """

    contents: Contents
    findings: Findings
    named: tuple[str, ...]
    redacted_but_named: tuple[str, ...]


def back_up(
    site_dir: Path,
    target: Path,
    *,
    made_at: datetime,
    program: str,
    damaged: bool = False,
) -> BackedUp:
    """Write a backup and return what is in it. One whose audit is not green is kept only where `damaged` allows it."""
    bring_home(site_dir)
    ledger_path(site_dir)
    if target.exists():
        raise InputError(f"{target} exists already", hint="a backup is never overwritten; name another file")
    if not target.parent.is_dir():
        raise InputError(f"{target.parent} is no folder")
    try:
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=".backing-up-") as scratch:
            aside, check = Path(scratch) / target.name, Path(scratch) / "check"
            members, left_out = _members(site_dir, Path(scratch))
            last = _last(Path(scratch))
            pack(aside, members, **last._asdict(), made_at=made_at, program=program)
            check.mkdir()
            restored = _verified(aside, check, damaged=damaged)
            _sync(aside)
            aside.rename(target)
    except OSError as error:
        raise UnreachableError(f"{target} cannot be written: {error.strerror}", hint="check free space") from None
    return BackedUp(
        restored.contents,
        target.stat().st_size,
        tuple(left_out),
        restored.findings,
        restored.redacted_but_named,
    )


def bring_home(site_dir: Path) -> None:
    """Copy every event and file of a shared ledger into the folder. Nothing happens where it is not shared."""
    if (cut_off := brought_up(site_dir, take_over)) is not None:
        raise UnreachableError(cut_off, hint="a backup of a shared ledger asks its database for everything it holds")
    url, store = database_of(site_dir), store_of(site_dir)
    if url is not None and store is not None:
        from ledger.stores.postgres import Database  # the driver is heavy, and most sites are a folder

        with Database(url) as database:
            for digest in database.digests():
                store.get(digest)  # unchecked: what is damaged is for the audit to name, and for `damaged` to let pass


def restore(archive: Path, folder: Path, *, damaged: bool = False) -> Restored:
    """Restore a backup into an empty folder. Where it does not match, or is not green, nothing is left behind."""
    if (folder / LEDGER_FILE).exists():
        raise InputError(f"{folder} has a ledger already", hint="a ledger is never overwritten; name an empty folder")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(f"{folder} is not empty", hint="name a new folder")
    made = not folder.exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder, prefix=".restoring-") as scratch:
            restored = _verified(archive, Path(scratch), damaged=damaged)
            os.sync()
            # the ledger last: a folder with a ledger in it is whole
            for part in sorted(Path(scratch).iterdir(), key=lambda p: p.name == LEDGER_FILE):
                part.rename(folder / part.name)
    except BaseException as error:
        if made:
            shutil.rmtree(folder, ignore_errors=True)
        if isinstance(error, OSError):
            raise UnreachableError(f"{folder} cannot be written: {error.strerror}", hint="check free space") from None
        raise
    return restored


def _verified(archive: Path, folder: Path, *, damaged: bool) -> Restored:
    """Unpack an archive, compare the ledger with what the archive says, and audit it."""
    contents = unpack(archive, folder)
    for path in (folder / "evidence").rglob("*"):
        if path.is_file():
            path.chmod(0o444)
    try:
        found = audit(folder)
        last = _last(folder)
    except ClusterwrightError as error:
        raise NotSatisfiedError(f"{archive.name} holds no ledger that can be read: {error.what}") from None
    if last != (contents.site, contents.seq, contents.hash, contents.rehearsal):
        raise NotSatisfiedError(
            f"{archive.name} is not what it says it is: its ledger ends with event {last.seq} of {last.site}, "
            f"not with event {contents.seq} of {contents.site}",
            hint="it was changed; take another backup",
        )
    if found and not damaged:
        named = "; ".join(f"{f.where} {f.message}" for f in found[:3])
        raise NotSatisfiedError(
            f"the copy has {len(found)} faults: {named}",
            hint="`clusterwright audit` lists those of the site; --damaged goes on all the same",
        )
    still = names.redacted_in_site_file(folder, _redacted(folder))
    return Restored(contents, found, tuple(names.people_named(folder)), tuple(still))


def _redacted(folder: Path) -> list[str]:
    with explained(folder / LEDGER_FILE), closing(connect(folder)) as connection:
        found = connection.execute("SELECT subject FROM event WHERE kind = 'person.redacted'").fetchall()
    return [str(subject).removeprefix("person/") for (subject,) in found]


def _members(site_dir: Path, scratch: Path) -> tuple[list[Member], list[str]]:
    """Copy what may change. Return every file with its digest, and what is not packed."""
    # anchors before the ledger: none may speak of an event that the copy has not got
    changing = [path for path in (KEPT, Path(SITE_FILE), STORE) if (site_dir / path).is_file()]
    overlay, left_out = _overlay(site_dir)
    for path in (*changing, *overlay):
        (scratch / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(site_dir / path, scratch / path)
    snapshot(site_dir, scratch / LEDGER_FILE)
    members = [
        Member(path.as_posix(), scratch / path, digest_of(scratch / path))
        for path in (*changing, *overlay, Path(LEDGER_FILE))
    ]
    for path in sorted((site_dir / "evidence").rglob("*")):
        if path.is_dir() and not path.is_symlink():
            continue
        name = path.relative_to(site_dir).as_posix()
        if EVIDENCE.fullmatch(name) and not path.is_symlink() and digest_of(path) == path.name:
            members.append(Member(name, path, path.name))
        elif not path.name.startswith(".new-") and name != STORE.as_posix():
            left_out.append(name)
    return members, left_out


def _overlay(site_dir: Path) -> tuple[list[Path], list[str]]:
    """Return the files of the user's own catalog, and what in it is no plain file."""
    files, left_out = [], []
    for path in sorted((site_dir / "catalog").rglob("*")):
        name = path.relative_to(site_dir)
        if path.is_symlink() or not (path.is_file() or path.is_dir()) or not is_a_place(name.as_posix()):
            left_out.append(name.as_posix())
        elif path.is_file():
            files.append(name)
    return files, left_out


def snapshot(site_dir: Path, target: Path) -> None:
    """Copy the database as it is at one moment, as a single file."""
    with (
        explained(site_dir / LEDGER_FILE),
        closing(connect(site_dir)) as source,
        closing(sqlite3.connect(target)) as copy,
    ):
        source.backup(copy)
        copy.execute("PRAGMA journal_mode=DELETE")
        copy.execute("PRAGMA application_id=0")  # a backup of a shared ledger's copy is a record of its own


def _last(folder: Path) -> Ending:
    """Return what a backup says of its ledger, read from the ledger."""
    with explained(folder / LEDGER_FILE), closing(connect(folder)) as connection:
        last = connection.execute("SELECT seq, hash FROM event ORDER BY seq DESC LIMIT 1").fetchone()
        first = connection.execute("SELECT payload FROM event WHERE seq = 1").fetchone()
    try:
        genesis = json.loads(first[0])
        return Ending(
            str(genesis["site_uuid"]),
            int(last[0]),
            str(last[1]),
            bool(genesis["rehearsal"]),
        )
    except (ValueError, KeyError, TypeError):
        raise NotSatisfiedError("the ledger has no genesis", hint="`clusterwright audit` says what is wrong") from None


def _sync(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())
