"""Rows that are written late are found by every question, and by none after a rollback."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import Connection, Engine

from ledger.evidence.store import SiteFiles
from ledger.state.projection import MANY, Projection
from ledger.state.readiness import settle
from ledger.stores.sqlite import memory_engine
from ledger.subjects.replay import HANDLERS
from ledger.writing import Ledger
from steps.stamps import stamp

AT = datetime(2027, 1, 4, tzinfo=UTC)
ASKED = {"activity": "001@site", "action": "retry", "person": "pm", "at": AT, "answer": ""}
ANSWERS = "SELECT answer, answered_at FROM request ORDER BY id"


@pytest.fixture
def engine() -> Iterator[Engine]:
    """Return an empty database."""
    engine = memory_engine()
    yield engine
    engine.dispose()


def projection_on(connection: Connection) -> Projection:
    return Projection(connection, HANDLERS, SiteFiles(Path("nowhere")))


@pytest.fixture
def projection(engine: Engine) -> Iterator[Projection]:
    """Return a projection in an open transaction."""
    with engine.begin() as connection:
        yield projection_on(connection)


def say(projection: Projection, seq: int) -> None:
    projection.add("comment", seq=seq, activity="001@site", person="pm", text="seen", at=AT)


def said(engine: Engine) -> int:
    with engine.connect() as connection:
        return int(connection.exec_driver_sql("SELECT count(*) FROM comment").scalar_one())


def test_any_query_of_the_transaction_sees_them(projection: Projection) -> None:
    say(projection, 1)
    assert projection.ask("SELECT seq FROM comment") == [(1,)]

    say(projection, 2)
    projection.run("UPDATE comment SET text = 'seen twice' WHERE seq = 2")
    assert projection.ask("SELECT max(seq), text FROM comment") == [(2, "seen twice")]

    say(projection, 3)
    assert projection.ask("SELECT at FROM comment WHERE seq = :seq", seq=3) == [(stamp(AT),)]


def test_a_query_writes_only_the_rows_of_the_tables_that_it_reads(projection: Projection) -> None:
    """An audit replays a million events, and few of its queries are about what the last ones changed."""
    say(projection, 1)
    projection.add("request", id="1", **ASKED)
    projection.update("activity", "034@x", attempt=2)

    assert projection.ask("SELECT count(*) FROM request") == [(1,)]

    there = "SELECT count(*) FROM comment"
    assert projection.driver.execute(there).fetchall() == [(0,)]
    assert projection.ask(there) == [(1,)]


def test_they_are_written_with_the_commit(engine: Engine) -> None:
    """What appends events settles last, and that writes them."""
    with engine.begin() as connection:
        projection = projection_on(connection)
        say(projection, 1)
        settle(projection)

    assert said(engine) == 1


def test_a_rollback_forgets_them(engine: Engine) -> None:
    with engine.connect() as connection:
        projection = projection_on(connection)
        say(projection, 1)
        projection.flush()
        connection.rollback()

    assert said(engine) == 0


def test_many_are_written_before_they_fill_the_memory(engine: Engine) -> None:
    with engine.begin() as connection:
        projection = projection_on(connection)
        for seq in range(MANY + 1):
            say(projection, seq)

        assert connection.exec_driver_sql("SELECT count(*) FROM comment").scalar() == MANY


def test_rows_with_other_columns_are_not_cut_to_those_of_the_first(projection: Projection) -> None:
    projection.add("request", id="1", **ASKED)
    projection.add("request", id="2", **ASKED, answered_at=AT)

    assert projection.ask(ANSWERS) == [("", None), ("", stamp(AT))]


def test_changes_are_made_in_order(projection: Projection) -> None:
    projection.add("request", id="1", **ASKED)

    projection.update("request", "1", answer="taken")
    projection.update("request", "1", answer="done", answered_at=AT)
    projection.update("request", "1", answer="done again")

    assert projection.ask(ANSWERS) == [("done again", stamp(AT))]


def test_an_activity_that_was_read_before_shows_what_is_changed(ledger: Ledger) -> None:
    with ledger.write() as writing:
        row = writing.projection.activity("001@site")
        writing.projection.change(row, last_note="first")
        writing.projection.change(row, last_note="second")

        assert writing.projection.activity("001@site") is row
        assert row.last_note == "second"
        assert writing.projection.ask("SELECT last_note FROM activity WHERE id = '001@site'") == [("second",)]
