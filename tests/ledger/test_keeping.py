"""Rows that are written late are there for whoever asks, and for nobody after a rollback."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from sqlalchemy import text
from sqlmodel import Session, select

from ledger.questions.orders import change
from ledger.state.tables.records import Comment
from ledger.state.tables.runs import Request
from ledger.stores.sqlite import memory_engine
from ledger.trust.anchors import keep

AT = datetime(2027, 1, 4, tzinfo=UTC)


@pytest.fixture
def session() -> Iterator[Session]:
    """Give a session on an empty database."""
    engine = memory_engine()
    with Session(engine, autoflush=False) as session:
        yield session
    engine.dispose()


def say(session: Session, seq: int) -> None:
    keep(session, Comment, seq=seq, activity="001@site", person="pm", text="seen", at=AT)


def test_any_query_of_the_session_sees_them(session: Session) -> None:
    say(session, 1)
    assert [row.seq for row in session.scalars(select(Comment))] == [1]

    say(session, 2)
    assert session.execute(text("SELECT max(seq) FROM comment")).scalar() == 2

    say(session, 3)
    assert session.get_one(Comment, 3).at == AT


def test_they_are_written_with_the_commit(session: Session) -> None:
    say(session, 1)
    session.commit()

    assert session.connection().exec_driver_sql("SELECT count(*) FROM comment").scalar() == 1


def test_a_rollback_forgets_them(session: Session) -> None:
    session.begin()
    say(session, 1)
    session.rollback()

    assert session.scalars(select(Comment)).all() == []


def test_rows_with_other_columns_are_not_cut_to_those_of_the_first(session: Session) -> None:
    asked = {"activity": "001@site", "action": "retry", "person": "pm", "at": AT, "answer": ""}
    keep(session, Request, id="1", **asked)
    keep(session, Request, id="2", **asked, answered_at=AT)

    assert [row.answered_at for row in session.scalars(select(Request).order_by("id"))] == [None, AT]


def test_changes_are_made_in_order_and_a_row_that_was_read_before_is_read_again(session: Session) -> None:
    keep(session, Request, id="1", activity="001@site", action="retry", person="pm", at=AT, answer="")
    held = session.get_one(Request, "1")

    change(session, Request, "1", answer="taken")
    change(session, Request, "1", answer="done", answered_at=AT)
    change(session, Request, "1", answer="done again")

    assert session.scalars(select(Request)).one() is held
    assert (held.answer, held.answered_at) == ("done again", AT)
