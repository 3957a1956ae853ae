"""A ledger of an earlier release: its events stay, and its projections are rebuilt by replay.

A projection whose columns are not today's is made anew and filled by replay, so that no release needs a script of changes.
The event table keeps the columns of the first release for ever.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Table, insert, select, text
from sqlmodel import SQLModel

from ledger.evidence.store import SiteFiles
from ledger.log.events import COLUMNS, event_of
from ledger.state.projector import replaying
from ledger.stores.file import FORMAT
from ledger.stores.sqlite import OPERATIONAL, memory_engine

_EVENTS = f"SELECT {', '.join(COLUMNS)} FROM event ORDER BY seq"  # noqa: S608  our names
_TABLES = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"


def different_tables(query: Callable[[str], Any]) -> Iterator[str]:
    """Yield the projections that a file lacks, or has with other columns. `query` runs a statement on the file."""
    for name, table in SQLModel.metadata.tables.items():
        columns = {row[1] for row in query(f'PRAGMA table_info("{name}")')}
        if name not in OPERATIONAL and columns != set(table.columns.keys()):
            yield name


def upgrade(connection: Connection, site_dir: Path) -> None:
    """Bring a file up to today's format, inside a transaction."""
    known = SQLModel.metadata.tables
    gone = [name for (name,) in connection.exec_driver_sql(_TABLES) if name not in known]
    stale = [known[name] for name in different_tables(connection.exec_driver_sql)]
    for name in gone:
        connection.exec_driver_sql(f'DROP TABLE "{name}"')
    SQLModel.metadata.drop_all(connection, stale)
    SQLModel.metadata.create_all(connection)
    _fill(connection, stale, site_dir)
    connection.execute(text(f"PRAGMA user_version={FORMAT}"))


def _fill(connection: Connection, tables: list[Table], site_dir: Path) -> None:
    memory = memory_engine()
    try:
        with memory.begin() as again:
            with replaying(again, SiteFiles(site_dir)) as projection:
                for row in connection.exec_driver_sql(_EVENTS).mappings():
                    projection.apply(event_of({str(name): value for name, value in row.items()}))
            for table in tables:
                rows = [dict(row) for row in again.execute(select(table)).mappings()]
                if rows:
                    connection.execute(insert(table), rows)
    finally:
        memory.dispose()
