"""Open a site's log for writing. Begin the copy of a shared one if there is none. Upgrade a ledger of an earlier release.

An upgrade changes no events. A projection whose columns differ from today's is dropped, made again, and filled by a replay. So
no release needs a migration script.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from sqlalchemy import Connection, Table, insert, select
from sqlmodel import SQLModel

from ledger.evidence.store import SiteFiles
from ledger.log.columns import EVENTS, row_of
from ledger.log.events import readable
from ledger.stores.file import FORMAT, LEDGER_FILE, connect, is_copy, is_older
from ledger.stores.following import is_begun
from ledger.stores.place import FILE, database_of
from ledger.stores.sqlite import (
    FileLog,
    create_schema,
    different_tables,
    explained_engine,
    file_engine,
    memory_engine,
)
from ledger.subjects.replay import replaying
from ledger.trust.judging import Judge
from ledger.trust.record import Record
from schedule.errors import InputError, UnreachableError

if TYPE_CHECKING:
    from ledger.stores.shared_log import Apply, SharedLog

Log: TypeAlias = "FileLog | SharedLog"
"""A site's log: a file, or a database of which the file is a copy. Both begin transactions in the same way."""

_TABLES = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"


def open_log(site_dir: Path) -> Log:
    """Open a site's log. Raise UnreachableError for a file that is missing, damaged, or no ledger."""
    path, url = site_dir / LEDGER_FILE, database_of(site_dir)
    if url is not None and not path.exists() and is_begun(url):
        begin_copy(path)
    with closing(connect(site_dir)) as found:
        older = is_older(found)
        _refuse_mistaken(path, is_copy=is_copy(found), is_shared=url is not None)
    log = log_on(site_dir)
    try:
        if older:
            with explained_engine(path), log.engine.begin() as connection:
                _upgrade(connection, site_dir)
        log.catch_up()
    except BaseException:
        log.close()
        raise
    return log


def take_over(site_dir: Path) -> None:
    """Copy what others recorded in a shared ledger into the folder, and upgrade a ledger of an earlier release."""
    open_log(site_dir).close()


def log_on(site_dir: Path) -> Log:
    """Return the log of a site. Its file is not checked and not upgraded."""
    engine, url = file_engine(site_dir / LEDGER_FILE), database_of(site_dir)
    if url is None:
        return FileLog(engine)
    # the driver is slow to import, and most ledgers are not shared
    from ledger.stores.postgres import Database
    from ledger.stores.shared_log import SharedLog

    return SharedLog(site_dir, engine, Database(url), partial(_applying, site_dir))


@contextmanager
def _applying(site_dir: Path, connection: Connection) -> Iterator[Apply]:
    """Yield what judges and applies an event."""
    with replaying(connection, SiteFiles(site_dir)) as projection:
        judge = Judge(Record(projection, site_dir))
        yield lambda row: not judge.take(row).is_refused


def begin_copy(path: Path) -> None:
    """Make an empty copy of a shared log. It appears complete or not at all. One that another process made meanwhile is kept."""
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=".copying-") as scratch:
        aside = Path(scratch) / path.name
        engine = file_engine(aside)
        create_schema(engine, copy=True)
        engine.dispose()
        try:
            os.link(aside, path)
        except FileExistsError:
            return


def _refuse_mistaken(path: Path, *, is_copy: bool, is_shared: bool) -> None:
    """Raise for a copy without its ledger.yaml, and for a ledger that is no copy although ledger.yaml names a database."""
    if is_copy and not is_shared:
        raise UnreachableError(
            f"{path} is a copy of a shared ledger, but {FILE} beside it is missing",
            hint=f"restore {FILE}; without it the copy can be read, but nothing can be recorded",
        )
    if is_shared and not is_copy:
        raise InputError(
            f"{path} is a ledger of its own, but {FILE} names a database",
            hint="`clusterwright database load` moves the ledger to the database; or remove " + FILE,
        )


def _upgrade(connection: Connection, site_dir: Path) -> None:
    """Upgrade a file to today's format in the given transaction."""
    known = SQLModel.metadata.tables
    gone = [name for (name,) in connection.exec_driver_sql(_TABLES) if name not in known]
    stale = [known[name] for name in different_tables(connection.exec_driver_sql)]
    for name in gone:
        connection.exec_driver_sql(f'DROP TABLE "{name}"')
    SQLModel.metadata.drop_all(connection, stale)
    SQLModel.metadata.create_all(connection)
    for index in (index for table in known.values() for index in table.indexes):
        index.create(connection, checkfirst=True)  # of tables that are not made again
    _fill(connection, stale, site_dir)
    connection.exec_driver_sql(f"PRAGMA user_version={FORMAT}")


def _fill(connection: Connection, tables: list[Table], site_dir: Path) -> None:
    """Fill tables by a replay of all events."""
    memory = memory_engine()
    try:
        with memory.begin() as again:
            with replaying(again, SiteFiles(site_dir)) as projection:
                refused = {seq for (seq,) in connection.exec_driver_sql("SELECT seq FROM refused")}
                events = map(row_of, connection.exec_driver_sql(f"{EVENTS} ORDER BY seq"))
                for event in readable(row for row in events if row["seq"] not in refused):
                    projection.apply(event)
            for table in tables:
                rows = [dict(row) for row in again.execute(select(table)).mappings()]
                if rows:
                    connection.execute(insert(table), rows)
    finally:
        memory.dispose()
