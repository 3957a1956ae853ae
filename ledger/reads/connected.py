"""A read-only connection and how its text becomes values."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from ledger.file import connect, is_older, ledger_path, world_error
from steps.stamps import stamp


class Connected:
    """Base of the questions: one connection, opened for reading only."""

    def __init__(self, site_dir: Path) -> None:
        """Open the ledger of a site; missing, damaged and foreign files are refused in clear words."""
        self.site_dir = Path(site_dir)
        self._db = connect(self.site_dir)

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()

    def is_older(self) -> bool:
        """Say whether the file is of an earlier format."""
        return is_older(self._db)

    def rows(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        """Give all rows of a query."""
        with self._explained():
            return self._db.execute(sql, values).fetchall()

    def batches(self, sql: str, size: int) -> Iterator[list[tuple[Any, ...]]]:
        """Give the rows of a query so many at a time."""
        with self._explained():
            cursor = self._db.execute(sql)
            while rows := cursor.fetchmany(size):
                yield rows

    def row(self, sql: str, *values: Any) -> tuple[Any, ...] | None:
        """Give the first row of a query."""
        with self._explained():
            found: tuple[Any, ...] | None = self._db.execute(sql, values).fetchone()
            return found

    def data_version(self) -> int:
        """Give a number that changes when another connection has written."""
        found = self.row("PRAGMA data_version")
        assert found is not None
        return int(found[0])

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise world_error(ledger_path(self.site_dir), error) from None


@lru_cache(maxsize=4096)
def words(text: str) -> tuple[str, ...]:
    """Give a stored list of words; thousands of rows share few different lists."""
    return tuple(json.loads(text))


def text_of(now: datetime) -> str:
    """Give an instant as the text that columns hold."""
    return stamp(now)
