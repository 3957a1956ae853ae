"""What a ledger shows of itself, without a replay: its file, its triggers, its chain, and the files that its events name.

Each finding names the event, file or trigger that it is about. The file is read with SQLite alone. A damaged file is itself a
finding, and then the only one.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from ledger.evidence import names
from ledger.evidence.store import is_intact
from ledger.log.chain import event_hash
from ledger.log.columns import FIRST_HASH, HASHED
from ledger.stores.file import LEDGER_FILE, connect, explained
from ledger.stores.sqlite import TRIGGERS
from steps.errors import InputError, UnreachableError

PAGE = 2000
"""So many rows are read at once."""

_NAMED = "(instr(payload, '\"digest') OR instr(payload, '\"document\"'))"


class Finding(NamedTuple):
    """Something that is not as it must be: about what, and why."""

    where: str
    message: str


def faults_in(site_dir: Path, last: int) -> list[Finding]:
    """Return what is wrong up to an event. The file is opened here, so that another process can ask."""
    try:
        with explained(site_dir / LEDGER_FILE), closing(connect(site_dir)) as db:
            return faults(db, site_dir, last)
    except UnreachableError as error:
        return [Finding("file", error.what)]


def faults(db: sqlite3.Connection, site_dir: Path, last: int) -> list[Finding]:
    """Return what is wrong up to an event."""
    damage = [Finding("file", row[0]) for row in db.execute("PRAGMA quick_check") if row[0] != "ok"]
    return damage or [*_triggers(db), *_chain(db, last), *_evidence(db, site_dir, last), *_names(db, site_dir, last)]


def pages(
    db: sqlite3.Connection, columns: tuple[str, ...], last: int, where: str = "true"
) -> Iterator[tuple[Any, ...]]:
    """Yield rows of the event table up to an event, in order. `columns` begin with seq."""
    sql = f"SELECT {', '.join(columns)} FROM event WHERE seq > ? AND seq <= ? AND {where} ORDER BY seq LIMIT {PAGE}"  # noqa: S608  our words
    after = 0
    while rows := db.execute(sql, (after, last)).fetchall():
        yield from rows
        after = rows[-1][0]


def _triggers(db: sqlite3.Connection) -> Iterator[Finding]:
    there = dict(db.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"))
    for name, sql in TRIGGERS.items():
        if there.get(name) != sql:
            how = "missing" if name not in there else "changed"
            yield Finding(f"trigger {name}", f"{how}: the event table is not protected")
    for name in sorted(there.keys() - TRIGGERS.keys()):
        yield Finding(f"trigger {name}", "is not one of the ledger's: it could change what is recorded")


def _chain(db: sqlite3.Connection, last: int) -> Iterator[Finding]:
    before, expected = FIRST_HASH, 1
    columns = (*HASHED, "hash")
    for values in pages(db, columns, last):
        row = dict(zip(columns, values, strict=True))
        seq = row["seq"]
        if seq != expected:
            yield Finding(f"event {seq}", f"events {expected} to {seq - 1} are missing")
        if expected == 1 and row["kind"] != "genesis":
            yield Finding(f"event {seq}", "the first event is not genesis")
        if row["prev_hash"] != before:
            yield Finding(f"event {seq}", "does not follow the event before it: its chain is broken")
        try:
            actual = event_hash(row)
        except (ValueError, TypeError):
            actual = ""
        if actual != row["hash"]:
            yield Finding(f"event {seq}", f"{row['kind']} about {row['subject']} was changed after recording")
        before, expected = row["hash"], seq + 1


def _evidence(db: sqlite3.Connection, site_dir: Path, last: int) -> Iterator[Finding]:
    """Yield the files that an event names and that are not there, whatever the projections say."""
    looked: set[str] = set()
    for seq, subject, text in pages(db, ("seq", "subject", "payload"), last, _NAMED):
        try:
            payload = json.loads(text)
        except (ValueError, TypeError):
            continue  # the chain names it
        for digest in _digests(payload):
            if digest not in looked and not _is_there(site_dir, digest):
                yield Finding(f"evidence {digest[:12]}", f"missing or changed (event {seq}, {subject})")
            looked.add(digest)


def _is_there(site_dir: Path, digest: str) -> bool:
    """Return whether a file is there as its digest says. What is no digest has no file."""
    try:
        return is_intact(site_dir, digest)
    except InputError:
        return False


def _names(db: sqlite3.Connection, site_dir: Path, last: int) -> Iterator[Finding]:
    """Yield what is wrong with the documents that hold names. Those of redacted people are to be gone."""
    rows = pages(db, ("seq", "kind", "subject", "payload"), last, "kind IN ('plan.adopted', 'person.redacted')")
    for digest, message in names.faults(site_dir, rows):
        yield Finding(f"evidence {digest[:12]}", message)


def _digests(payload: Any) -> Iterator[str]:
    """Yield the digests of kept files in a payload: the values of `digest`, `document` and `digests`."""
    if isinstance(payload, list):
        for part in payload:
            yield from _digests(part)
    elif isinstance(payload, dict):
        for name, value in payload.items():
            if name in {"digest", "document"} and isinstance(value, str):
                yield value
            elif name == "digests" and isinstance(value, list):
                yield from value
            else:
                yield from _digests(value)
