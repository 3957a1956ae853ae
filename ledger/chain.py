"""What a ledger shows of itself, without a replay: its file, its triggers, its chain, and the files its events name.

Each finding names the event, file or trigger it is about. The file is read with SQLite alone; a damaged file is itself a
finding, and the only one.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from ledger import names
from ledger.events import FIRST_HASH, HASHED, event_hash
from ledger.evidence import is_intact
from ledger.reads.connected import Connected
from ledger.schema import TRIGGERS
from steps.errors import InputError, UnreachableError

PAGE = 2000
"""So many rows are read at once."""


class Finding(NamedTuple):
    """Something that is not as it must be: about what, and why."""

    where: str
    message: str


def faults_in(site_dir: Path, last: int) -> list[Finding]:
    """Give what is wrong up to an event; opens the file for itself, so that another process can."""
    try:
        with closing(Connected(site_dir)) as reader:
            return faults(reader, last)
    except UnreachableError as error:
        return [Finding("file", error.what)]


def faults(reader: Connected, last: int) -> list[Finding]:
    """Give what is wrong up to an event."""
    damage = [Finding("file", row[0]) for row in reader.rows("PRAGMA quick_check") if row[0] != "ok"]
    return damage or [*_triggers(reader), *_chain(reader, last), *_evidence(reader, last), *_names(reader, last)]


def pages(reader: Connected, columns: tuple[str, ...], last: int, where: str = "true") -> Iterator[tuple[Any, ...]]:
    """Give rows of the event table up to an event, in order; `columns` begin with seq."""
    sql = f"SELECT {', '.join(columns)} FROM event WHERE seq > ? AND seq <= ? AND {where} ORDER BY seq LIMIT {PAGE}"  # noqa: S608  our words
    after = 0
    while rows := reader.rows(sql, after, last):
        yield from rows
        after = rows[-1][0]


def _triggers(reader: Connected) -> Iterator[Finding]:
    there = dict(reader.rows("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"))
    for name, sql in TRIGGERS.items():
        if there.get(name) != sql:
            how = "missing" if name not in there else "changed"
            yield Finding(f"trigger {name}", f"{how}: the event table is not protected")
    for name in sorted(there.keys() - TRIGGERS.keys()):
        yield Finding(f"trigger {name}", "is not one of the ledger's: it could change what is recorded")


def _chain(reader: Connected, last: int) -> Iterator[Finding]:
    before, expected = FIRST_HASH, 1
    columns = (*HASHED, "hash")
    for values in pages(reader, columns, last):
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


def _evidence(reader: Connected, last: int) -> Iterator[Finding]:
    """Look at every file that an event speaks of, whatever the projections say."""
    looked: set[str] = set()
    columns = ("seq", "subject", "payload")
    speaks = """(instr(payload, '"digest') OR instr(payload, '"document"'))"""
    for seq, subject, payload in pages(reader, columns, last, speaks):
        try:
            said = json.loads(payload)
        except (ValueError, TypeError):
            continue  # the chain names it
        for digest in _digests(said):
            if digest not in looked and not _is_there(reader.site_dir, digest):
                yield Finding(f"evidence {digest[:12]}", f"missing or changed (event {seq}, {subject})")
            looked.add(digest)


def _is_there(site_dir: Path, digest: str) -> bool:
    """Say whether a file is there as its digest says; what is no digest has no file."""
    try:
        return is_intact(site_dir, digest)
    except InputError:
        return False


def _names(reader: Connected, last: int) -> Iterator[Finding]:
    """Look at every document that holds a name; those of redacted people are to be gone."""
    rows = pages(reader, ("seq", "kind", "subject", "payload"), last, "kind IN ('plan.adopted', 'person.redacted')")
    for digest, message in names.faults(reader.site_dir, rows):
        yield Finding(f"evidence {digest[:12]}", message)


def _digests(said: Any) -> Iterator[str]:
    """Give the digests of kept files in a payload: what stands under `digest`, `document` or `digests`."""
    if isinstance(said, list):
        for part in said:
            yield from _digests(part)
    elif isinstance(said, dict):
        for name, value in said.items():
            if name in {"digest", "document"} and isinstance(value, str):
                yield value
            elif name == "digests" and isinstance(value, list):
                yield from value
            else:
                yield from _digests(value)
