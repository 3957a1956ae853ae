"""The ledger file in SQLite: its tables and triggers, engines that open it, and the log of a site whose ledger is not shared."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import timedelta
from functools import cache, partial
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.dialects import sqlite
from sqlalchemy.exc import DatabaseError
from sqlalchemy.pool import QueuePool, StaticPool
from sqlalchemy.schema import CreateIndex, CreateTable, ExecutableDDLElement
from sqlmodel import SQLModel

from ledger.machine_time import Clock, machine_time
from ledger.private import make_file
from ledger.state.tables import activity, plan, records, runs, signing, supplies  # noqa: F401  they register themselves
from ledger.state.tables import event as event_table  # noqa: F401
from ledger.stores.file import BUSY_SECONDS, COPY, FORMAT, world_error
from schedule.errors import UnreachableError

OPERATIONAL = frozenset({"event", "claim", "reservation", "appended"})
"""Tables that replay does not rebuild."""

FILE_ERRORS = (DatabaseError, sqlite3.Error)
"""What SQLAlchemy and SQLite raise if a ledger file cannot be read or written."""

TRIGGERS = {
    "event_no_update": (
        "CREATE TRIGGER event_no_update BEFORE UPDATE ON event"
        " BEGIN SELECT RAISE(ABORT, 'events are never changed'); END"
    ),
    "event_no_delete": (
        "CREATE TRIGGER event_no_delete BEFORE DELETE ON event"
        " BEGIN SELECT RAISE(ABORT, 'events are never deleted'); END"
    ),
    "event_in_order": (
        "CREATE TRIGGER event_in_order BEFORE INSERT ON event"
        " WHEN NEW.seq <> (SELECT coalesce(max(seq), 0) + 1 FROM event)"
        " BEGIN SELECT RAISE(ABORT, 'events are appended in order'); END"
    ),
}
"""The triggers that refuse changes of events, by mistake or by other programs. The audit checks that they are unchanged."""


class FileLog:
    """A log that is a file. The lock of the file makes other decisions wait. Nobody records anything in another place.

    `clock` is the time at which events are recorded, and `ahead` by how much it is ahead of this machine's: not at all. `begin`
    returns a transaction: it records its events if it ends without an error.
    """

    def __init__(self, engine: Engine) -> None:
        """Take an engine that opens the file."""
        self.engine = engine
        self.ahead = timedelta()
        self.clock: Clock = machine_time
        self.begin = engine.begin
        self.close = engine.dispose

    def catch_up(self) -> None:
        """Do nothing, because every event is in the file already."""


def file_engine(path: Path) -> Engine:
    """Return an engine that opens a ledger file, with a write-ahead log and full synchronisation. Transactions lock it at once."""

    def connected() -> sqlite3.Connection:
        make_file(path)  # SQLite would make it by the umask; its -wal and -shm files get the mode of this one
        return sqlite3.connect(path, timeout=BUSY_SECONDS, check_same_thread=False)

    engine = create_engine("sqlite://", poolclass=QueuePool, creator=connected)

    def configure(connection: sqlite3.Connection, _: Any) -> None:
        # the driver's own BEGIN takes the write lock only later, and that can fail in the middle of a transaction
        connection.isolation_level = None
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")

    event.listen(engine, "connect", configure)
    event.listen(engine, "begin", partial(Connection.exec_driver_sql, statement="BEGIN IMMEDIATE"))
    return engine


@contextmanager
def explained_engine(path: Path) -> Iterator[None]:
    """Raise errors of SQLAlchemy and of SQLite again as UnreachableError, with what happened and a hint."""
    try:
        yield
    except FILE_ERRORS as error:
        raise file_error(path, error) from error


def file_error(path: Path, error: Exception) -> UnreachableError:
    """Return one of `FILE_ERRORS` as UnreachableError, with what happened and a hint."""
    return world_error(path, getattr(error, "orig", None) or error)


def memory_engine() -> Engine:
    """Return an empty database in memory with all tables, for replay. A file can be attached to it by a URI."""
    connect = partial(sqlite3.connect, ":memory:", uri=True, check_same_thread=False)
    engine = create_engine("sqlite://", poolclass=StaticPool, creator=connect)
    with engine.begin() as connection:
        _create_tables(connection)
    return engine


def create_schema(engine: Engine, *, copy: bool = False) -> None:
    """Make all tables and triggers in an empty file, and set its format. `copy` marks it as the copy of a shared log."""
    with engine.begin() as connection:
        _create_tables(connection)
        for trigger in TRIGGERS.values():
            connection.exec_driver_sql(trigger)
        connection.exec_driver_sql(f"PRAGMA user_version={FORMAT}")
        if copy:
            connection.exec_driver_sql(f"PRAGMA application_id={COPY}")


def _create_tables(connection: Connection) -> None:
    for statement in _table_statements():
        connection.exec_driver_sql(statement)


@cache
def _table_statements() -> tuple[str, ...]:
    """Return what makes all tables and indexes. SQLAlchemy takes longer to write these statements than SQLite to run them."""
    tables = SQLModel.metadata.sorted_tables
    made: list[ExecutableDDLElement] = [CreateTable(table) for table in tables]
    made += [CreateIndex(index) for table in tables for index in table.indexes]
    dialect = sqlite.dialect()
    return tuple(str(statement.compile(dialect=dialect)) for statement in made)


@cache
def columns_of(table: str) -> tuple[list[str], list[str]]:
    """Return the columns of a table, and those of its key."""
    described = SQLModel.metadata.tables[table]
    return list(described.columns.keys()), list(described.primary_key.columns.keys())


def different_tables(query: Callable[[str], Any]) -> Iterator[str]:
    """Yield the names of projections that a file does not have, or has with other columns. `query` runs a statement on the file."""
    for name, table in SQLModel.metadata.tables.items():
        columns = {row[1] for row in query(f'PRAGMA table_info("{name}")')}
        if name not in OPERATIONAL and columns != set(table.columns.keys()):
            yield name


@contextmanager
def driver_of(engine: Engine) -> Iterator[sqlite3.Connection]:
    """Yield a connection of the driver itself."""
    with closing(engine.raw_connection()) as connection:
        driver: Any = connection.driver_connection
        yield driver


def write_anew(engine: Engine) -> None:
    """Write the whole file again, so that nothing that was deleted or changed is left in it.

    SQLite leaves such data in free pages and in the write-ahead log. Raise UnreachableError if another program uses the file.
    """
    said = "another program reads the ledger"
    try:
        with driver_of(engine) as driver:
            driver.execute("VACUUM")
            busy = driver.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
    except sqlite3.OperationalError as error:
        busy, said = True, str(error)
    if busy:
        raise UnreachableError(
            f"the name may still be in free pages of the ledger file: {said}",
            hint="stop the engine and the screens, then run the same command again; the redaction is not recorded twice",
        )
