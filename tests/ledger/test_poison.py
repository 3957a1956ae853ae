"""Poison by SQL: what a role of the server, or the file's own account, writes by hand. It stops nobody, and the audit names it.

The values are made from the types of the columns: out of range, of another type, endless, empty, huge, nested.
"""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import psycopg
import pytest

from ledger.entries import Claim, Reservation
from ledger.log.chain import event_hash
from ledger.log.columns import COLUMNS
from ledger.machine_time import machine_time
from ledger.project_time import project_now
from ledger.questions.journal import event_lines, journal
from ledger.questions.log import last_events
from ledger.questions.moved import moved
from ledger.questions.orders import order_history
from ledger.reading import open_snapshot
from ledger.rules.text import require_visible_text
from ledger.stores.installing import install_sql, roles_sql
from ledger.subjects.people.decisions import redact, take_away
from ledger.subjects.plan.decisions import adopt_plan, create_ledger
from ledger.subjects.work.decisions import comment
from ledger.trust.audit import audit
from ledger.trust.backup import back_up
from ledger.writing import Ledger
from schedule.errors import ClusterwrightError, InputError
from tests.commands import called
from tests.ledger.conftest import PEOPLE
from tests.ledger.sharing import READ, Shared, take, with_own_accounts
from tests.ledger.test_shared_server import crafted
from tests.postgres_server import Server

pytestmark = pytest.mark.own_file  # it brings its own servers and its own files

TIMES = (
    "2026-11-24T24:00:00.000000Z",
    "2026-11-24T23:59:60.000000Z",
    "2026-02-30T10:00:00.000000Z",
    "2026-11-24T10:00:00.000000+0",
    "2026-11-24 10:00",
    "0000-01-01T00:00:00.000000Z",
    "0001-01-01T00:00:00.000000Z",
    "9999-12-31T23:59:59.999999Z",
    "٢٠٢٦-11-24T10:00:00.000000Z",
    "infinity",
    "-infinity",
    "now",
    "epoch",
    "",
)
"""Of a column of times."""

TEXTS = ("", "x" * 20_000, "\u202e\u0007#/\n")
"""Of a column of text."""

JSONS = (
    "",
    "null",
    "[]",
    "1e999999999",
    '{"text":"x"',
    '{"text":NaN}',
    '{"text":"\\ud800"}',
    '{"text":' + "9" * 5000 + "}",
    '{"digest":' + "[" * 5000 + "]" * 5000 + "}",
    '{"text":"' + "x" * 4_100_000 + '"}',
    '{"text":"x","clock_behind_s":-1}',
)
"""Of a payload."""

NUMBERS = (-1, 0, 2**31 - 1)
"""Of a column of numbers."""

OF_COLUMN: dict[str, tuple[Any, ...]] = {
    **dict.fromkeys(("recorded_at", "effective_at"), TIMES),
    **dict.fromkeys(("actor", "kind", "subject", "hash", "signature"), TEXTS),
    "payload": JSONS,
    "schema_version": NUMBERS,
    "plan_revision": NUMBERS,
}

WELL_FORMED: tuple[dict[str, Any], ...] = (
    {
        "kind": "authority.delegated",
        "subject": "role/visitor",
        "payload": '{"delegation":"D-0001","to":"tech","role":"visitor","since":"2026-01-01T00:00:00","until":"9999-12-31T23:59:59",'
        '"reason":"x","statement":null}',
    },
    {
        "kind": "witness.invited",
        "payload": '{"roles":["visitor"],"on":"2026-11-24T10:00:00","agreed":true,"earliest":"2026-11-24T10:00:00","role":"visitor"}',
    },
    {
        "kind": "activity.signed",
        "schema_version": 2,
        "payload": json.dumps(
            {
                "meaning": "approved",
                "comment": "",
                "role": "visitor",
                "assurance": "recorded",
                "result": "done",
                "witnesses": [],
            }
            | {"statement": "[" * 100_000}
        ),
    },
    {"kind": "order.promised", "subject": "001@site#gpu-server", "payload": '{"promised":"infinity"}'},
    {"payload": '{"text":"' + "x" * 250_000 + '"}'},
    {"kind": "plan.adopted", "subject": "plan/2", "payload": '{"people":7}'},
    {"kind": "person.redacted", "subject": "person/", "payload": "{}"},
    {"kind": "rules.raised", "subject": "rules", "payload": "{}"},
    {"kind": "run.settled", "payload": "{}"},
)


def poisoned() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield what each poison is, and what it changes in an event that could be right."""
    for column, values in OF_COLUMN.items():
        for value in values:
            yield f"{column} {str(value)[:40]!r}", {column: value}
    for changed in WELL_FORMED:
        yield str(changed)[:80], changed


def read_everything(site_dir: Path) -> None:
    """Ask what lists events, as the commands and the screens do."""
    with open_snapshot(site_dir) as snapshot:
        end = last_events(snapshot, 1)[0].seq
        assert len(journal(snapshot, 10_000)) == end
        for seq in range(1, end + 1):
            event_lines(snapshot, seq)
        moved(snapshot, 0)
        order_history(snapshot, "001@site#gpu-server")


@pytest.fixture
def site(postgres: Server, tmp_path: Path) -> Shared:
    """Return a site whose roles are those that `clusterwright database roles` makes."""
    shared = Shared(postgres, tmp_path)
    postgres.psql(shared.name, "\n".join(roles_sql(shared.name, PEOPLE, engine="runner")))
    return shared


@pytest.mark.parametrize(("role", "actor"), [("guest", "guest"), ("pm", "pm"), ("runner", "engine")])
def test_what_a_role_appends_stops_nobody(site: Shared, role: str, actor: str) -> None:
    """The server refuses it, or each copy does, and names it. Others decide within a second."""
    with site.open("lead") as others, site.log(role) as log:
        for what, changed in poisoned():
            try:
                log.append([crafted(log, **{"actor": actor} | changed)], [])
            except ClusterwrightError:
                log.close()
                continue
            began = time.monotonic()
            comment(others, "lead", "001@site", "next")
            assert time.monotonic() - began < 1.0, what

    for person in ("lead", "tech"):
        site.open(person).close()
        (site.of(person) / "site.yaml").touch()
        read_everything(site.of(person))
        for command in ("log", "status", "audit"):
            done = called([command, "--site", site.of(person)])
            assert done.returncode in {0, 1}, done.stderr
        found = audit(site.of(person))
        assert found.with_effect == []
    assert back_up(site.of("lead"), site.folder / "b.tar.gz", made_at=machine_time(), program="x").findings == found


@pytest.fixture
def own_file(tmp_path: Path) -> Path:
    """Return the folder of a site whose ledger is a file."""
    folder = tmp_path / "own"
    with create_ledger(
        folder, site_name="S", time_zone="America/Los_Angeles", rehearsal=False, owner="pm", clock=project_now
    ) as ledger:
        adopt_plan(ledger, "pm", with_own_accounts(), reason="first")
    (folder / "site.yaml").touch()
    return folder


def append_by_hand(folder: Path, **changed: Any) -> None:
    """Append an event to a file as its account can, with a right hash where there is one."""
    with closing(sqlite3.connect(folder / "ledger.db")) as db, db:
        seq, before = db.execute("SELECT seq, hash FROM event ORDER BY seq DESC LIMIT 1").fetchone()
        row = BY_HAND | {"seq": seq + 1, "prev_hash": before} | changed
        row.setdefault("hash", event_hash(row))
        marks = ", ".join(f":{name}" for name in COLUMNS)
        db.execute(f"INSERT INTO event ({', '.join(COLUMNS)}) VALUES ({marks})", row)


BY_HAND: dict[str, Any] = {
    "recorded_at": "2026-11-24T10:00:00.000000Z",
    "effective_at": "2026-11-24T10:00:00.000000Z",
    "actor": "guest",
    "kind": "activity.commented",
    "schema_version": 1,
    "subject": "001@site",
    "plan_revision": 1,
    "payload": '{"text":"by hand"}',
    "signature": None,
}

OF_FILES: dict[str, tuple[Any, ...]] = {
    name: (*values, b"\xff\x00", *((7.5, "x") if values is NUMBERS else ())) for name, values in OF_COLUMN.items()
}
"""A column of a file takes values of any type, and a number in a column of text becomes text."""


def test_what_the_account_of_a_file_appends_stops_nobody(own_file: Path) -> None:
    """Reading, deciding, the audit and the backup go on. The audit names every event."""
    poison = [{column: value} for column, values in OF_FILES.items() for value in values if column != "hash"]
    with Ledger.open(own_file) as ledger:
        for changed in [*poison, *WELL_FORMED]:
            append_by_hand(own_file, **changed)
            began = time.monotonic()
            comment(ledger, "lead", "001@site", "next")
            assert time.monotonic() - began < 1.0, changed
    read_everything(own_file)
    for command in ("log", "status", "audit"):
        done = called([command, "--site", own_file])
        assert done.returncode in {0, 1}, done.stderr
    found = audit(own_file)
    assert all(finding.refused for finding in found), [finding for finding in found if not finding.refused]
    assert len({finding.where for finding in found}) == len(poison) + len(WELL_FORMED)
    assert found.with_effect == []
    made = back_up(own_file, own_file.parent / "b.tar.gz", made_at=machine_time(), program="x")
    assert made.findings == found
    with Ledger.open(own_file) as ledger:
        comment(ledger, "lead", "001@site", "after all")


def test_the_server_takes_a_time_exactly_if_the_program_reads_it(site: Shared) -> None:
    """What one accepts and the other does not read would stop every copy."""
    with site.log("guest") as log:
        for text in TIMES:
            with pytest.raises(ClusterwrightError):
                log.append([crafted(log, actor="guest", effective_at=text)], [])
        for text in ("0001-01-02T00:00:00.000000Z", "9999-12-30T23:59:59.999999Z", "2028-02-29T00:00:00.000000Z"):
            log.append([crafted(log, actor="guest", effective_at=text)], [])
    assert len(audit(site.of("lead"))) == 3


OTHERS: tuple[Any, ...] = (None, "", "infinity", -1, 1e300, 2**63, True, [], [1], {}, "2026-11-24T24:00:00.000000Z")


def of_another_type(value: Any) -> Iterator[Any]:
    """Yield what somebody may write in the place of a value."""
    for other in OTHERS:
        if type(other) is not type(value) or other in ("infinity", 2**63, [1]):
            yield other


def junk(row: dict[str, Any]) -> Iterator[Any]:
    """Yield rows that are no claim or reservation: without a field, with another one, with a value of another type."""
    yield from (None, 7, "x", [], {}, row | {"mine": 1})
    for name, value in row.items():
        yield {other: kept for other, kept in row.items() if other != name}
        for wrong in of_another_type(value):
            is_text = isinstance(value, str) and name not in {"lease_until", "since"}
            is_number = name == "float_h" and isinstance(wrong, int) and abs(wrong) < 2**53
            if not (is_text and isinstance(wrong, str)) and not is_number:
                yield row | {name: wrong}


NOW = "2026-11-24T10:00:00.000000Z"
HELD = dict(zip(Claim._fields, ("030@pod-001", 1, "R-1", "engine-1", NOW, "h", "b", 1, 1, ["h1"]), strict=True))
RESERVED = dict(
    zip(Reservation._fields, (READ, "engine-1", 1, 0.5, NOW, ["h1"], False, NOW, "h", "b", 1, 0), strict=True)
)


def calls(site: Shared, role: str, text: str, *values: Any) -> None:
    """Run a statement as a role."""
    with psycopg.connect(site.server.url(site.name, role), autocommit=True) as db:
        db.execute(text.encode(), values)


def test_claims_that_nobody_can_read_hold_nobody_up(site: Shared) -> None:
    """The server refuses them. Each copy leaves out what an earlier server took, and the audit names it."""
    site.open("lead").close()
    for call, right in (("hold", HELD), ("reserve", RESERVED)):
        text = f"SELECT clusterwright.{call}(%s)"
        with psycopg.connect(site.server.url(site.name, "runner"), autocommit=True) as db:
            for rows in (right, None, "x", *([row] for row in junk(right)), [[right]]):
                with pytest.raises(psycopg.Error):
                    db.execute(text.encode(), [json.dumps(rows)])
            db.execute(text.encode(), [json.dumps([right])])
            db.execute(text.encode(), ["[]"])
    with psycopg.connect(site.server.url(site.name, "admin")) as db, db.cursor() as cursor:
        rows = [(f"junk {number}", json.dumps(row)) for number, row in enumerate(junk(HELD))]
        cursor.executemany("INSERT INTO clusterwright.claim VALUES (%s, %s)", rows)
        rows = [(f"junk {number}", json.dumps(row)) for number, row in enumerate(junk(RESERVED))]
        cursor.executemany("INSERT INTO clusterwright.reservation VALUES (%s, 'x', %s)", rows)

    began = time.monotonic()
    with site.open("lead") as ledger:
        comment(ledger, "lead", "001@site", "next")
    assert time.monotonic() - began < 1.0
    found = audit(site.of("lead"))
    assert {finding.where.split()[0] for finding in found} == {"claim", "reservation"}
    assert found.with_effect == []
    with Ledger.open(site.of("runner")) as engine:
        assert take(engine, "engine-1") is not None
    assert {finding.where.split()[0] for finding in audit(site.of("lead"))} == {
        "reservation"
    }  # claims are replaced together


JUNK = (b"junk", b"", b"\xff\xfe", b"[]", b"{}", b'{"id":1,"name":"x"}', b'{"id":"lead","name":"' + b"x" * 20_000 + b'"}', b"[" * 9000)  # fmt: skip


def test_a_name_that_is_none_stops_no_redaction_and_no_adoption(site: Shared) -> None:
    """The server takes names of those who adopt plans only. What an earlier server took is left out and named."""
    for content in JUNK:
        for role in ("guest", "pm"):
            with pytest.raises(psycopg.Error):
                calls(site, role, "SELECT clusterwright.keep_name(%s)", content)
        calls(site, "admin", "INSERT INTO clusterwright.name VALUES (encode(sha256(%s), 'hex'), %s)", content, content)
    with pytest.raises(psycopg.Error, match="permission denied to store names"):
        calls(site, "guest", "SELECT clusterwright.keep_name(%s)", b'{"id":"lead","name":"Mine"}')

    with site.open("pm") as ledger:
        adopt_plan(ledger, "pm", with_own_accounts(), reason="again")
        redact(ledger, "pm", "tech", "asked for it")
        take_away(ledger)
    site.open("lead").close()

    found = audit(site.of("lead"))
    assert {finding.where.split()[0] for finding in found} == {"name"}
    assert len(found) == len(JUNK)
    assert found.with_effect == []
    (site.of("lead") / "site.yaml").touch()
    assert back_up(site.of("lead"), site.folder / "b.tar.gz", made_at=machine_time(), program="x").findings == []


def test_what_is_larger_than_programs_write_is_refused(site: Shared) -> None:
    """A comment of 16 MB or a signature of 30 MB would be copied into every folder for ever."""
    with site.log("guest") as log:
        for changed in (
            {"payload": json.dumps({"text": "x" * 250_000}, separators=(",", ":"))},
            {"signature": "x" * 30_000},
            {"kind": "order.promised", "payload": json.dumps({"reason": "x" * 5_000_000})},
        ):
            with pytest.raises(ClusterwrightError, match="larger than any that a program writes"):
                log.append([crafted(log, actor="guest", **changed)], [])
    with pytest.raises(InputError, match="the text has 20,001 characters; 20,000 are the most"):
        require_visible_text(comment, (None, "lead", "001@site", "x" * 20_001), {})


def test_a_role_cannot_take_all_connections(site: Shared) -> None:
    """A server has few of them. A role that holds all of them locks everybody out."""
    address = site.server.url(site.name, "guest")
    held = [psycopg.connect(address) for _ in range(10)]
    try:
        with pytest.raises(psycopg.OperationalError, match="too many connections for role"):
            psycopg.connect(address)
        with site.open("lead") as ledger:
            comment(ledger, "lead", "001@site", "still here")
    finally:
        for connection in held:
            connection.close()


def test_sessions_that_take_turns_do_not_starve_a_decision(site: Shared) -> None:
    """Six sessions of one role hold the log one after the other, each as long as it may."""
    site.server.psql(site.name, install_sql().replace("20 seconds", "1 second"))
    over = threading.Event()

    def hold() -> None:
        while not over.is_set():
            with suppress(psycopg.Error), psycopg.connect(site.server.url(site.name, "guest")) as db:
                db.execute("SELECT clusterwright.take_turn()")
                over.wait(0.9)

    holding = [threading.Thread(target=hold) for _ in range(6)]
    for thread in holding:
        thread.start()
    try:
        with site.open("lead") as ledger:
            for _ in range(3):
                began = time.monotonic()
                comment(ledger, "lead", "001@site", "my turn")
                assert time.monotonic() - began < 2.5
    finally:
        over.set()
        for thread in holding:
            thread.join()
