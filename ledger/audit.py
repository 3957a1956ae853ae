"""Can the ledger be believed? Chain, hashes, triggers, evidence, and a replay held against every row.

Each finding names the event, table or row it is about. An empty list is a green audit. The file is read
with SQLite alone; a damaged file is itself a finding.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import closing
from itertools import zip_longest
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

from sqlalchemy import Engine, insert
from sqlmodel import Session, SQLModel

from ledger import names
from ledger.anchors import KEPT, Anchor, Checked, checked, kept_anchors
from ledger.events import FIRST_HASH, event_hash
from ledger.evidence import is_intact
from ledger.file import ledger_path
from ledger.reads.connected import Connected
from ledger.replay import COLUMNS, event_of, replaying
from ledger.schema import TRIGGERS, memory_engine
from ledger.tables import OPERATIONAL, EventRow
from ledger.upgrade import different_tables
from ledger.verifying import Met, Signatures, Verifier
from steps.errors import ClusterwrightError, InputError, UnreachableError


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
        self.anchors = Checked((), 0, 0)

    @property
    def findings(self) -> list[Finding]:
        """Give the findings as a plain list."""
        return list(self)


def audit(site_dir: Path, anchors: Iterable[Anchor] = ()) -> Findings:
    """Give everything that is wrong with a site's ledger; empty is green.

    It is held against the anchors that the site kept, and against those given.
    """
    with Auditor(site_dir) as auditor:
        found = auditor.run()
    try:
        held = [*kept_anchors(site_dir), *anchors]
    except ClusterwrightError as error:
        held = list(anchors)
        found.append(Finding(str(KEPT), error.what))
    if held and found.events:
        with closing(Connected(site_dir)) as reader:
            found.anchors = checked(reader, held)
        found += [Finding(*broken) for broken in found.anchors.broken]
    return found


class Auditor:
    """Audits a site as often as asked; events that were replayed once are not replayed again."""

    def __init__(self, site_dir: Path) -> None:
        """Name the site; nothing is opened until it is audited."""
        self.site_dir = Path(site_dir)
        self._replay: Replayed | None = None
        self._signatures = Signatures()

    def run(self) -> Findings:
        """Look at everything."""
        ledger_path(self.site_dir)
        try:
            reader = Connected(self.site_dir)
        except UnreachableError as error:
            return Findings([Finding("file", error.what)])
        try:
            damage = [Finding("file", row[0]) for row in reader.rows("PRAGMA quick_check") if row[0] != "ok"]
            return Findings(damage) if damage else self._looked_through(reader)
        except UnreachableError as error:
            return Findings([Finding("file", error.what)])
        finally:
            reader.close()

    def _looked_through(self, reader: Connected) -> Findings:
        last = reader.row("SELECT seq, hash FROM event ORDER BY seq DESC LIMIT 1") or (0, "")
        found = [*_triggers(reader), *_chain(reader), *_evidence(reader), *_names(reader)]
        # a replay of forged or missing events says nothing that these findings do not say better
        found = found or list(self._against_replay(reader))
        return Findings(found, events=last[0], head=last[1])

    def _against_replay(self, reader: Connected) -> Iterator[Finding]:
        """Replay the events, unless just these were replayed, and hold every row against what they say."""
        signatures: dict[int, str | None] = dict(reader.rows("SELECT seq, signature FROM event"))
        last = reader.row("SELECT hash FROM event ORDER BY seq DESC LIMIT 1")
        head = last[0] if last else ""  # the chain holds: the last hash stands for every event
        if self._replay is None or self._replay.head != head:
            self.close()
            self._replay = Replayed(head, reader, self.site_dir)
        yield from self._replay.findings
        if not self._replay.findings:
            for seq, why in self._signatures.faults(self._replay.met, signatures):
                yield Finding(f"event {seq}", why)
            yield from self._replay.compared(reader)

    def close(self) -> None:
        """Let go of the replay."""
        if self._replay is not None:
            self._replay.engine.dispose()
            self._replay = None

    def __enter__(self) -> Self:
        """Give the auditor."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Let go."""
        self.close()


class Replayed:
    """What a ledger's events say, in memory, and what was wrong with them on the way."""

    def __init__(self, head: str, reader: Connected, site_dir: Path) -> None:
        """Replay every event up to the head, and keep the statements that were met."""
        self.head = head
        self.met: dict[int, Met] = {}
        self.engine = memory_engine()
        self.findings = list(_replayed(self.engine, reader, site_dir, self.met))

    def compared(self, reader: Connected) -> Iterator[Finding]:
        """Hold the rows of the file against those of the replay."""
        connection = self.engine.raw_connection()
        try:
            older = set(different_tables(reader.rows)) if reader.is_older() else set()
            for table in sorted(SQLModel.metadata.tables.keys() - OPERATIONAL - older):
                yield from _compared(table, reader, connection)
        finally:
            connection.close()


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
    for name in sorted(there.keys() - TRIGGERS.keys()):
        yield Finding(f"trigger {name}", "is not one of the ledger's: it could change what is recorded")


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
    """Look at every file that an event speaks of, whatever the projections say."""
    looked: set[str] = set()
    for row in _events(reader):
        try:
            said = json.loads(row["payload"])
        except (ValueError, TypeError):
            continue  # the chain names it
        for digest in _digests(said):
            if digest not in looked and not _is_there(reader.site_dir, digest):
                yield Finding(f"evidence {digest[:12]}", f"missing or changed (event {row['seq']}, {row['subject']})")
            looked.add(digest)


def _is_there(site_dir: Path, digest: str) -> bool:
    """Say whether a file is there as its digest says; what is no digest has no file."""
    try:
        return is_intact(site_dir, digest)
    except InputError:
        return False


def _names(reader: Connected) -> Iterator[Finding]:
    """Look at every document that holds a name; those of redacted people are to be gone."""
    rows = reader.rows(
        "SELECT seq, kind, subject, payload FROM event WHERE kind IN ('plan.adopted', 'person.redacted') ORDER BY seq"
    )
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


def _replayed(engine: Engine, reader: Connected, site_dir: Path, met: dict[int, Met]) -> Iterator[Finding]:
    hashes: dict[int, str] = {}
    with Session(engine) as session, session.begin(), replaying(session, site_dir) as go_on:
        verifier = Verifier(session, hashes)
        for row in _events(reader):
            try:
                event = event_of(row)
                for wrong in verifier.before(event):
                    yield Finding(f"event {event.seq}", f"{event.kind} about {event.subject} {wrong}")
                go_on(event)
            except ClusterwrightError as error:
                yield Finding(f"event {row['seq']}", f"does not replay: {error.what}")
                return
            if event.seq == 1:  # statements name the hash of genesis
                session.execute(insert(EventRow), [row])
            hashes[event.seq] = event.hash
        met |= verifier.met


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
