"""The audit: replay equals projections, and tampering is found and named."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import Engine

from ledger.evidence.folder import place_of
from ledger.questions.records import evidence
from ledger.stores import file
from ledger.stores.sqlite import TRIGGERS
from ledger.subjects.work.decisions import comment
from ledger.subjects.work.evidence_decisions import attach
from ledger.trust.audit import audit
from ledger.trust.chain import Finding
from ledger.trust.checkpoint import differing_from_file
from ledger.writing import Ledger
from schedule.errors import UnreachableError
from tests.ledger.conftest import Clock, Look, StateOf
from tests.ledger.journey import all_but_gate, bought


def tamper(ledger: Ledger, sql: str, *values: object) -> None:
    """Do what an attacker with the file would: drop the triggers, change, put them back."""
    connection = sqlite3.connect(ledger.site_dir / "ledger.db", isolation_level=None)
    for name in TRIGGERS:
        connection.execute(f"DROP TRIGGER {name}")
    connection.execute(sql, values)
    for trigger in TRIGGERS.values():
        connection.execute(trigger)
    connection.close()


def by_hand(ledger: Ledger, sql: str) -> None:
    """Change the file beside the program."""
    with closing(sqlite3.connect(ledger.site_dir / "ledger.db", isolation_level=None)) as connection:
        connection.execute(sql)


def test_whole_site_replays_to_the_same_rows(ledger: Ledger, clock: Clock, state: StateOf) -> None:
    """From the first order to the last run, every projection is what its events say."""
    all_but_gate(ledger, clock)

    assert state("195@site") == "ready"
    assert audit(ledger.site_dir) == []


@pytest.mark.parametrize(
    "column",
    ["recorded_at", "effective_at", "actor", "kind", "subject", "payload", "prev_hash", "hash"],
)
def test_any_changed_byte_of_an_event_is_found_and_named(ledger: Ledger, column: str) -> None:
    """One flipped character in any column. A rule or a parser may notice it too; the hash must."""
    bought(ledger)

    tamper(ledger, f"UPDATE event SET {column} = substr({column}, 1, 4) || 'X' || substr({column}, 6) WHERE seq = 4")

    found = [finding.message for finding in audit(ledger.site_dir) if finding.where == "event 4"]
    assert any(said.endswith(" was changed after recording") for said in found), found


def test_removed_and_reordered_events_are_found(ledger: Ledger) -> None:
    """A gap is a finding, even where the events after it are renumbered."""
    bought(ledger)

    tamper(ledger, "DELETE FROM event WHERE seq = 4")

    assert Finding("event 5", "events 4 to 4 are missing") in audit(ledger.site_dir)


def test_missing_trigger_is_found(ledger: Ledger) -> None:
    """The guard itself is guarded."""
    by_hand(ledger, "DROP TRIGGER event_no_update")

    assert [f.where for f in audit(ledger.site_dir)] == ["trigger event_no_update"]


def test_changed_projection_is_named_by_table_row_and_column(ledger: Ledger) -> None:
    """A step set done by hand in the file is not done."""
    by_hand(ledger, "UPDATE activity SET state = 'done' WHERE id = '195@site'")

    assert audit(ledger.site_dir) == [Finding("activity 195@site", "state is 'done'; its events say 'open'")]


def test_invented_row_is_found(ledger: Ledger) -> None:
    """A sign-off that no event made."""
    by_hand(ledger, "INSERT INTO comment (seq, activity, person, text, at) VALUES (99, '001@site', 'pm', 'x', '2026')")

    assert audit(ledger.site_dir) == [Finding("comment 99", "was made by no event")]


@pytest.mark.own_file
def test_forged_or_missing_evidence_is_found(ledger: Ledger, look: Look) -> None:
    """Files are part of the record."""
    attach(ledger, "tech", "001@site", b"quote", "quote")
    digest = evidence(look(), "001@site")[0].digest

    place_of(ledger.site_dir, digest).unlink()

    assert audit(ledger.site_dir) == [Finding(f"evidence {digest[:12]}", "missing or changed (event 3, 001@site)")]


@pytest.mark.own_file
def test_damaged_file_is_a_finding_not_a_crash(ledger: Ledger) -> None:
    """The audit is what one runs on a damaged file."""
    comment(ledger, "pm", "001@site", "x")
    ledger.close()
    path = ledger.site_dir / "ledger.db"
    raw = path.read_bytes()
    path.write_bytes(b"not a database at all" + raw[21:])

    assert [f.where for f in audit(ledger.site_dir)] == ["file"]


@pytest.mark.own_file
def test_what_cannot_be_opened_now_is_no_fault_of_the_record(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Who audits every night would be told that the record was changed."""
    monkeypatch.setattr(file, "BUSY_SECONDS", 0.1)
    ledger.close()
    with closing(sqlite3.connect(ledger.site_dir / file.LEDGER_FILE, isolation_level=None)) as other:
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(UnreachableError, match="another program has locked"):
            audit(ledger.site_dir)
    (tmp_path / "empty").mkdir()
    with pytest.raises(UnreachableError, match="has no ledger yet"):
        audit(tmp_path / "empty")


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every ledger count as one that two processes look at."""
    monkeypatch.setattr("ledger.trust.audit.APART", 1)


@pytest.mark.slow
@pytest.mark.own_file
@pytest.mark.usefixtures("large")
def test_a_large_ledger_is_audited_by_two_processes_with_the_same_findings(ledger: Ledger, clock: Clock) -> None:
    all_but_gate(ledger, clock)
    assert audit(ledger.site_dir) == []

    tamper(ledger, "UPDATE activity SET state = 'done' WHERE id = '195@site'")
    assert audit(ledger.site_dir) == [Finding("activity 195@site", "state is 'done'; its events say 'open'")]

    tamper(ledger, "DELETE FROM event WHERE seq = 4")
    assert audit(ledger.site_dir) == [
        Finding("event 5", "events 4 to 4 are missing"),
        Finding("event 5", "does not follow the event before it: the hash chain is broken"),
    ]


@pytest.mark.slow
@pytest.mark.own_file
@pytest.mark.usefixtures("large")
@pytest.mark.parametrize("column", ["recorded_at", "payload", "kind"])
def test_what_cannot_be_replayed_at_all_is_named_by_the_other_process(ledger: Ledger, column: str) -> None:
    bought(ledger)

    tamper(ledger, f"UPDATE event SET {column} = 'x' WHERE seq = 4")

    assert [f.where for f in audit(ledger.site_dir)] == ["event 4"]


@pytest.mark.slow
@pytest.mark.usefixtures("large")
def test_a_replay_of_forged_events_is_forgotten(ledger: Ledger) -> None:
    """The last hash covers every event only while the chain is whole."""
    seq = comment(ledger, "pm", "001@site", "seen").seq
    tamper(ledger, "UPDATE event SET payload = replace(payload, 'seen', 'sewn') WHERE seq = ?", seq)
    assert [f.where for f in audit(ledger.site_dir)] == [f"event {seq}"]
    tamper(ledger, "UPDATE event SET payload = replace(payload, 'sewn', 'seen') WHERE seq = ?", seq)

    assert audit(ledger.site_dir) == []


def rows(ledger: Ledger, sql: str) -> list[tuple[object, ...]]:
    """Return what a query finds."""
    with closing(sqlite3.connect(ledger.site_dir / "ledger.db")) as connection:
        return connection.execute(sql).fetchall()


def test_an_audit_sees_the_ledger_as_it_was_when_it_began(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who writes meanwhile is neither kept waiting nor taken for a fault."""
    bought(ledger)

    def meanwhile(replay: Engine, site_dir: Path) -> set[str]:
        comment(ledger, "pm", "001@site", "while you look")
        return differing_from_file(replay, site_dir)

    monkeypatch.setattr("ledger.trust.audit.differing_from_file", meanwhile)

    assert audit(ledger.site_dir) == []
    assert len(rows(ledger, "SELECT seq FROM comment")) == 1
