"""The record as it is at one moment: a connection in a read transaction, the site's folder, and the time of the questions.

    with open_snapshot(site_dir) as snapshot:
        why(snapshot, "034@pod-001")

A snapshot belongs to one thread at a time. What is recorded after it was opened is not in it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, datetime
from decimal import Decimal
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self, TypeVar, get_type_hints

from ledger.rules.activity import State, words
from ledger.stores.file import ledger_path, world_error
from steps.stamps import day, instant, moment
from steps.value import Value, text_value


class AsOf(NamedTuple):
    """Which moment of the past a snapshot shows: after which event, and at what time its questions are asked."""

    seq: int
    hash: str
    time: datetime


@dataclass
class Snapshot:
    """One view of a site's record, in which every question is asked at `now`.

    `as_of` is the moment of the past that it shows, None for the present. `cut_off` says why what others recorded in a
    shared ledger may be missing, None while its database answers.
    """

    db: sqlite3.Connection
    site_dir: Path
    now: datetime
    as_of: AsOf | None = None
    cut_off: str | None = None
    release: Callable[[], None] | None = None
    lapsed: set[str] | None = None
    """Kept by `ledger.questions.holding.lapsed`, which is asked for every activity."""

    def at(self, now: datetime) -> Self:
        """Return the same record, to be asked as of another time."""
        return replace(self, now=now, lapsed=None)

    def close(self) -> None:
        """Close the connection, or what was made to look into the past."""
        (self.release or self.db.close)()

    def __enter__(self) -> Self:
        """Return the snapshot."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        """Close it. Turn what SQLite says into what happened and what to do about it."""
        self.close()
        if isinstance(error, sqlite3.Error):
            raise world_error(ledger_path(self.site_dir), error) from None


Found = TypeVar("Found")

_TABLES: dict[type, tuple[str, dict[str, str]]] = {}


def table(
    name: str,
    /,
    **named: str,
) -> Callable[[type[Found]], type[Found]]:
    """Say of a NamedTuple that its fields are the columns of a table. `named` are fields that are other expressions."""

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
    """Return the rows of a NamedTuple's table, each value by the type of its field.

    `tail` goes on after FROM: joins, conditions and the order. `values` are its parameters.
    """
    as_key: Any = kind
    sql, decoders, make = _reading(as_key)
    found = snapshot.db.execute(f"{sql} {tail}", values)
    return [make([d(v) if d else v for d, v in zip(decoders, row, strict=True)]) for row in found]


def one_of(
    snapshot: Snapshot,
    kind: type[Found],
    tail: str = "",
    **values: Any,
) -> Found | None:
    """Return the first row, or None."""
    found = rows_of(snapshot, kind, f"{tail} LIMIT 1", **values)
    return found[0] if found else None


@cache
def _reading(kind: Any) -> tuple[str, tuple[Callable[[Any], Any] | None, ...], Callable[[list[Any]], Any]]:
    name_of_table, named = _TABLES[kind]
    columns = ", ".join(named.get(name, f't."{name}"') for name in kind._fields)
    hints = get_type_hints(kind)
    decoders = tuple(_DECODERS.get(hints[name]) for name in kind._fields)
    return f'SELECT {columns} FROM "{name_of_table}" t', decoders, kind._make  # noqa: S608  our names


def _maybe(decode: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda value: None if value is None else decode(value)


_DECODERS: dict[Any, Callable[[Any], Any]] = {
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
    tuple[str, ...]: words,
}
"""How the text of a column becomes a value, by the type of the field."""
