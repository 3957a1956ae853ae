"""A ledger of an earlier release: its events stand, and what is drawn from them is drawn again.

A projection whose columns are not today's is made anew and filled by replay, so that no release needs a
script of changes; the event table keeps the columns of the first release for ever.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, insert, select
from sqlmodel import Session, SQLModel

from ledger.file import FORMAT
from ledger.replay import COLUMNS, event_of, replaying
from ledger.schema import memory_engine
from ledger.tables import OPERATIONAL


def different_tables(rows: Callable[..., list[tuple[Any, ...]]]) -> Iterator[str]:
    """Give the projections that a file lacks, or has with other columns; `rows` runs a query on it."""
    for name, table in SQLModel.metadata.tables.items():
        columns = {row[1] for row in rows(f'PRAGMA table_info("{name}")')}
        if name not in OPERATIONAL and columns != set(table.columns.keys()):
            yield name


def upgrade(engine: Engine, site_dir: Path) -> None:
    """Bring a file up to today's format in one transaction."""
    with Session(engine) as session, session.begin():
        connection = session.connection()

        def rows(sql: str) -> list[tuple[Any, ...]]:
            return [tuple(row) for row in connection.exec_driver_sql(sql)]

        stale = [SQLModel.metadata.tables[name] for name in different_tables(rows)]
        SQLModel.metadata.drop_all(connection, stale)
        SQLModel.metadata.create_all(connection)
        memory = memory_engine()
        try:
            with Session(memory) as again, again.begin():
                events = f"SELECT {', '.join(COLUMNS)} FROM event ORDER BY seq"  # noqa: S608  our names
                with replaying(again, site_dir) as go_on:
                    for row in connection.exec_driver_sql(events).mappings():
                        go_on(event_of({str(name): value for name, value in row.items()}))
                for table in stale:
                    held = [dict(row) for row in again.execute(select(table)).mappings()]
                    if held:
                        session.execute(insert(table), held)
        finally:
            memory.dispose()
        connection.exec_driver_sql(f"PRAGMA user_version={FORMAT}")
