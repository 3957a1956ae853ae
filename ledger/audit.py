"""Can the ledger be believed? Chain, hashes, triggers, evidence, and a replay held against every row.

Each finding names the event, table or row it is about. An empty list is a green audit. The file is read
with SQLite alone; a damaged file is itself a finding.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

from sqlmodel import Session, SQLModel

from ledger.events import FIRST_HASH, HASHED, Event, event_hash, read_payload
from ledger.evidence import is_intact
from ledger.file import ledger_path
from ledger.projector import apply
from ledger.projector.base import Projection
from ledger.reads.connected import Connected, words
from ledger.schema import TRIGGERS, memory_engine
from ledger.stamps import instant
from ledger.tables import OPERATIONAL
from steps.errors import ClusterwrightError, UnreachableError


class Finding(NamedTuple):
    """Something that is not as it must be: about what, and why."""

    where: str
    message: str


class Findings(list[Finding]):
    """Everything that is wrong, and how much was looked at; empty is green."""

    def __init__(self, findings: Iterable[Finding] = (), *, events: int = 0, head: str = "") -> None:
        """Keep how many events there are and the last one's hash."""
        super().__init__(findings)
        self.events = events
        self.head = head

    @property
    def findings(self) -> list[Finding]:
        """Give the findings as a plain list."""
        return list(self)


COLUMNS = (*HASHED, "hash", "signature")


def audit(site_dir: Path) -> Findings:
    """Give everything that is wrong with a site's ledger; empty is green."""
    ledger_path(site_dir)
    try:
        reader = Connected(site_dir)
    except UnreachableError as error:
        return Findings([Finding("file", error.what)])
    try:
        damage = [Finding("file", row[0]) for row in reader.rows("PRAGMA quick_check") if row[0] != "ok"]
        return Findings(damage) if damage else _looked_through(reader, Path(site_dir))
    except UnreachableError as error:
        return Findings([Finding("file", error.what)])
    finally:
        reader.close()


def _looked_through(reader: Connected, site_dir: Path) -> Findings:
    last = reader.row("SELECT seq, hash FROM event ORDER BY seq DESC LIMIT 1") or (0, "")
    found = [*_triggers(reader), *_chain(reader), *_evidence(reader)]
    # a replay of forged or missing events says nothing that these findings do not say better
    found = found or list(_replay(reader, site_dir))
    return Findings(found, events=last[0], head=last[1])


def _events(reader: Connected) -> Iterator[dict[str, Any]]:
    names = ", ".join(COLUMNS)
    after = 0
    while rows := reader.rows(
        f"SELECT {names} FROM event WHERE seq > ? ORDER BY seq LIMIT 2000",  # noqa: S608  our names
        after,
    ):
        for row in rows:
            yield dict(zip(COLUMNS, row, strict=True))
        after = rows[-1][0]


def _triggers(reader: Connected) -> Iterator[Finding]:
    there = dict(reader.rows("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"))
    for name, sql in TRIGGERS.items():
        if there.get(name) != sql:
            how = "missing" if name not in there else "changed"
            yield Finding(f"trigger {name}", f"{how}: the event table is not protected")


def _chain(reader: Connected) -> Iterator[Finding]:
    last, expected = FIRST_HASH, 1
    for row in _events(reader):
        seq = row["seq"]
        if seq != expected:
            yield Finding(f"event {seq}", f"events {expected} to {seq - 1} are missing")
        if expected == 1 and row["kind"] != "genesis":
            yield Finding(f"event {seq}", "the first event is not genesis")
        if row["prev_hash"] != last:
            yield Finding(f"event {seq}", "does not follow the event before it: its chain is broken")
        try:
            actual = event_hash(row)
        except (ValueError, TypeError):
            actual = ""
        if actual != row["hash"]:
            yield Finding(f"event {seq}", f"{row['kind']} about {row['subject']} was changed after recording")
        last, expected = row["hash"], seq + 1


def _evidence(reader: Connected) -> Iterator[Finding]:
    digests = {
        row[0]: row[1]
        for row in reader.rows(
            "SELECT document, 'plan revision ' || revision FROM plan_revision"
            " UNION ALL SELECT digest, activity || ' ' || kind FROM evidence_item"
        )
    }
    for row in reader.rows("SELECT activity, digests FROM attestation"):
        digests |= dict.fromkeys(words(row[1]), f"attestation of {row[0]}")
    for digest, about in sorted(digests.items()):
        if not is_intact(reader.site_dir, digest):
            yield Finding(f"evidence {digest[:12]}", f"missing or changed ({about})")


def _replay(reader: Connected, site_dir: Path) -> Iterator[Finding]:
    engine = memory_engine()
    try:
        with Session(engine) as session, session.begin():
            projection = Projection(session, site_dir)
            for row in _events(reader):
                try:
                    apply(projection, _event(row))
                except ClusterwrightError as error:
                    yield Finding(f"event {row['seq']}", f"does not replay: {error.what}")
                    return
        connection = engine.raw_connection()
        try:
            for table in sorted(SQLModel.metadata.tables):
                if table not in OPERATIONAL:
                    yield from _compared(table, reader, connection)
        finally:
            connection.close()
    finally:
        engine.dispose()


def _event(row: dict[str, Any]) -> Event:
    recorded, effective = instant(row["recorded_at"]), instant(row["effective_at"])
    assert recorded is not None
    assert effective is not None
    return Event(
        seq=row["seq"],
        recorded_at=recorded,
        effective_at=effective,
        actor=row["actor"],
        kind=row["kind"],
        schema_version=row["schema_version"],
        subject=row["subject"],
        plan_revision=row["plan_revision"],
        payload=read_payload(row["kind"], row["schema_version"], row["payload"]),
        hash=row["hash"],
    )


def _compared(table: str, reader: Connected, replayed: Any) -> Iterator[Finding]:
    columns = list(SQLModel.metadata.tables[table].columns.keys())
    keys = list(SQLModel.metadata.tables[table].primary_key.columns.keys())
    names = ", ".join(f'"{c}"' for c in columns)
    order = ", ".join(f'"{k}"' for k in keys)
    sql = f'SELECT {names} FROM "{table}" ORDER BY {order}'  # noqa: S608  names of our own tables
    cursor = replayed.cursor()
    cursor.execute(sql)
    for held, again in zip_longest(reader.rows(sql), cursor):
        if held is None or again is None:
            row = held or again
            how = "is missing" if held is None else "has no event that made it"
            yield Finding(f"{table} {_key(row, columns, keys)}", how)
            return
        if tuple(held) != tuple(again):
            if _key(held, columns, keys) != _key(again, columns, keys):
                yield Finding(f"{table} {_key(again, columns, keys)}", "is missing or does not belong")
                return
            for name, a, b in zip(columns, held, again, strict=True):
                if a != b:
                    yield Finding(
                        f"{table} {_key(held, columns, keys)}",
                        f"{name} is {a!r}; its events say {b!r}",
                    )


def _key(row: tuple[Any, ...], columns: list[str], keys: list[str]) -> str:
    return "/".join(str(row[columns.index(k)]) for k in keys)
