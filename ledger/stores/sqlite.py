"""The database file: its tables and triggers, engines on it, writing it anew, and the log that it is for a site by itself."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.exc import DatabaseError
from sqlalchemy.pool import QueuePool, StaticPool
from sqlmodel import SQLModel

from ledger.state.tables import activity, checks, facts, plan, records, runs, signing, supplies  # noqa: F401  they register themselves
from ledger.state.tables import event as event_table  # noqa: F401
from ledger.stores.file import BUSY_SECONDS, COPY, FORMAT, world_error
from ledger.stores.log import machine_clock
from steps.errors import UnreachableError

OPERATIONAL = frozenset({"event", "claim"})
"""Tables that replay does not rebuild."""

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
"""What keeps the event table append-only against mistakes. The audit checks that they are there, unchanged."""


class FileLog:
    """A log that is a file. Its own lock holds other decisions off, and nobody records anything elsewhere."""

    def __init__(self, engine: Engine) -> None:
        """Take an engine on the file."""
        self.engine = engine
        self.clock = machine_clock
        self.begin = engine.begin
        self.close = engine.dispose

    def catch_up(self) -> None:
        """Do nothing: everything is in the file."""


def file_engine(path: Path) -> Engine:
    """Return an engine on a ledger file: WAL, full sync, and every transaction takes the write lock at once."""
    engine = create_engine(
        f"sqlite:///{path}",
        poolclass=QueuePool,
        connect_args={"timeout": BUSY_SECONDS, "check_same_thread": False},
    )

    def configure(connection: sqlite3.Connection, _: Any) -> None:
        # the driver's own BEGIN would be deferred, and an upgrade of the lock can fail half way
        connection.isolation_level = None
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")

    event.listen(engine, "connect", configure)
    event.listen(engine, "begin", partial(Connection.exec_driver_sql, statement="BEGIN IMMEDIATE"))
    return engine


@contextmanager
def explained_engine(path: Path) -> Iterator[None]:
    """Turn what SQLAlchemy or its driver says of a file into what happened and what to do about it."""
    try:
        yield
    except DatabaseError as error:
        raise world_error(path, error.orig or error) from error
    except sqlite3.Error as error:
        raise world_error(path, error) from error


def memory_engine() -> Engine:
    """Return an empty database in memory with all tables, for replay."""
    engine = create_engine("sqlite://", poolclass=StaticPool, connect_args={"check_same_thread": False})
    SQLModel.metadata.create_all(engine)
    return engine


def create_schema(engine: Engine, *, copy: bool = False) -> None:
    """Make all tables, triggers and the format mark in an empty file. A copy of a shared log is marked as one."""
    with engine.begin() as connection:
        SQLModel.metadata.create_all(connection)
        for trigger in TRIGGERS.values():
            connection.exec_driver_sql(trigger)
        connection.exec_driver_sql(f"PRAGMA user_version={FORMAT}")
        if copy:
            connection.exec_driver_sql(f"PRAGMA application_id={COPY}")


def different_tables(query: Callable[[str], Any]) -> Iterator[str]:
    """Yield the projections that a file lacks, or has with other columns. `query` runs a statement on the file."""
    for name, table in SQLModel.metadata.tables.items():
        columns = {row[1] for row in query(f'PRAGMA table_info("{name}")')}
        if name not in OPERATIONAL and columns != set(table.columns.keys()):
            yield name


def write_anew(engine: Engine) -> None:
    """Write the whole file again: SQLite leaves what was changed or deleted in free pages and in its log."""
    connection = engine.raw_connection()
    try:
        assert connection.driver_connection is not None
        connection.driver_connection.execute("VACUUM")
        busy = connection.driver_connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
    except sqlite3.OperationalError as error:
        busy, said = True, str(error)
    else:
        said = "another program reads the ledger"
    finally:
        connection.close()
    if busy:
        raise UnreachableError(
            f"the name is still in free pages of the database: {said}",
            hint="stop the engine and the screens, then redact again; nothing is recorded twice",
        )
