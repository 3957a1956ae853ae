"""The audit of a ledger: the hash chain, the triggers, the evidence, signatures, and a replay whose rows must be the same.

Each finding names the event, table or row that it is about. Without findings the audit is green. Everything is read as it was
when the audit began. Events that are recorded during the audit are not in it.
"""

from __future__ import annotations

import gc
import hashlib
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import AbstractContextManager, closing, contextmanager
from itertools import zip_longest
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import insert
from sqlmodel import SQLModel

from ledger.evidence.store import SiteFiles
from ledger.log.columns import COLUMNS
from ledger.state.projection import Projection
from ledger.state.projector import replaying
from ledger.stores.file import LEDGER_FILE, connect, explained, is_older, ledger_path
from ledger.stores.following import brought_up
from ledger.stores.opening import take_over
from ledger.stores.place import database_of
from ledger.stores.sqlite import OPERATIONAL, different_tables, memory_engine
from ledger.trust.anchors import KEPT, Anchor, Comparison, checked, kept_anchors
from ledger.trust.chain import Finding, are_of_files, faults, looked_through, pages
from ledger.trust.judging import Judge
from ledger.trust.record import EVENT, Recorded, recorded
from ledger.trust.replaying import Deferred, ReplayRecord
from ledger.trust.sshsig import Maker
from steps.errors import ClusterwrightError, UnreachableError

APART = 20_000
"""From how many events on a second process checks the chain and the evidence while this one replays.

Starting that process takes half a second.
"""

TOGETHER = 1000
"""How many rows of a table are compared at once. If they differ, they are compared row by row."""


class Last(NamedTuple):
    """The last event in the audit: its number and its hash. Hashes do not cover signatures, so these have a digest of their own."""

    seq: int
    hash: str
    signatures: str


class Findings(list[Finding]):
    """Everything that is wrong. Empty if the audit is green. `events` is the number of audited events, `head` the last one's hash."""

    def __init__(
        self,
        findings: Iterable[Finding] = (),
        *,
        events: int = 0,
        head: str = "",
    ) -> None:
        """Take the findings, the number of events, and the last one's hash."""
        super().__init__(findings)
        self.events = events
        self.head = head
        self.anchors = Comparison((), 0, 0)


def audit(site_dir: Path, anchors: Iterable[Anchor] = ()) -> Findings:
    """Return everything that is wrong with a site's ledger. Empty if the audit is green.

    The ledger is also compared with the site's own file of anchors and with `anchors`. If the ledger is shared, the database is
    compared with the copy in the folder.
    """
    brought_up(site_dir, take_over)
    with Auditor(site_dir) as auditor:
        found = auditor.run()
    if (url := database_of(site_dir)) is not None:
        from ledger.trust.shared_audit import shared_faults  # the driver is heavy, and most sites are a folder

        found += shared_faults(site_dir, url)
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


class Auditor(AbstractContextManager["Auditor"]):
    """Audits a site, any number of times. Events are replayed again only if there are new ones.

    If the replay refuses events that the file has applied, its rows are not compared: they would only repeat that, less clearly.
    """

    def __init__(self, site_dir: Path) -> None:
        """Take the site's folder. Nothing is opened before the first audit."""
        self.site_dir = Path(site_dir)
        self._replay: Replayed | None = None

    def run(self) -> Findings:
        """Return what is wrong with the ledger in the folder. Empty if nothing is."""
        path = ledger_path(self.site_dir)
        try:
            with explained(path), closing(connect(self.site_dir)) as db:
                db.execute("BEGIN")
                return self._looked_through(db)
        except UnreachableError as error:
            return Findings([Finding("file", error.what)])

    def _looked_through(self, db: sqlite3.Connection) -> Findings:
        """Check the file, the chain and the evidence first. Compare with a replay only if the file and the chain have no faults.

        A replay of changed or missing events would only repeat those faults, less clearly.
        """
        seq, digest = db.execute("SELECT seq, hash FROM event ORDER BY seq DESC LIMIT 1").fetchone() or (0, "")
        last = Last(seq, digest, _digest_of_signatures(db))
        look = self._beside if last.seq >= APART else self._before
        return Findings(look(db, last), events=last.seq, head=last.hash)

    def _before(self, db: sqlite3.Connection, last: Last) -> list[Finding]:
        found = faults(db, self.site_dir, last.seq)
        replayed = list(self._against_replay(db, last)) if are_of_files(found) else []
        if found:  # a replay without a file that events name is not kept for the next audit
            self.close()
        return found + replayed

    def _beside(self, db: sqlite3.Connection, last: Last) -> list[Finding]:
        """Replay while another process checks the file, the chain, the evidence and the signatures.

        Its findings replace those of the replay. The replay takes each signature for right, and notes which keys may have made it.
        If one of them was not made so, everything is replayed again and each signature is verified at its event.
        """
        with ProcessPoolExecutor(1, get_context("spawn")) as other:
            shown = other.submit(looked_through, self.site_dir, last.seq)
            deferred: Deferred = {}
            try:
                replayed = list(self._against_replay(db, last, deferred))
            except Exception:
                replayed = []
                self.close()
                if not shown.result().faults:
                    raise
        looked = shown.result()
        if not are_of_files(looked.faults):
            self.close()
            return looked.faults
        if not are_made_so(looked.makers, deferred):
            self.close()
            replayed = list(self._against_replay(db, last))
        if looked.faults:
            self.close()
        return looked.faults + replayed

    def _against_replay(
        self, db: sqlite3.Connection, last: Last, deferred: Deferred | None = None
    ) -> Iterator[Finding]:
        """Replay the events, unless exactly these were replayed last time, and compare every row with the replay.

        `deferred` collects the signatures that another process verifies. None verifies each one here.
        """
        if (
            self._replay is None or self._replay.last != last
        ):  # the chain is intact, so its last hash covers every event
            self.close()
            self._replay = Replayed(last, db, self.site_dir, deferred)
        yield from self._replay.findings
        if self._replay.refused == refused_in(db):
            yield from self._replay.compared(db)

    def close(self) -> None:
        """Discard the replay."""
        if self._replay is not None:
            self._replay.engine.dispose()
            self._replay = None

    def __exit__(self, *error: object) -> None:
        """Discard the replay."""
        self.close()


class Replayed:
    """The tables that a replay of the events fills, in memory, and the faults that the replay found."""

    def __init__(
        self, last: Last, db: sqlite3.Connection, site_dir: Path, deferred: Deferred | None = None
    ) -> None:
        """Replay every event up to the last. Each is judged before it is applied, and one that is refused is not applied."""
        self.last = last
        self.refused: list[int] = []
        self.engine = memory_engine()
        with _uncollected():
            self.findings = list(self._replayed(db, site_dir, deferred))

    def _replayed(
        self, db: sqlite3.Connection, site_dir: Path, deferred: Deferred | None
    ) -> Iterator[Finding]:
        def event_at(seq: int) -> Recorded | None:
            return recorded(db.execute(EVENT, (seq,)).fetchone())

        accounts = dict(db.execute("SELECT seq, account FROM appended")) if not is_older(db) else {}
        with self.engine.begin() as connection, replaying(connection, SiteFiles(site_dir)) as projection:
            judge = Judge(ReplayRecord(projection, site_dir, event_at, deferred))
            for values in pages(db, COLUMNS, self.last.seq):
                row = dict(zip(COLUMNS, values, strict=True))
                row["account"] = accounts.get(row["seq"])
                try:
                    yield from self._judged(row, projection, judge)
                except ClusterwrightError as error:
                    yield Finding(f"event {row['seq']}", f"cannot be replayed: {error.what}")
                    return

    def _judged(self, row: dict[str, Any], projection: Projection, judge: Judge) -> Iterator[Finding]:
        """Judge an event and apply it. One that is refused is only noted."""
        judged = judge.judged(row)
        for wrong in judged.faults:
            yield Finding(f"event {row['seq']}", f"{row['kind']} about {row['subject']} {wrong}")
        if judged.event is None or judged.is_refused:
            self.refused.append(row["seq"])
            projection.refuse(row)
            return
        projection.apply(judged.event)
        judge.after(judged.event)
        if judged.event.seq == 1:  # statements have the hash of genesis, which is read from this table
            genesis = {name: row[name] for name in COLUMNS}
            projection.connection.execute(insert(SQLModel.metadata.tables["event"]), [genesis])

    def compared(self, db: sqlite3.Connection) -> Iterator[Finding]:
        """Yield every row of the file that differs from the row of the replay."""
        connection = self.engine.raw_connection()
        try:
            older = set(different_tables(db.execute)) if is_older(db) else set()
            for table in sorted(SQLModel.metadata.tables.keys() - OPERATIONAL - older):
                yield from _compared(table, db, connection)
        finally:
            connection.close()


def are_made_so(makers: Mapping[Maker, Iterable[int]], deferred: Deferred) -> bool:
    """Return whether each signature was made for its namespace with one of the keys that may have made it."""
    made_by = {seq: maker for maker, seqs in makers.items() for seq in seqs}
    for seq, (namespace, keys) in deferred.items():
        maker = made_by.get(seq)
        if maker is None or maker.namespace != namespace or maker.key not in keys:
            return False
    return True


def _digest_of_signatures(db: sqlite3.Connection) -> str:
    digest = hashlib.sha256()
    for signed in db.execute("SELECT seq, signature FROM event WHERE signature IS NOT NULL ORDER BY seq"):
        digest.update(repr(signed).encode())
    return digest.hexdigest()


def refused_in(db: sqlite3.Connection) -> list[int]:
    """Return the events that a file notes as refused. Only a copy of a shared log has any."""
    if is_older(db):
        return []
    return [seq for (seq,) in db.execute("SELECT seq FROM refused ORDER BY seq")]


@contextmanager
def _uncollected() -> Iterator[None]:
    """Turn off Python's search for reference cycles. A replay makes no cycles, and the search would go through all its objects."""
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
            how = "is missing" if row is None else "was made by no event"
            yield Finding(f"{table} {_key(row or expected, columns, keys)}", how)
            return
        if _key(row, columns, keys) != _key(expected, columns, keys):
            yield Finding(f"{table} {_key(expected, columns, keys)}", "is missing, or another row does not belong here")
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
    """Yield the pairs of rows that differ. Rows are compared one by one only if their batches differ."""
    for some, others in zip_longest(rows, expected, fillvalue=()):
        if some != others:
            yield from (pair for pair in zip_longest(some, others) if pair[0] != pair[1])


def _key(
    row: Sequence[Any],
    columns: list[str],
    keys: list[str],
) -> str:
    return "/".join(str(row[columns.index(k)]) for k in keys)
