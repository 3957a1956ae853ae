"""The folder's copy of a shared log: all events, and the projections that are made from them in the folder.

The database stores the events, and nobody can change them there. Each folder judges every event that it copies, and makes the
projections by the same replay that the audit uses. So reading needs no database, nobody needs the right to write projections,
and an event that somebody appended below the services changes nothing and stops nobody.

A decision first locks the copy, then the log in the database (its turn), and then copies the newest events. So the rules see
everything that was recorded. The two locks are always taken in this order.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import timedelta
from operator import itemgetter
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, insert
from sqlmodel import SQLModel

from ledger.evidence import names
from ledger.log.chain import hash_of
from ledger.log.columns import COLUMNS, EVENTS, FIRST_HASH, row_of
from ledger.machine_time import Clock, machine_time
from ledger.rules.permission import roles_for
from ledger.stores.file import LEDGER_FILE
from ledger.stores.following import stands_at
from ledger.stores.held import KINDS, Row, held_in
from ledger.stores.postgres import Database
from ledger.stores.sqlite import FILE_ERRORS, explained_engine, write_anew
from ledger.subjects.people.payloads import PersonRedacted
from ledger.subjects.plan.payloads import PlanAdopted
from schedule.errors import NotSatisfiedError, UnreachableError

Apply = Callable[[Row], bool]
"""Judges an event and applies it. Returns whether it counts: one that is refused is noted, and changes nothing."""

Applying = Callable[[Connection], AbstractContextManager[Apply]]
"""Returns what applies an event to the projections in a transaction."""

_LISTS = frozenset({"hosts", "wants"})
"""The columns of claims and reservations that are not stored in the copy as in the database."""


class SharedLog:
    """A shared log: the database that stores it, and its copy in the folder, which `engine` opens and decisions read.

    `clock` is the time at which events are recorded: that of the database, which is `ahead` of this machine's.
    """

    def __init__(self, site_dir: Path, engine: Engine, database: Database, applying: Applying) -> None:
        """Take the folder, an engine on the copy, the database, and what applies events to the projections."""
        self.site_dir = site_dir
        self.engine = engine
        self.database = database
        self.applying = applying
        self.ahead = timedelta()
        self.clock: Clock = lambda: machine_time() + self.ahead
        self._names_linger = False

    def catch_up(self) -> None:
        """Copy what others recorded into the folder. If there is nothing new, no lock is taken."""
        standing = self.database.standing()
        self.ahead = standing.now - machine_time()
        if stands_at(self.site_dir, standing):
            return
        with explained_engine(self.site_dir / LEDGER_FILE), self.engine.begin() as connection:
            self._take_over(connection)
        self._lose_names()

    @contextmanager
    def begin(self) -> Iterator[Connection]:
        """Yield a transaction on the copy. Nobody else can decide while it is open.

        At its end its events are recorded in the database first, and then committed in the copy. If that commit fails, as on a
        full disk, the decision counts all the same: the next call copies its events from the database, or says why it cannot.
        If a decision is refused, the copy is updated, so that the person sees why.
        """
        self.catch_up()
        is_recorded = False
        try:
            with self.engine.begin() as connection:
                with self._turn(connection):
                    yield connection
                is_recorded = True
        except NotSatisfiedError:
            self.catch_up()
            raise
        except FILE_ERRORS:
            if not is_recorded:
                raise
            return
        self._lose_names()

    @contextmanager
    def _turn(self, connection: Connection) -> Iterator[None]:
        last = ""
        try:
            with self.database.turn() as now:
                self.ahead = now - machine_time()
                self._take_over(connection)
                seq, _ = _head(connection)
                before = {kind: _stored(connection, kind) for kind in KINDS}
                yield
                found = connection.exec_driver_sql(f"{EVENTS} WHERE seq > ? ORDER BY seq", (seq,))
                rows = [*map(row_of, found)]
                for kind, held in before.items():
                    if (now_held := _stored(connection, kind)) != held:
                        self.database.hold(kind, now_held)
                if rows:
                    self._record(connection, rows)
                    seq, last = rows[-1]["seq"], rows[-1]["hash"]
        except UnreachableError:
            if not last or not self.database.is_recorded(seq, last):
                raise

    def _lose_names(self) -> None:
        """Write the copy anew after a name was redacted, because free pages of the file may still have the name."""
        if self._names_linger:
            write_anew(self.engine)
            self._names_linger = False

    def close(self) -> None:
        """Close the copy and the connection to the database."""
        self.engine.dispose()
        self.database.close()

    def _take_over(self, connection: Connection) -> None:
        """Copy new events, and all claims and reservations, from the database. Raise UnreachableError if it no longer has the copy's last event."""
        seq, last = _head(connection)
        standing = self.database.standing()
        if standing.seq < seq or (seq and self.database.hash_at(seq) != last):
            raise UnreachableError(
                f"{self.database} no longer has event {seq} as this folder copied it, with the hash {last[:12]}",
                hint="the database was changed, or restored from an older backup; keep this folder, and compare it with others (`clusterwright anchor`)",
            )
        if standing.seq > seq:
            with self.applying(connection) as apply:
                for row in self.database.events(seq):
                    _refuse_broken(row, seq, last, self.database)
                    self._apply(row, connection, apply)
                    seq, last = row["seq"], row["hash"]
        for name, kind in KINDS.items():
            _store(connection, name, held_in(self.database.held(name), kind))

    def _apply(self, row: Row, connection: Connection, apply: Apply) -> None:
        if row["kind"] == PlanAdopted.kind:
            for content in self.database.names():
                names.take_over(self.site_dir, content)
        event = {name: row[name] for name in COLUMNS}
        connection.execute(insert(SQLModel.metadata.tables["event"]), [event])
        _note_accounts(connection, [row], row["account"])
        if apply(row) and row["kind"] == PersonRedacted.kind:
            person = row["subject"].removeprefix("person/")
            names.forget(self.site_dir, names.documents_of(self.site_dir, person))
            self._names_linger = True

    def _record(self, connection: Connection, rows: list[Row]) -> None:
        kinds = {row["kind"] for row in rows}
        people = []
        if PlanAdopted.kind in kinds:
            people = people_of(connection)
            for content in names.documents(self.site_dir):
                self.database.keep_name(content)
        self.database.append(rows, people)
        _note_accounts(connection, rows, self.database.account())
        if PersonRedacted.kind in kinds:
            self.database.forget_redacted()


def people_of(connection: Connection) -> list[Row]:
    """Return the people in force as the database needs them: id, account, and whether they may adopt plans."""
    roles = roles_for("adopt_plan")
    marks = ", ".join("?" * len(roles))
    adopting = f"SELECT person FROM person_role WHERE role IN ({marks}) UNION SELECT owner FROM site"  # noqa: S608  marks only
    adopts = {person for (person,) in connection.exec_driver_sql(adopting, roles)}
    found = connection.exec_driver_sql("SELECT id, account FROM person ORDER BY id")
    return [{"id": name, "account": account, "adopts": name in adopts} for name, account in found]


def _refuse_broken(
    row: Row,
    seq: int,
    last: str,
    database: Database,
) -> None:
    """Raise UnreachableError for an event that does not follow the one before it, or does not have its hash."""
    follows = (row["seq"], row["prev_hash"]) == (seq + 1, last)
    if not follows or hash_of(row) != row["hash"]:
        raise UnreachableError(
            f"{database}: event {row['seq']} does not follow event {seq}, or was changed after recording",
            hint="no further events are copied from there; keep this folder, and inform the site's owner",
        )


def _note_accounts(connection: Connection, rows: Sequence[Row], account: str) -> None:
    """Note the account that appended events, so that an audit judges them as this copy did."""
    noted = [{"seq": row["seq"], "account": account} for row in rows]
    connection.execute(insert(SQLModel.metadata.tables["appended"]), noted)


def _head(connection: Connection) -> tuple[int, str]:
    row = connection.exec_driver_sql("SELECT seq, hash FROM event ORDER BY seq DESC LIMIT 1").first()
    return (0, FIRST_HASH) if row is None else (row[0], row[1])


def _stored(connection: Connection, name: str) -> list[Row]:
    """Return the claims, or the reservations, in the form in which the database stores them."""
    table = SQLModel.metadata.tables[name]
    found = connection.execute(table.select().order_by(*table.primary_key)).mappings()
    return [_converted(dict(row), json.loads) for row in found]


def _store(connection: Connection, name: str, rows: Sequence[Row]) -> None:
    """Put claims, or reservations, of the database in the place of those that the copy has, if they differ.

    A write that changes nothing would wake all who wait for the copy to change: an engine would wake itself for ever.
    """
    table = SQLModel.metadata.tables[name]
    by_key = itemgetter(*(column.name for column in table.primary_key))
    if sorted(rows, key=by_key) == sorted(_stored(connection, name), key=by_key):
        return
    connection.execute(table.delete())
    if rows:
        stored = [_converted(row, json.dumps) for row in rows]
        connection.execute(insert(table), stored)


def _converted(row: Row, convert: Callable[[Any], Any]) -> Row:
    """Return a row whose lists are converted to text, or from text."""
    lists = {name: convert(row[name]) for name in _LISTS & row.keys()}
    return row | lists
