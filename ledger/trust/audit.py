"""Can the ledger be believed? Chain, hashes, triggers, evidence, and a replay that is compared with every row.

Each finding names the event, table or row that it is about. An empty list is a green audit. Everything is read as it was when
the audit began, however long it takes and whoever writes meanwhile.
"""

from __future__ import annotations

import gc
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing, contextmanager
from itertools import zip_longest
from multiprocessing import get_context
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

from sqlalchemy import insert
from sqlmodel import SQLModel

from ledger.evidence.store import SiteFiles
from ledger.log.columns import COLUMNS
from ledger.log.events import event_of
from ledger.state.projection import Projection
from ledger.state.projector import replaying
from ledger.stores.file import LEDGER_FILE, connect, explained, is_older, ledger_path
from ledger.stores.following import brought_up
from ledger.stores.opening import take_over
from ledger.stores.place import database_of
from ledger.stores.sqlite import OPERATIONAL, different_tables, memory_engine
from ledger.trust.anchors import KEPT, Anchor, Comparison, checked, kept_anchors
from ledger.trust.chain import Finding, faults, faults_in, pages
from ledger.trust.verifying import Met, Signatures, Verifier
from steps.errors import ClusterwrightError, UnreachableError

APART = 20_000
"""From so many events on a second process looks at chain and evidence while this one replays. It takes half a second to begin."""

TOGETHER = 1000
"""So many rows of a table are compared at once. Only where they differ are they compared row by row."""


class Last(NamedTuple):
    """The last event that the audit looks at."""

    seq: int
    hash: str


class Findings(list[Finding]):
    """Everything that is wrong, and how much was looked at. Empty is green."""

    def __init__(
        self,
        findings: Iterable[Finding] = (),
        *,
        events: int = 0,
        head: str = "",
    ) -> None:
        """Keep how many events there are and the last one's hash."""
        super().__init__(findings)
        self.events = events
        self.head = head
        self.anchors = Comparison((), 0, 0)


def audit(site_dir: Path, anchors: Iterable[Anchor] = ()) -> Findings:
    """Return everything that is wrong with a site's ledger. Empty is green.

    It is compared with the anchors that the site kept, and with those given.
    """
    brought_up(site_dir, take_over)
    with Auditor(site_dir) as auditor:
        found = auditor.run()
    if (url := database_of(site_dir)) is not None:
        from ledger.trust.shared_audit import shared_faults  # the driver is heavy, and most sites are a folder

        found += [Finding(*fault) for fault in shared_faults(site_dir, url)]
    try:
        known = [*kept_anchors(site_dir), *anchors]
    except ClusterwrightError as error:
        known = list(anchors)
        found.append(Finding(str(KEPT), error.what))
    if known and found.events:
        with explained(site_dir / LEDGER_FILE), closing(connect(site_dir)) as db:
            found.anchors = checked(db, known)
        found += [Finding(*broken) for broken in found.anchors.broken]
    return found


class Auditor:
    """Audits a site as often as asked. Events that were replayed once are not replayed again."""

    def __init__(self, site_dir: Path) -> None:
        """Take the site's folder. Nothing is opened until it is audited."""
        self.site_dir = Path(site_dir)
        self._replay: Replayed | None = None
        self._signatures = Signatures()

    def run(self) -> Findings:
        """Look at everything."""
        path = ledger_path(self.site_dir)
        try:
            with explained(path), closing(connect(self.site_dir)) as db:
                db.execute("BEGIN")
                return self._looked_through(db)
        except UnreachableError as error:
            return Findings([Finding("file", error.what)])

    def _looked_through(self, db: sqlite3.Connection) -> Findings:
        """Look at what the ledger shows of itself, and at the replay only if nothing is wrong with that.

        A replay of forged or missing events says nothing that those findings do not say better.
        """
        last = Last(*(db.execute("SELECT seq, hash FROM event ORDER BY seq DESC LIMIT 1").fetchone() or (0, "")))
        look = self._beside if last.seq >= APART else self._before
        return Findings(look(db, last), events=last.seq, head=last.hash)

    def _before(self, db: sqlite3.Connection, last: Last) -> list[Finding]:
        return faults(db, self.site_dir, last.seq) or list(self._against_replay(db, last))

    def _beside(self, db: sqlite3.Connection, last: Last) -> list[Finding]:
        """Replay while another process looks. Where that finds events forged, what the replay found is dropped."""
        with ProcessPoolExecutor(1, get_context("spawn")) as other:
            shown = other.submit(faults_in, self.site_dir, last.seq)
            try:
                replayed = list(self._against_replay(db, last))
            except Exception:
                replayed = []
                if not shown.result():
                    raise
        if found := shown.result():
            self.close()
        return found or replayed

    def _against_replay(self, db: sqlite3.Connection, last: Last) -> Iterator[Finding]:
        """Replay the events, unless just these were replayed, and compare every row with what they say."""
        if self._replay is None or self._replay.last != last:  # the chain holds: its last hash covers every event
            self.close()
            self._replay = Replayed(last, db, self.site_dir)
        yield from self._replay.findings
        if not self._replay.findings:
            given = dict(db.execute("SELECT seq, signature FROM event WHERE signature IS NOT NULL"))
            for seq, why in self._signatures.faults(self._replay.met, given):
                yield Finding(f"event {seq}", why)
            yield from self._replay.compared(db)

    def close(self) -> None:
        """Forget the replay."""
        if self._replay is not None:
            self._replay.engine.dispose()
            self._replay = None

    def __enter__(self) -> Self:
        """Return the auditor."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        """Forget the replay."""
        self.close()


class Replayed:
    """What a ledger's events say, in memory, and what was wrong with them in the replay."""

    def __init__(self, last: Last, db: sqlite3.Connection, site_dir: Path) -> None:
        """Replay every event up to the last, and keep the statements that were met."""
        self.last = last
        self.met: dict[int, Met] = {}
        self.engine = memory_engine()
        with _uncollected():
            self.findings = list(self._replayed(db, site_dir))

    def _replayed(self, db: sqlite3.Connection, site_dir: Path) -> Iterator[Finding]:
        def hash_at(seq: int) -> str | None:
            found = db.execute("SELECT hash FROM event WHERE seq = ?", (seq,)).fetchone()
            return found[0] if found else None

        with self.engine.begin() as connection, replaying(connection, SiteFiles(site_dir)) as projection:
            verifier = Verifier(projection, site_dir, hash_at)
            self.met = verifier.met
            for values in pages(db, COLUMNS, self.last.seq):
                row = dict(zip(COLUMNS, values, strict=True))
                try:
                    yield from _replay(row, projection, verifier)
                except ClusterwrightError as error:
                    yield Finding(f"event {row['seq']}", f"does not replay: {error.what}")
                    return

    def compared(self, db: sqlite3.Connection) -> Iterator[Finding]:
        """Compare the rows of the file with those of the replay."""
        connection = self.engine.raw_connection()
        try:
            older = set(different_tables(db.execute)) if is_older(db) else set()
            for table in sorted(SQLModel.metadata.tables.keys() - OPERATIONAL - older):
                yield from _compared(table, db, connection)
        finally:
            connection.close()


def _replay(
    row: dict[str, Any],
    projection: Projection,
    verifier: Verifier,
) -> Iterator[Finding]:
    event = event_of(row)
    for wrong in verifier.before(event):
        yield Finding(f"event {event.seq}", f"{event.kind} about {event.subject} {wrong}")
    projection.apply(event)
    if event.seq == 1:  # statements name the hash of genesis
        projection.connection.execute(insert(SQLModel.metadata.tables["event"]), [row])


@contextmanager
def _uncollected() -> Iterator[None]:
    """Turn off Python's search for cycles: a replay makes none, and the search goes through everything again and again."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def _compared(table: str, db: sqlite3.Connection, replayed: Any) -> Iterator[Finding]:
    columns = list(SQLModel.metadata.tables[table].columns.keys())
    keys = list(SQLModel.metadata.tables[table].primary_key.columns.keys())
    names = ", ".join(f'"{c}"' for c in columns)
    order = ", ".join(f'"{k}"' for k in keys)
    sql = f'SELECT {names} FROM "{table}" ORDER BY {order}'  # noqa: S608  names of our own tables
    there, again = db.execute(sql), replayed.cursor()
    again.execute(sql)
    for row, expected in _unequal(_batches(there), _batches(again)):
        if row is None or expected is None:
            how = "is missing" if row is None else "has no event that made it"
            yield Finding(f"{table} {_key(row or expected, columns, keys)}", how)
            return
        if _key(row, columns, keys) != _key(expected, columns, keys):
            yield Finding(f"{table} {_key(expected, columns, keys)}", "is missing or does not belong")
            return
        for name, a, b in zip(columns, row, expected, strict=True):
            if a != b:
                yield Finding(f"{table} {_key(row, columns, keys)}", f"{name} is {a!r}; its events say {b!r}")


def _batches(cursor: sqlite3.Cursor) -> Iterator[list[Any]]:
    return iter(lambda: cursor.fetchmany(TOGETHER), [])


def _unequal(
    rows: Iterator[list[Any]],
    expected: Iterator[list[Any]],
) -> Iterator[tuple[Any, Any]]:
    """Yield the pairs of rows that differ. Single rows are looked at only where whole batches differ."""
    for some, others in zip_longest(rows, expected, fillvalue=()):
        if some != others:
            yield from (pair for pair in zip_longest(some, others) if pair[0] != pair[1])


def _key(
    row: Sequence[Any],
    columns: list[str],
    keys: list[str],
) -> str:
    return "/".join(str(row[columns.index(k)]) for k in keys)
