"""Back up a site's record while the engine goes on writing, and restore a backup. Both are audited before they are accepted.

A backup has site.yaml, the CSV file of people that it names, the ledger, the evidence, the site's own file of anchors, and the
folder catalog/. It does not have inventory/ or anything else in .clusterwright/, because secrets may be there. It does not have
evidence in a bucket: back up the bucket itself.

SQLite's online backup copies the ledger as it is at one moment, and nobody has to wait. Evidence is copied after the ledger. A
file is in the store before an event names it, so no file is missing from the backup.
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
from ledger.trust.archive import EVIDENCE, Contents, Ending, Member, digest_of, is_a_place, pack, unpack
from ledger.trust.audit import Findings, audit
from schedule.errors import ClusterwrightError, InputError, NotSatisfiedError, UnreachableError

SITE_FILE = "site.yaml"
STORE = Path("evidence", "store.yaml")
"""The file that names the bucket of the evidence. The content of the bucket is not in a backup."""


class BackedUp(NamedTuple):
    """What was written, what was left out, and what the audit of the backup found.

    `redacted_but_named` are redacted people whose names are still in the site.yaml that was backed up.
    """

    contents: Contents
    size: int
    left_out: tuple[str, ...]
    findings: Findings
    redacted_but_named: tuple[str, ...]


class Restored(NamedTuple):
    """What was restored, and what the audit of it found.

    `named` are the people whose names were restored. A person who was redacted after the backup is among them: redact them
    again. `redacted_but_named` are redacted people whose names are still in the restored site.yaml.
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
    """Write a backup of a site to a new file, unpack it again beside it, and audit the unpacked copy.

    Raise NotSatisfiedError if the audit has findings, and leave no file, unless `damaged` accepts a damaged ledger. Events that are
    refused and changed nothing are only named. An existing file is never overwritten.
    """
    bring_home(site_dir)
    ledger_path(site_dir)
    if target.exists():
        raise InputError(f"{target} exists already", hint="a backup is never overwritten; name another file")
    if not target.parent.is_dir():
        raise InputError(f"{target.parent} is not a folder", hint="make it first, or name another")
    try:
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=".backing-up-") as scratch:
            aside, check = Path(scratch) / target.name, Path(scratch) / "check"
            members, left_out = _members(site_dir, Path(scratch))
            pack(aside, members, _last(Path(scratch)), made_at=made_at, program=program)
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
    """Copy every event and file of a shared ledger into the folder. A ledger that is not shared is left as it is."""
    if (cut_off := brought_up(site_dir, take_over)) is not None:
        raise UnreachableError(
            cut_off, hint="a backup of a shared ledger needs the database, which has all events and files"
        )
    url, store = database_of(site_dir), store_of(site_dir)
    if url is not None and store is not None:
        from ledger.stores.postgres import Database  # the driver is heavy, and most sites are a folder

        with Database(url) as database:
            for digest in database.digests():
                store.get(digest)  # without a check: the audit reports damaged files, and `damaged` decides


def restore(archive: Path, folder: Path, *, damaged: bool = False) -> Restored:
    """Restore a backup into an empty or a new folder, and audit it before it is in place.

    Raise NotSatisfiedError if the backup was changed, or if the audit has findings and `damaged` does not accept them. Then
    nothing of the backup is left in the folder.
    """
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
            # the ledger last: so a folder with a ledger has everything else too
            parts = list(Path(scratch).iterdir())
            for part in sorted(parts, key=lambda p: p.name == LEDGER_FILE):
                part.rename(folder / part.name)
    except BaseException as error:
        if made:
            shutil.rmtree(folder, ignore_errors=True)
        if isinstance(error, OSError):
            raise UnreachableError(f"{folder} cannot be written: {error.strerror}", hint="check free space") from None
        raise
    return restored


def _verified(archive: Path, folder: Path, *, damaged: bool) -> Restored:
    """Unpack an archive, audit its ledger, and compare the ledger with what the archive says about it."""
    contents = unpack(archive, folder)
    for path in (folder / "evidence").rglob("*"):
        if path.is_file():
            path.chmod(0o444)
    try:
        found = audit(folder)
        last = _last(folder)
    except ClusterwrightError as error:
        raise NotSatisfiedError(f"{archive.name} has no ledger that can be read: {error.what}") from None
    if last != contents[: len(last)]:
        raise NotSatisfiedError(
            f"{archive.name} is not what it says it is: its ledger ends with event {last.seq} of {last.site}, "
            f"not with event {contents.seq} of {contents.site}",
            hint="it was changed; take another backup",
        )
    wrong = found.with_effect
    if wrong and not damaged:
        named = "; ".join(f"{f.where} {f.message}" for f in wrong[:3])
        raise NotSatisfiedError(
            f"the copy has {len(wrong)} faults: {named}",
            hint="`clusterwright audit` lists the faults of the site; --damaged accepts them in the copy",
        )
    still = names.redacted_in_site_file(folder, _redacted(folder))
    return Restored(contents, found, tuple(names.people_named(folder)), tuple(still))


def _redacted(folder: Path) -> list[str]:
    with explained(folder / LEDGER_FILE), closing(connect(folder)) as connection:
        found = connection.execute("SELECT subject FROM event WHERE kind = 'person.redacted'").fetchall()
    return [str(subject).removeprefix("person/") for (subject,) in found]


def _members(site_dir: Path, scratch: Path) -> tuple[list[Member], list[str]]:
    """Copy the files that may change during the backup. Return all files to pack with their digests, and the paths left out."""
    # the anchors before the ledger: an anchor of an event that is not in the copy would be a finding
    single = (KEPT, Path(SITE_FILE), STORE)
    changing = [path for path in single if (site_dir / path).is_file()]
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
    """Return the files of people and of the site's own catalog, and the paths that are left out because they are no plain files in there."""
    files: list[Path] = []
    left_out: list[str] = []
    own = sorted((site_dir / "catalog").rglob("*"))
    people = names.people_file(site_dir)
    for path in own if people is None else [people, *own]:
        name = path.relative_to(site_dir) if path.is_relative_to(site_dir) else path
        is_plain = not path.is_symlink() and (path.is_file() or path.is_dir())
        if not is_plain or not is_a_place(name.as_posix()):
            left_out.append(name.as_posix())
        elif path.is_file():
            files.append(name)
    return files, left_out


def snapshot(site_dir: Path, target: Path) -> None:
    """Copy the ledger as it is at one moment into a single file."""
    with (
        explained(site_dir / LEDGER_FILE),
        closing(connect(site_dir)) as source,
        closing(sqlite3.connect(target)) as copy,
    ):
        source.backup(copy)
        copy.execute("PRAGMA journal_mode=DELETE")
        copy.execute("PRAGMA application_id=0")  # the backup of a shared ledger is a ledger of its own, not a copy


def _last(folder: Path) -> Ending:
    """Return the site and the last event of the ledger in a folder. Raise NotSatisfiedError if it has no genesis."""
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
