"""Rows and changes of rows that are collected, and written together before the next query and at the commit.

Whoever asks through the session sees them; what runs on its connection alone calls `write_kept` first. A row by row
insert costs three times as much, and the session's own bookkeeping ten times; see `benchmarks/ledger_million.py`.
"""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter
from typing import Any

from sqlalchemy import bindparam, event, insert, update
from sqlalchemy.orm import ORMExecuteState, SessionTransaction
from sqlalchemy.orm import Session as AnySession
from sqlmodel import Session, SQLModel

KEPT, CHANGED = "rows to be written", "rows to be changed"
"""Where a session's `info` holds them: rows by table and by the columns given, since one statement inserts one shape."""

KEY = "its key"


def keep(session: Session, table: type[SQLModel], **columns: Any) -> None:
    """Let a row be written with the others of its table."""
    kept = session.info.setdefault(KEPT, {})
    kept.setdefault((table, tuple(columns)), []).append(columns)


def change(session: Session, table: type[SQLModel], key: str, **columns: Any) -> None:
    """Let columns of the row with this id be changed with others."""
    session.info.setdefault(CHANGED, []).append(((table, tuple(columns)), columns | {KEY: key}))


@event.listens_for(Session, "before_commit")
def write_kept(session: AnySession) -> None:
    """Write what was kept until now, and then what is changed of it, in order."""
    for (table, _), rows in session.info.pop(KEPT, {}).items():
        write_rows(session, table, rows)
    for (table, columns), changes in groupby(session.info.pop(CHANGED, ()), key=itemgetter(0)):
        _write_changes(session, table, columns, [row for _, row in changes])


def _write_changes(
    session: AnySession, table: type[SQLModel], columns: tuple[str, ...], rows: list[dict[str, Any]]
) -> None:
    held = SQLModel.metadata.tables[str(table.__tablename__)]
    values: dict[str, Any] = {name: bindparam(name) for name in columns}
    session.connection().execute(update(held).where(held.c.id == bindparam(KEY)).values(values), rows)
    for row in rows:
        stale = session.identity_map.get(session.identity_key(table, row[KEY]))
        if stale is not None:
            session.expire(stale)


def write_rows(session: AnySession, table: type[SQLModel], rows: list[dict[str, Any]]) -> None:
    """Write rows now, all with the same columns."""
    if rows:
        session.connection().execute(insert(SQLModel.metadata.tables[str(table.__tablename__)]), rows)


@event.listens_for(Session, "do_orm_execute")
def _before_query(asked: ORMExecuteState) -> None:
    write_kept(asked.session)


@event.listens_for(Session, "after_soft_rollback")
def _forget(session: AnySession, _: SessionTransaction) -> None:
    session.info.pop(KEPT, None)
    session.info.pop(CHANGED, None)
