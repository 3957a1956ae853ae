"""The file: append-only, one writer at a time, and clear words when something is wrong with it."""

from __future__ import annotations

import sqlite3
from datetime import datetime
from pathlib import Path

import pytest

from ledger.questions.site import SiteHead, SiteRow, head, site_of
from ledger.reading import open_snapshot
from ledger.stores import sqlite
from ledger.stores.file import FORMAT
from ledger.subjects.plan.decisions import create_ledger
from ledger.subjects.work.decisions import comment, start
from ledger.trust.audit import audit
from ledger.writing import Ledger
from schedule.errors import InputError, NotSatisfiedError, UnreachableError
from tests.conftest import last_event
from tests.ledger.conftest import T0, Clock, Look

COPY = (
    "INSERT INTO event SELECT 9, recorded_at, effective_at, actor, kind, schema_version, subject,"
    " plan_revision, payload, prev_hash, hash, signature FROM event WHERE seq = 1"
)


def other(ledger: Ledger) -> sqlite3.Connection:
    return sqlite3.connect(ledger.site_dir / "ledger.db", isolation_level=None)


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("UPDATE event SET actor = 'eve' WHERE seq = 1", "never changed"),
        ("DELETE FROM event WHERE seq = 2", "never deleted"),
        (COPY, "in order"),
    ],
)
def test_events_are_append_only(ledger: Ledger, sql: str, said: str) -> None:
    """Even for someone with the file and SQLite's own shell."""
    connection = other(ledger)

    with pytest.raises(sqlite3.IntegrityError, match=said):
        connection.execute(sql)

    connection.close()


def test_missing_ledger_says_how_to_make_one(tmp_path: Path) -> None:
    """The first thing a new user meets."""
    for opened in (Ledger.open, open_snapshot):
        with pytest.raises(UnreachableError, match="no ledger yet") as refused:
            opened(tmp_path)
        assert "plan adopt" in refused.value.hint


def test_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    """A text file, or half a download."""
    (tmp_path / "ledger.db").write_bytes(b"hello " * 1000)

    for opened in (Ledger.open, open_snapshot):
        with pytest.raises(UnreachableError, match="damaged or not a database") as refused:
            opened(tmp_path)
        assert "audit" in refused.value.hint


def test_foreign_database_and_other_format_are_refused(tmp_path: Path, ledger: Ledger) -> None:
    """Another program's file, and a ledger of another version."""
    sqlite3.connect(tmp_path / "ledger.db").execute("CREATE TABLE t (x)").connection.close()
    with pytest.raises(UnreachableError, match="not a ledger"):
        open_snapshot(tmp_path)

    connection = other(ledger)
    connection.execute(f"PRAGMA user_version={FORMAT + 1}")
    connection.close()
    with pytest.raises(UnreachableError, match=f"format {FORMAT + 1}"):
        Ledger.open(ledger.site_dir)


def test_damage_inside_the_file_is_told_in_words(ledger: Ledger) -> None:
    """A flipped page is not a traceback."""
    ledger.close()
    connection = other(ledger)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    path = ledger.site_dir / "ledger.db"
    raw = bytearray(path.read_bytes())
    raw[4096:] = b"\xff" * (len(raw) - 4096)
    path.write_bytes(bytes(raw))

    with pytest.raises(UnreachableError, match="damaged"), open_snapshot(ledger.site_dir) as snapshot:
        head(snapshot)


def head_and_site(site_dir: Path) -> tuple[SiteHead, SiteRow]:
    with open_snapshot(site_dir) as snapshot:
        return head(snapshot), site_of(snapshot)


@pytest.mark.own_file
@pytest.mark.parametrize("table", ["site", "event", "plan_revision"])
def test_damage_to_one_table_is_told_in_words_too(ledger: Ledger, table: str) -> None:
    ledger.close()
    connection = other(ledger)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    (page,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", [table]).fetchone()
    connection.close()
    path = ledger.site_dir / "ledger.db"
    raw = bytearray(path.read_bytes())
    raw[4096 * (page - 1) : 4096 * page] = b"\xff" * 4096
    path.write_bytes(bytes(raw))

    with pytest.raises(UnreachableError, match="damaged"):
        head_and_site(ledger.site_dir)
    with (
        Ledger.open(ledger.site_dir, clock=ledger.clock) as again,
        pytest.raises(UnreachableError, match="damaged"),
        again.dry_run(),
    ):
        start(again, "tech", "001@site")


DROPPED = "DROP TABLE correction;"
VIRTUAL = "CREATE VIRTUAL TABLE correction USING rtree(seq, low, high);"
DISGUISED = """PRAGMA writable_schema = 1;
UPDATE sqlite_master SET sql = replace(sql, 'VIRTUAL TABLE', 'VIRTUAL/**/TABLE');"""
ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS seq FROM n"


@pytest.mark.own_file
@pytest.mark.parametrize(
    "sql",
    [
        f"{DROPPED} CREATE VIEW correction AS {ENDLESS}",
        "ALTER TABLE correction ADD COLUMN more TEXT AS (hex(zeroblob(1000000000)))",
        "CREATE INDEX more ON event (length(payload))",
        f"{DROPPED} {VIRTUAL}",
        f"{DROPPED} {VIRTUAL} {DISGUISED}",
    ],
)
def test_a_file_that_works_out_rows_is_not_read(ledger: Ledger, sql: str) -> None:
    """Somebody put such a file there by hand. Reading it would never end, or would take all the memory."""
    connection = other(ledger)
    connection.executescript(sql)
    connection.close()

    for opened in (Ledger.open, open_snapshot):
        with pytest.raises(UnreachableError, match="is worked out, and is no table of a ledger"):
            opened(ledger.site_dir)
    assert [finding.where for finding in audit(ledger.site_dir)] == ["file"]


@pytest.mark.own_file
def test_locked_ledger_says_so(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    """A backup tool that holds the lock is named as such, not as a crash."""
    monkeypatch.setattr(sqlite, "BUSY_SECONDS", 0.2)
    holder = other(ledger)
    holder.execute("BEGIN IMMEDIATE")

    with Ledger.open(ledger.site_dir) as second, pytest.raises(UnreachableError, match="another program has locked"):
        comment(second, "pm", "001@site", "hello")

    holder.close()


def test_ledger_is_never_overwritten(ledger: Ledger, clock: Clock) -> None:
    """Genesis happens once."""
    with pytest.raises(InputError, match="exists already"):
        create_ledger(ledger.site_dir, site_name="x", time_zone="UTC", rehearsal=True, owner="pm", clock=clock)


def two_starts(ledger: Ledger) -> None:
    with ledger.batch():
        start(ledger, "tech", "001@site")
        start(ledger, "tech", "020@pod-001")


def test_batch_is_all_or_nothing(ledger: Ledger, look: Look) -> None:
    """A refused decision takes the others of its batch with it."""
    before = head(look())

    with pytest.raises(NotSatisfiedError, match="020@pod-001"):
        two_starts(ledger)

    assert head(look()) == before
    with ledger.batch():
        start(ledger, "tech", "001@site")
        comment(ledger, "tech", "001@site", "begun")
    assert head(look()).seq == before.seq + 2


@pytest.mark.parametrize("now", [None, T0])
def test_a_snapshot_is_of_the_moment_at_which_it_was_opened(ledger: Ledger, look: Look, now: datetime | None) -> None:
    """Two questions have two answers about one record."""
    opened = look(now)
    comment(ledger, "pm", "001@site", "meanwhile")

    assert head(opened).seq == head(look()).seq - 1


def test_dry_run_asks_every_rule_and_forgets(ledger: Ledger, look: Look) -> None:
    """The same code path as the real thing."""
    before = head(look())

    with ledger.dry_run():
        start(ledger, "tech", "001@site")
        with pytest.raises(NotSatisfiedError, match="in progress"):
            start(ledger, "tech", "001@site")

    assert head(look()) == before


def test_another_process_sees_a_commit_by_its_last_event(ledger: Ledger) -> None:
    """That is what wakes the dispatcher."""
    before = last_event(ledger.site_dir)
    assert last_event(ledger.site_dir) == before

    comment(ledger, "pm", "001@site", "wake up")

    assert last_event(ledger.site_dir) != before


def test_write_ahead_log_and_full_sync_are_on(ledger: Ledger) -> None:
    """An effect is recorded before its successor starts, power cut or not."""
    with ledger.write() as writing:
        connection = writing.projection.connection
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 2
