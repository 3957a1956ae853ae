"""Rows that are collected and written together. Writing row by row takes several times as long.

Rows of a table are written before a query reads that table, when many were collected, and at the end. The rows of other tables
go on being collected.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Set as AbstractSet
from datetime import date, datetime
from decimal import Decimal
from functools import lru_cache
from json import JSONEncoder
from typing import Any, NamedTuple

from sqlmodel import SQLModel

from steps.stamps import stamp

Row = dict[str, Any]
Shape = tuple[str, tuple[str, ...]]
"""A table, and the columns of rows that are written together."""

MANY = 5000
"""How many rows are collected at most before they are written."""

UNCHANGED = frozenset({str, int, bool, float, type(None)})
"""Types of values that are stored unchanged."""

_NAMED = re.compile(r'(?:\bFROM|\bJOIN|,|\()\s*"?(\w+)', re.IGNORECASE)
_word_list = JSONEncoder(ensure_ascii=False).encode


class Collected:
    """New and changed rows of a database that are not written yet. `added` counts the new rows of each table."""

    def __init__(self, driver: Any) -> None:
        """Take the driver's own connection."""
        self.driver = driver
        self.added: Counter[str] = Counter()
        self._query = driver.execute
        self._query_many = driver.executemany
        self._new: dict[Shape, list[tuple[Any, ...]]] = {}
        self._changed: dict[str, dict[str, Row]] = {}
        self._waiting: set[str] = set()
        self._collected = 0

    def add(self, table: str, **columns: Any) -> None:
        """Add a row. `columns` has all of its columns."""
        row = tuple([value if type(value) in UNCHANGED else stored(value) for value in columns.values()])
        shape = (table, tuple(columns))
        rows = self._new.get(shape)
        if rows is None:
            rows = self._new[shape] = []
            self._waiting.add(table)
        rows.append(row)
        self.added[table] += 1
        self._collected += 1
        if self._collected >= MANY:
            self.flush()

    def update(self, table: str, key: str, **columns: Any) -> None:
        """Change columns of the row with this id."""
        rows = self._changed.get(table)
        if rows is None:
            rows = self._changed[table] = {}
            self._waiting.add(table)
        changes = rows.setdefault(key, {})
        for name, value in columns.items():
            changes[name] = value if type(value) in UNCHANGED else stored(value)

    def flush_for(self, sql: str) -> None:
        """Write what was collected for the tables that a query reads."""
        read = tables_in(sql)
        if not read.isdisjoint(self._waiting):
            self._write(self._waiting & read)

    def flush(self) -> None:
        """Write everything that was collected."""
        if self._waiting:
            self._write(self._waiting)

    def _write(self, tables: AbstractSet[str]) -> None:
        """Write what was collected for some tables: first the new rows, then the changes."""
        for shape in [shape for shape in self._new if shape[0] in tables]:
            insertion, rows = _insertion(*shape), self._new.pop(shape)
            self._collected -= len(rows)
            self._query_many(insertion.sql, [row + insertion.defaults for row in rows])
        for table in self._changed.keys() & tables:
            alike: dict[tuple[str, ...], list[tuple[Any, ...]]] = {}
            for key, columns in self._changed.pop(table).items():
                alike.setdefault(tuple(columns), []).append((*columns.values(), key))
            for names, changes in alike.items():
                self._query_many(_change(table, names), changes)
        self._waiting = self._waiting - tables


@lru_cache(maxsize=1024)
def tables_in(sql: str) -> frozenset[str]:
    """Return the words of a query that may be tables. The name of one follows FROM, JOIN, a comma or a bracket."""
    return frozenset(_NAMED.findall(sql))


def stored(value: Any) -> Any:
    """Return a value as it is stored. Whole numbers, words and truth values are stored unchanged."""
    if isinstance(value, datetime):
        return stamp(value)
    if isinstance(value, tuple):
        return _word_list(value) if value else "[]"
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, date):
        return value.isoformat()
    return value


class Insertion(NamedTuple):
    """The statement that inserts rows, and the values of the columns that the rows do not name."""

    sql: str
    defaults: tuple[Any, ...]


@lru_cache(maxsize=256)
def _insertion(table: str, names: tuple[str, ...]) -> Insertion:
    """Return how rows with these columns are inserted. SQLAlchemy takes as long for each statement as SQLite for the row."""
    left_out = [column for column in SQLModel.metadata.tables[table].columns if column.name not in names]
    defaults: list[Any] = [column for column in left_out if column.default is not None]
    unnamed = {column.name: stored(column.default.arg) for column in defaults}
    columns = (*names, *unnamed)
    named = ", ".join(f'"{name}"' for name in columns)
    marks = ", ".join("?" * len(columns))
    return Insertion(f'INSERT INTO "{table}" ({named}) VALUES ({marks})', tuple(unnamed.values()))  # noqa: S608  names of our own tables


@lru_cache(maxsize=1024)
def _change(table: str, names: tuple[str, ...]) -> str:
    changes = ", ".join(f'"{name}" = ?' for name in names)
    return f'UPDATE "{table}" SET {changes} WHERE id = ?'  # noqa: S608  names of our own tables
