"""The replay of an audit: the tables that the events make when each is judged and applied again, and what differs from the file."""

from __future__ import annotations

import gc
import sqlite3
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from itertools import zip_longest
from pathlib import Path
from typing import Any

from sqlalchemy import Engine
from sqlmodel import SQLModel

from ledger.evidence.store import SiteFiles
from ledger.log.columns import COLUMNS, row_of
from ledger.stores.file import is_older
from ledger.stores.sqlite import OPERATIONAL, columns_of, different_tables, driver_of, memory_engine
from ledger.subjects.replay import replaying
from ledger.trust.chain import Finding, pages, refused_in
from ledger.trust.judging import Judge
from ledger.trust.record import Deferred, Record
from ledger.trust.statements import Place
from ledger.trust.witnessed import Covered
from schedule.errors import ClusterwrightError


class Replayed:
    """The tables that a replay of the events fills, in memory, and the faults that the replay found."""

    def __init__(
        self,
        last: Place,
        db: sqlite3.Connection,
        site_dir: Path,
        deferred: Deferred | None = None,
        *,
        engine: Engine | None = None,
        after: int = 0,
    ) -> None:
        """Replay every event up to the last. Each is judged before it is applied, and one that is refused is not applied.

        `engine` has the tables as they were after the event `after`. Without one the replay begins with the first event.
        """
        self.last = last
        self.after = after
        self.refused: list[int] = []
        self.covered = Covered()
        self.engine = engine or memory_engine()
        with _uncollected():
            self.findings = list(self._replayed(db, site_dir, deferred))

    def _replayed(
        self,
        db: sqlite3.Connection,
        site_dir: Path,
        deferred: Deferred | None,
    ) -> Iterator[Finding]:
        noted = "SELECT seq, account FROM appended WHERE seq > ?"
        appended = [] if is_older(db) else db.execute(noted, (self.after,))
        accounts = dict(appended)
        with self.engine.begin() as connection, replaying(connection, SiteFiles(site_dir)) as projection:
            judge = Judge(Record(projection, site_dir, db, deferred))
            for values in pages(db, COLUMNS, self.last.seq, after=self.after):
                row = row_of(values)
                row["account"] = accounts.get(row["seq"])
                try:
                    yield from self._judged(row, judge)
                except ClusterwrightError as error:
                    yield Finding(f"event {row['seq']}", f"cannot be replayed: {error.what}")
                    return

    def _judged(self, row: dict[str, Any], judge: Judge) -> list[Finding]:
        """Judge an event and apply it. Return what is wrong with it."""
        event, faults, is_refused = judge.take(row)
        said = f"{row['kind']} about {row['subject']}"
        if event is None or is_refused:
            self.refused.append(row["seq"])
        elif not faults:
            self.covered.note(event)
        if row["seq"] == 1:  # statements have the hash of genesis, which is read from this table
            genesis = {name: row[name] for name in COLUMNS}
            judge.record.projection.add("event", **genesis)
        return [Finding(f"event {row['seq']}", f"{said} {wrong}", refused=is_refused) for wrong in faults]

    def compared(
        self,
        db: sqlite3.Connection,
        only: Collection[str] | None = None,
    ) -> Iterator[Finding]:
        """Yield every row of the file that differs from the row of the replay. `only` are the tables to compare. None means all."""
        older = set(different_tables(db.execute)) if is_older(db) else set()
        with driver_of(self.engine) as driver:
            for table in sorted(SQLModel.metadata.tables.keys() - OPERATIONAL - older):
                if only is None or table in only:
                    yield from _compared(table, db, driver)

    def noted_wrongly(self, db: sqlite3.Connection) -> Iterator[Finding]:
        """Yield the events that a file notes as refused, and that the rules do not refuse."""
        for seq in sorted(set(refused_in(db)) - set(self.refused)):
            yield Finding(f"refused {seq}", "is noted, and the rules do not refuse this event")


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


def _compared(table: str, db: sqlite3.Connection, replayed: sqlite3.Connection) -> Iterator[Finding]:
    columns, keys = columns_of(table)
    names = ", ".join(f'"{c}"' for c in columns)
    order = ", ".join(f'"{k}"' for k in keys)
    sql = f'SELECT {names} FROM "{table}" ORDER BY {order}'  # noqa: S608  names of our own tables
    for row, expected in zip_longest(db.execute(sql), replayed.execute(sql)):
        if row == expected:
            continue
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


def _key(
    row: Sequence[Any],
    columns: list[str],
    keys: list[str],
) -> str:
    return "/".join(str(row[columns.index(k)]) for k in keys)
