"""What somebody who can write the file can do: a whole new ledger, every hash and every projection in order."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from sqlalchemy import insert
from sqlmodel import SQLModel

from ledger.evidence.store import SiteFiles
from ledger.log.chain import event_hash
from ledger.log.columns import COLUMNS, FIRST_HASH
from ledger.log.events import event_of
from ledger.stores.sqlite import create_schema, file_engine
from ledger.subjects.replay import replaying

Row = dict[str, Any]


def events(site: Path) -> list[Row]:
    """Return every row of the event table."""
    with closing(sqlite3.connect(site / "ledger.db")) as connection:
        found = connection.execute(f"SELECT {', '.join(COLUMNS)} FROM event ORDER BY seq").fetchall()
    return [dict(zip(COLUMNS, row, strict=True)) for row in found]


def rebuild(site: Path, rows: list[Row]) -> None:
    """Put a new ledger of these events in the place of the old one."""
    for name in ("ledger.db", "ledger.db-wal", "ledger.db-shm"):
        (site / name).unlink(missing_ok=True)
    engine = file_engine(site / "ledger.db")
    create_schema(engine)
    last = FIRST_HASH
    with engine.begin() as connection, replaying(connection, SiteFiles(site)) as projection:
        for row in rows:
            chained = row | {"prev_hash": last}
            chained["hash"] = last = event_hash(chained)
            connection.execute(insert(SQLModel.metadata.tables["event"]), [chained])
            projection.apply(event_of(chained))
    engine.dispose()


def truncated(site: Path, keep: int) -> None:
    """Forget every event after `keep`."""
    rebuild(site, events(site)[:keep])


def rewritten(site: Path, seq: int, change: Callable[[Row], Row]) -> None:
    """Change one event, and every hash after it."""
    rebuild(site, [change(row) if row["seq"] == seq else row for row in events(site)])
