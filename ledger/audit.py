"""Can the ledger be believed? Chain, hashes, triggers, evidence, and a replay held against every row.

Each finding names the event, table or row it is about. An empty list is a green audit. Everything is read as it stood when
the audit began, however long it takes and whoever writes meanwhile.
"""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing, contextmanager
from itertools import zip_longest
from multiprocessing import get_context
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

from sqlalchemy import insert
from sqlmodel import Session, SQLModel

from ledger.anchors import KEPT, Anchor, Checked, checked, kept_anchors
from ledger.chain import Finding, faults, faults_in, pages
from ledger.file import ledger_path
from ledger.reads.connected import Connected
from ledger.replay import COLUMNS, event_of, replaying
from ledger.schema import memory_engine
from ledger.shared.following import brought_up
from ledger.shared.place import database_of
from ledger.tables import OPERATIONAL, EventRow
from ledger.upgrade import different_tables
from ledger.verifying import Met, Signatures, Verifier
from steps.errors import ClusterwrightError, UnreachableError

__all__ = ["Auditor", "Finding", "Findings", "audit"]

APART = 20_000
"""From so many events on a second process looks at chain and evidence while this one replays; it takes half a second to begin."""

TOGETHER = 1000
"""So many rows of a table are compared at once; only where they differ, row by row."""


class Head(NamedTuple):
    """The last event that the audit looks at."""

    seq: int
    hash: str


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
    brought_up(site_dir)
    with Auditor(site_dir) as auditor:
        found = auditor.run()
    if (url := database_of(site_dir)) is not None:
        from ledger.shared.auditing import shared_faults  # the driver is heavy, and most sites are a folder

        found += [Finding(*fault) for fault in shared_faults(site_dir, url)]
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
            reader.row("BEGIN")
            return self._looked_through(reader)
        except UnreachableError as error:
            return Findings([Finding("file", error.what)])
        finally:
            reader.close()

    def _looked_through(self, reader: Connected) -> Findings:
        """Look at what the ledger shows of itself, and at the replay only if nothing is wrong with that.

        A replay of forged or missing events says nothing that those findings do not say better.
        """
        head = Head(*(reader.row("SELECT seq, hash FROM event ORDER BY seq DESC LIMIT 1") or (0, "")))
        look = self._beside if head.seq >= APART else self._before
        return Findings(look(reader, head), events=head.seq, head=head.hash)

    def _before(self, reader: Connected, head: Head) -> list[Finding]:
        return faults(reader, head.seq) or list(self._against_replay(reader, head))

    def _beside(self, reader: Connected, head: Head) -> list[Finding]:
        """Replay while another process looks; what comes of events that it finds forged is forgotten."""
        with ProcessPoolExecutor(1, get_context("spawn")) as other:
            shown = other.submit(faults_in, self.site_dir, head.seq)
            try:
                replayed = list(self._against_replay(reader, head))
            except Exception:
                replayed = []
                if not shown.result():
                    raise
        if found := shown.result():
            self.close()
        return found or replayed

    def _against_replay(self, reader: Connected, head: Head) -> Iterator[Finding]:
        """Replay the events, unless just these were replayed, and hold every row against what they say."""
        if self._replay is None or self._replay.head != head:  # the chain holds: its last hash stands for every event
            self.close()
            self._replay = Replayed(head, reader, self.site_dir)
        yield from self._replay.findings
        if not self._replay.findings:
            given = dict(reader.rows("SELECT seq, signature FROM event WHERE signature IS NOT NULL"))
            for seq, why in self._signatures.faults(self._replay.met, given):
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

    def __init__(self, head: Head, reader: Connected, site_dir: Path) -> None:
        """Replay every event up to the head, and keep the statements that were met."""
        self.head = head
        self.met: dict[int, Met] = {}
        self.engine = memory_engine()
        with _uncollected():
            self.findings = list(self._replayed(reader, site_dir))

    def _replayed(self, reader: Connected, site_dir: Path) -> Iterator[Finding]:
        def hash_at(seq: int) -> str | None:
            found = reader.row("SELECT hash FROM event WHERE seq = ?", seq)
            return found[0] if found else None

        with Session(self.engine) as session, session.begin(), replaying(session, site_dir) as go_on:
            verifier = Verifier(session, hash_at)
            for values in pages(reader, COLUMNS, self.head.seq):
                row = dict(zip(COLUMNS, values, strict=True))
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
            self.met = verifier.met

    def compared(self, reader: Connected) -> Iterator[Finding]:
        """Hold the rows of the file against those of the replay."""
        connection = self.engine.raw_connection()
        try:
            older = set(different_tables(reader.rows)) if reader.is_older() else set()
            for table in sorted(SQLModel.metadata.tables.keys() - OPERATIONAL - older):
                yield from _compared(table, reader, connection)
        finally:
            connection.close()


@contextmanager
def _uncollected() -> Iterator[None]:
    """Leave Python's search for cycles out: a replay makes none, and it looks through all that is held again and again."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def _compared(table: str, reader: Connected, replayed: Any) -> Iterator[Finding]:
    columns = list(SQLModel.metadata.tables[table].columns.keys())
    keys = list(SQLModel.metadata.tables[table].primary_key.columns.keys())
    names = ", ".join(f'"{c}"' for c in columns)
    order = ", ".join(f'"{k}"' for k in keys)
    sql = f'SELECT {names} FROM "{table}" ORDER BY {order}'  # noqa: S608  names of our own tables
    cursor = replayed.cursor()
    cursor.execute(sql)
    replay = iter(lambda: cursor.fetchmany(TOGETHER), [])
    for held, again in _unequal(reader.batches(sql, TOGETHER), replay):
        if held is None or again is None:
            row = held or again
            how = "is missing" if held is None else "has no event that made it"
            yield Finding(f"{table} {_key(row, columns, keys)}", how)
            return
        if _key(held, columns, keys) != _key(again, columns, keys):
            yield Finding(f"{table} {_key(again, columns, keys)}", "is missing or does not belong")
            return
        for name, a, b in zip(columns, held, again, strict=True):
            if a != b:
                yield Finding(f"{table} {_key(held, columns, keys)}", f"{name} is {a!r}; its events say {b!r}")


def _unequal(held: Iterator[list[Any]], again: Iterator[list[Any]]) -> Iterator[tuple[Any, Any]]:
    """Give the pairs of rows that differ, looking at single rows only where whole batches do."""
    for some, others in zip_longest(held, again, fillvalue=()):
        if some != others:
            yield from (pair for pair in zip_longest(some, others) if pair[0] != pair[1])


def _key(row: tuple[Any, ...], columns: list[str], keys: list[str]) -> str:
    return "/".join(str(row[columns.index(k)]) for k in keys)
