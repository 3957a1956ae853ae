"""The record at one moment: a connection in a read transaction, the site's folder, and the time as of which questions are asked.

    with open_snapshot(site_dir) as snapshot:
        why(snapshot, "034@pod-001")

Only one thread uses a snapshot at a time. What is recorded after it was opened is not in it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import date, datetime
from decimal import Decimal
from functools import cache
from json import loads
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self, TypeVar, get_type_hints

from ledger.rules.activity import State, words
from ledger.stored_fields import fields_of
from ledger.stores.file import ledger_path, world_error
from steps.stamps import day, instant, moment, stamp, stamped
from steps.value import Value, text_value

_IS_SIGNED = """
SELECT json_extract(payload, '$.owner_key') IS NOT NULL AND NOT json_extract(payload, '$.rehearsal')
  AND (coalesce(json_extract(payload, '$.rules'), 1) > 1 OR EXISTS (SELECT 1 FROM event WHERE subject = 'rules'))
FROM event WHERE seq = 1"""
"""Asked of the events: somebody could have written another answer into the table `site`."""


class AsOf(NamedTuple):
    """The moment of the past that a snapshot shows: the number and hash of its last event, and the time of its questions."""

    seq: int
    hash: str
    time: datetime


@dataclass
class Snapshot:
    """A site's record as of `now`.

    `as_of` is the moment of the past that it shows. It is None for the present. `cut_off` says why events that others recorded
    in a shared ledger may be missing. It is None if its database answered.
    """

    db: sqlite3.Connection
    site_dir: Path
    now: datetime
    as_of: AsOf | None = None
    cut_off: str | None = None
    release: Callable[[], None] | None = None
    lapsed: set[str] | None = None
    """The cached result of `ledger.questions.case.lapsed`, which is needed for every activity."""

    def at(self, now: datetime) -> Self:
        """Return the same record, for questions as of another time."""
        return replace(self, now=now, lapsed=None)

    def close(self) -> None:
        """Close the connection. A snapshot of the past releases its database."""
        (self.release or self.db.close)()

    def ask(self, sql: str, **values: Any) -> list[Any]:
        """Return the rows of a query. `values` are its named parameters, and `now` is the snapshot's time."""
        return self._asked(sql, values).fetchall()

    def first(self, sql: str, **values: Any) -> Any:
        """Return the first row of a query. None if it has no rows."""
        return self._asked(sql, values).fetchone()

    def _asked(self, sql: str, values: dict[str, Any]) -> sqlite3.Cursor:
        return self.db.execute(sql, {"now": stamp(self.now), **values})

    def column(self, sql: str, **values: Any) -> list[Any]:
        """Return the first value of every row of a query."""
        return [row[0] for row in self.db.execute(sql, values)]

    def latest(self, column: str) -> Iterator[Any]:
        """Yield a column of the events, the last event's first. No more are read than asked for."""
        for (value,) in self.db.execute(f'SELECT "{column}" FROM event ORDER BY seq DESC'):  # noqa: S608  our names
            yield value

    @property
    def is_signed(self) -> bool:
        """Whether signed events prove who decided: genesis of a real site names its owner's key, and version 1 of the rules is past."""
        return bool(self.first(_IS_SIGNED) == (1,))

    def count(self, name: str) -> int:
        """Return how many rows one of our tables has."""
        (rows,) = self.first(f'SELECT count(*) FROM "{name}"')  # noqa: S608  our names
        return int(rows)

    def __enter__(self) -> Self:
        """Return the snapshot."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        """Close the snapshot. Raise an error of SQLite again as UnreachableError, with a hint."""
        self.close()
        if isinstance(error, sqlite3.Error):
            raise world_error(ledger_path(self.site_dir), error) from None


Found = TypeVar("Found")
Decode = Callable[[Any], Any]
"""Returns the value of a column."""

Make = Callable[[list[Any]], Any]
"""Returns a row from its values."""

_TABLES: dict[type, tuple[str, dict[str, str]]] = {}


def table(
    name: str,
    /,
    **named: str,
) -> Callable[[type[Found]], type[Found]]:
    """Return a decorator for a NamedTuple: its fields are read from the columns with their names.

    `named` has the fields that are read from another expression. In it, `t` is the table.
    """

    def noted(kind: type[Found]) -> type[Found]:
        _TABLES[kind] = (name, named)
        return kind

    return noted


def rows_of(
    snapshot: Snapshot,
    kind: type[Found],
    tail: str = "",
    **values: Any,
) -> list[Found]:
    """Return the rows of a NamedTuple's table. Each value is converted to the type of its field.

    `tail` is the SQL after FROM: joins, conditions and the order. `values` are its named parameters.
    """
    as_key: Any = kind
    sql, decoders, make = _reading(as_key)
    found = []
    for row in snapshot.db.execute(f"{sql} {tail}", values):
        pairs = zip(decoders, row, strict=True)
        found.append(make([decode(value) if decode else value for decode, value in pairs]))
    return found


def one_of(
    snapshot: Snapshot,
    kind: type[Found],
    tail: str = "",
    **values: Any,
) -> Found | None:
    """Return the first row of a NamedTuple's table. None if there is none."""
    found = rows_of(snapshot, kind, f"{tail} LIMIT 1", **values)
    return found[0] if found else None


@cache
def _reading(kind: Any) -> tuple[str, tuple[Decode | None, ...], Make]:
    """Return the query that reads a NamedTuple's table, what decodes each column, and what makes a row."""
    name_of_table, named = _TABLES[kind]
    columns = ", ".join(named.get(name, f't."{name}"') for name in kind._fields)
    hints = get_type_hints(kind)
    known = _OF_EVENTS if name_of_table == "event" else _DECODERS
    decoders = tuple(known.get(hints[name]) for name in kind._fields)
    return f'SELECT {columns} FROM "{name_of_table}" t', decoders, kind._make  # noqa: S608  our names


def _maybe(decode: Decode) -> Decode:
    return lambda value: None if value is None else decode(value)


_DECODERS: dict[Any, Decode] = {
    bool: bool,
    bool | None: _maybe(bool),
    date: date.fromisoformat,
    date | None: day,
    datetime: moment,
    datetime | None: instant,
    Decimal: Decimal,
    Decimal | None: _maybe(Decimal),
    State: State,
    Value: text_value,
    Value | None: text_value,
    dict[str, Any]: loads,
    dict[str, str]: loads,
    tuple[str, ...]: words,
}
"""By the type of a field: what converts the text of its column. Other types are read unchanged."""

_OF_EVENTS: dict[Any, Decode] = {
    str: str,
    datetime | None: stamped,
    dict[str, Any]: fields_of,
}
"""The same for events, which somebody may have appended by hand: what cannot be read is shown as nothing."""
