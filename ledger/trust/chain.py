"""The part of the audit that needs no replay: the database file, its triggers, the hash chain, and the files of events.

Each finding names its event, file or trigger. Only SQLite reads the file. If the file is damaged, that is the only finding,
because nothing in it can be relied on.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from ledger.evidence import names
from ledger.evidence.store import is_intact
from ledger.log.chain import hash_of
from ledger.log.columns import FIRST_HASH, HASHED
from ledger.rules.access import ENGINE
from ledger.stored_fields import fields_of
from ledger.stores.file import LEDGER_FILE, connect, explained, is_older
from ledger.stores.sqlite import TRIGGERS
from ledger.trust.sshsig import Maker, maker
from ledger.trust.statements import Place, event_text, signed_text
from schedule.errors import DamagedError, InputError

PAGE = 2000
"""How many rows are read at once."""

_NAMED = "(instr(payload, '\"digest') OR instr(payload, '\"document\"'))"


class Finding(NamedTuple):
    """A fault that the audit found: where it is, and what is wrong. `refused` is true if the rules refuse the event."""

    where: str
    message: str
    refused: bool = False


BEGINNING = Place(0, FIRST_HASH)

DATABASE = "database"
"""Where a finding is if the database of a shared ledger could not be reached, so that nothing was compared with it."""


class Looked(NamedTuple):
    """What a look at the chain found, and by whom the signatures are: the events of each maker."""

    faults: list[Finding]
    makers: dict[Maker, list[int]]


def looked_through(site_dir: Path, last: int) -> Looked:
    """Return what is wrong up to the event `last`, and who made the signatures if the events are as they were recorded.

    The file is opened here, so that another process can call this.
    """
    try:
        with explained(site_dir / LEDGER_FILE), closing(connect(site_dir)) as db:
            found = faults(db, site_dir, last)
            return Looked(found, makers(db, last) if are_of_files(found) else {})
    except DamagedError as error:
        return Looked([Finding("file", error.what)], {})


def makers(db: sqlite3.Connection, last: int) -> dict[Maker, list[int]]:
    """Return the signed events of each key and namespace. An event whose signature is not plainly right is in none."""
    found: dict[Maker, list[int]] = {}
    columns = ("seq", "actor", "hash", "payload", "signature")
    for seq, actor, digest, payload, signature in pages(db, columns, last, "signature IS NOT NULL"):
        text = event_text(digest) if actor == ENGINE else _statement_text(payload)
        made_by = None if text is None else maker(text, signature)
        if made_by is not None:
            found.setdefault(made_by, []).append(seq)
    return found


def _statement_text(payload: str) -> str | None:
    statement = fields_of(payload).get("statement")
    return signed_text(statement) if isinstance(statement, str) else None


def faults(
    db: sqlite3.Connection,
    site_dir: Path,
    last: int,
    start: Place = BEGINNING,
) -> list[Finding]:
    """Return what is wrong after an event, `start`, up to the event `last`. The pages of the file are read for all events only."""
    if start == BEGINNING:
        said = [row[0] for row in db.execute("PRAGMA quick_check")]
        if said != ["ok"]:
            return [Finding("file", text) for text in said]
    rest = (db, site_dir, last, start.seq)
    of_files = [*_evidence(*rest), *_names(*rest)]
    return [*_triggers(db), *_chain(db, last, start), *of_files]


def are_of_files(found: Iterable[Finding]) -> bool:
    """Return whether findings are about files of the evidence store alone. Then the events are as they were recorded."""
    return all(finding.where.startswith("evidence ") for finding in found)


def pages(
    db: sqlite3.Connection,
    columns: tuple[str, ...],
    last: int,
    where: str = "true",
    *,
    after: int = 0,
) -> Iterator[tuple[Any, ...]]:
    """Yield rows of the event table after one event up to the event `last`, in order. The first of `columns` is seq."""
    sql = f"SELECT {', '.join(columns)} FROM event WHERE seq > ? AND seq <= ? AND {where} ORDER BY seq LIMIT {PAGE}"  # noqa: S608  our words
    while rows := db.execute(sql, (after, last)).fetchall():
        yield from rows
        after = rows[-1][0]


def _triggers(db: sqlite3.Connection) -> Iterator[Finding]:
    there = dict(db.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"))
    for name, sql in TRIGGERS.items():
        if there.get(name) != sql:
            how = "missing" if name not in there else "changed"
            yield Finding(f"trigger {name}", f"{how}: events can be changed or deleted")
    for name in sorted(there.keys() - TRIGGERS.keys()):
        yield Finding(f"trigger {name}", "is not one of the ledger's triggers: it may change what is recorded")


def _chain(db: sqlite3.Connection, last: int, start: Place) -> Iterator[Finding]:
    before, expected = start.hash, start.seq + 1
    columns = (*HASHED, "hash")
    for values in pages(db, columns, last, after=start.seq):
        row = dict(zip(columns, values, strict=True))
        seq = row["seq"]
        if seq != expected:
            yield Finding(f"event {seq}", f"events {expected} to {seq - 1} are missing")
        if expected == 1 and row["kind"] != "genesis":
            yield Finding(f"event {seq}", "the first event is not genesis")
        if row["prev_hash"] != before:
            yield Finding(f"event {seq}", "does not follow the event before it: the hash chain is broken")
        if hash_of(row) != row["hash"]:
            yield Finding(f"event {seq}", f"{row['kind']} about {row['subject']} was changed after recording")
        before, expected = row["hash"], seq + 1


def _evidence(
    db: sqlite3.Connection,
    site_dir: Path,
    last: int,
    after: int,
) -> Iterator[Finding]:
    """Yield the files that events name and that are missing or changed. Refused events may name what they like."""
    looked: set[str] = set()
    refused = set(refused_in(db))
    columns = ("seq", "subject", "payload")
    for seq, subject, text in pages(db, columns, last, _NAMED, after=after):
        if seq in refused:
            continue
        for digest in digests_in(text):
            if digest not in looked and not _is_there(site_dir, digest):
                yield Finding(f"evidence {digest[:12]}", f"missing or changed (event {seq}, {subject})")
            looked.add(digest)


def refused_in(db: sqlite3.Connection) -> list[int]:
    """Return the events that a file notes as refused. Only a copy of a shared log has any."""
    if is_older(db):
        return []
    return [seq for (seq,) in db.execute("SELECT seq FROM refused ORDER BY seq")]


def _is_there(site_dir: Path, digest: str) -> bool:
    """Return whether a file is in the store with this digest. False for text that is no digest."""
    try:
        return is_intact(site_dir, digest)
    except InputError:
        return False


def _names(
    db: sqlite3.Connection,
    site_dir: Path,
    last: int,
    after: int,
) -> Iterator[Finding]:
    """Yield faults in the documents with people's names: missing or changed ones, and those of redacted people that still exist."""
    columns = ("seq", "kind", "subject", "payload")
    rows = pages(db, columns, last, "kind IN ('plan.adopted', 'person.redacted')", after=after)
    refused = set(refused_in(db))
    counting = (row for row in rows if row[0] not in refused)
    for digest, message in names.faults(site_dir, counting):
        yield Finding(f"evidence {digest[:12]}", message)


def digests_in(payload: object) -> list[str]:
    """Return the digests of stored files in a stored payload. Empty for one that nobody can read, which the replay reports."""
    try:
        return list(_digests(fields_of(payload)))
    except RecursionError:
        return []


def _digests(payload: Any) -> Iterator[str]:
    """Yield the digests of stored files in a payload: the values of `digest`, `document`, `authority` and `digests`."""
    if isinstance(payload, list):
        for part in payload:
            yield from _digests(part)
    elif isinstance(payload, dict):
        for name, value in payload.items():
            if name in {"digest", "document", "authority"} and isinstance(value, str):
                yield value
            elif name == "digests" and isinstance(value, list):
                yield from (digest for digest in value if isinstance(digest, str))
            else:
                yield from _digests(value)
