"""One session with a database serves all questions of a command, and no longer."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import psycopg
import pytest

from ledger.questions.site import head
from ledger.reading import open_snapshot
from ledger.stores.following import FRESH_S
from ledger.stores.postgres import Database
from ledger.stores.sessions import sessions_kept
from ledger.subjects.work.decisions import comment
from tests.commands import at
from tests.ledger.sharing import Shared
from tests.postgres_server import EVERYBODY, Server
from tui.feed import Feed

pytestmark = pytest.mark.own_file


@pytest.fixture
def url(postgres: Server) -> str:
    """Return the address of an empty log."""
    return postgres.url(postgres.database(), EVERYBODY)


@pytest.fixture
def connected(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return the numbers of the server's processes for the sessions that are begun from now on."""
    begun: list[int] = []
    connect = psycopg.connect

    def noted(*address: Any, **options: Any) -> Any:
        session = connect(*address, **options)
        begun.append(session.info.backend_pid)
        return session

    monkeypatch.setattr(psycopg, "connect", noted)
    return begun


def ask(url: str) -> None:
    with Database(url) as database:
        database.standing()


def test_questions_of_one_block_share_a_session_that_ends_with_it(
    url: str, postgres: Server, connected: list[int]
) -> None:
    with sessions_kept():
        ask(url)
        with sessions_kept():
            ask(url)
        ask(url)
    assert len(connected) == 1
    assert not alive_after(5, postgres, connected)
    ask(url)
    ask(url)
    assert len(connected) == 3


def test_who_asks_during_a_turn_has_a_session_of_their_own(url: str, connected: list[int]) -> None:
    """Or what is asked would be part of the transaction, and gone with it."""
    with sessions_kept(), Database(url) as deciding, deciding.turn():
        ask(url)
        ask(url)
    assert len(connected) == 2


def test_a_session_that_listens_serves_nobody_else(url: str, connected: list[int]) -> None:
    with sessions_kept():
        with Database(url) as database:
            database.listen()
        ask(url)
        with Database(url) as database, pytest.raises(RuntimeError), database.turn():
            raise RuntimeError
        ask(url)
    assert len(connected) == 2, "what a failure rolled back left a session as good as a new one"


def test_a_session_that_the_server_ended_is_begun_anew(url: str, postgres: Server, connected: list[int]) -> None:
    """As while a person thinks about a question, and the server is restarted."""
    with sessions_kept():
        ask(url)
        with psycopg.Connection.connect(postgres.url("postgres", "admin"), autocommit=True) as db:
            db.execute("SELECT pg_terminate_backend(%s, 5000)", [connected[0]])
        ask(url)
    assert len(connected) == 2


@pytest.mark.parametrize("words", [("inbox", "--as", "lead"), ("start", "001@site", "--as", "tech")])
def test_a_command_connects_once(
    words: tuple[str, ...], postgres: Server, tmp_path: Path, connected: list[int]
) -> None:
    """To connect takes seven ways to the server and back, and a decision asks nine things."""
    site, person = Shared(postgres, tmp_path), words[-1]
    site.open(person).close()  # the folder has its copy
    folder = site.of(person)
    (folder / "site.yaml").write_text("name: S\n", encoding="utf-8")
    connected.clear()

    at(folder, *words)

    assert len(connected) == 1


def test_screens_that_listen_read_without_a_question_for_each_look(
    postgres: Server, tmp_path: Path, connected: list[int]
) -> None:
    """What others record is there with the next look, which comes three times a second; without one the database is asked again."""
    site = Shared(postgres, tmp_path)
    folder = site.of("lead")
    site.open("lead").close()
    feed = Feed(folder)
    feed.look()
    connected.clear()

    with open_snapshot(folder) as before:
        seen = head(before).seq
    assert not connected
    with site.open("tech") as ledger:
        comment(ledger, "tech", "001@site", "done soon")
    feed.look()
    connected.clear()
    with open_snapshot(folder) as after:
        assert head(after).seq == seen + 1
    assert not connected
    time.sleep(FRESH_S)
    open_snapshot(folder).close()
    assert connected

    feed.look()
    with psycopg.Connection.connect(postgres.url("postgres", "admin"), autocommit=True) as db:
        db.execute(f"ALTER DATABASE {site.name} ALLOW_CONNECTIONS false")
        db.execute(f"SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '{site.name}'")
    feed.look()  # what the server said last is heard
    feed.look()
    with open_snapshot(folder) as alone:
        assert alone.cut_off
    feed.close()


def alive_after(seconds: float, server: Server, sessions: list[int]) -> list[int]:
    """Return which sessions the server still has some seconds later. It looks again as long as there are any."""
    until = time.monotonic() + seconds
    with psycopg.Connection.connect(server.url("postgres", "admin"), autocommit=True) as db:
        while found := db.execute("SELECT pid FROM pg_stat_activity WHERE pid = ANY(%s)", [sessions]).fetchall():
            if time.monotonic() > until:
                break
            time.sleep(0.05)
    return [pid for (pid,) in found]
