"""A ledger that people on several machines share through PostgreSQL: each a role of the server and a folder of their own."""

from __future__ import annotations

import json
import os
import shutil
import socket
import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest

from flows.engine.ledger_changes import LedgerChanges
from ledger.entries import RunOutcome
from ledger.machine_time import machine_time
from ledger.questions.case import require_activity
from ledger.questions.people import people
from ledger.questions.records import evidence
from ledger.questions.site import head
from ledger.reading import open_snapshot
from ledger.rules.version import RULES
from ledger.stores.installing import install_sql, roles_sql
from ledger.stores.leading import Lead
from ledger.stores.postgres import Database
from ledger.stores.shared_log import SharedLog
from ledger.subjects.people.decisions import redact, take_away
from ledger.subjects.plan.decisions import adopt_plan, create_ledger
from ledger.subjects.runs.decisions import lapsed_claims, renew, settle
from ledger.subjects.work.decisions import comment, finish, start
from ledger.subjects.work.evidence_decisions import attach
from ledger.trust.audit import audit
from ledger.trust.backup import back_up, restore
from ledger.trust.chain import Finding
from ledger.trust.moving import move
from ledger.writing import Ledger
from schedule.errors import InputError, NotSatisfiedError, UnreachableError
from tests.commands import called
from tests.ledger.conftest import elsewhere, share
from tests.ledger.sharing import READ, ROLES, Shared, copy_of, every_event, take, with_own_accounts
from tests.needs import needs_postgres
from tests.ports import free_port
from tests.postgres_server import EVERYBODY, Server
from tests.small_disk import full, small_disk_at

pytestmark = pytest.mark.own_file  # it brings its own servers, wherever the run's ledgers are


@pytest.fixture
def site(postgres: Server, tmp_path: Path) -> Shared:
    return Shared(postgres, tmp_path)


def test_two_engines_on_two_machines_never_run_the_same(site: Shared) -> None:
    """Claims are shared, go by the server's clock, and are the engine's alone."""
    one, other = site.of(EVERYBODY), elsewhere(site.of(EVERYBODY), "other-machine")
    with Ledger.open(one) as first, Ledger.open(other) as second:
        held = take(first, "engine-1")
        assert held is not None
        assert take(second, "engine-2") is None
        assert [c.owner for c in lapsed_claims(second)] == []
        later = renew(first, "engine-1", READ, 600)
        assert later.lease_until > held.lease_until
        second.log.catch_up()
        with pytest.raises(NotSatisfiedError, match="lost lease"):
            renew(second, "engine-2", READ, 600)
    with (
        site.open("tech") as ledger,
        pytest.raises(NotSatisfiedError, match="tech"),
    ):
        settle(ledger, "engine-1", READ, RunOutcome("ok"))


def test_folders_on_several_machines_see_the_same(site: Shared) -> None:
    """What one records the next one reads, file and all, and the audit of each copy is green."""
    with site.open("tech") as ledger:
        attach(ledger, "tech", "001@site", b"a quote", "quote")
        start(ledger, "tech", "001@site")
    with site.open("lead") as ledger, open_snapshot(site.of("lead")) as snapshot:
        assert [e.name for e in evidence(snapshot, "001@site")] == ["quote.txt"]
        with pytest.raises(NotSatisfiedError, match=r"in.progress"):
            start(ledger, "lead", "001@site")
        comment(ledger, "lead", "001@site", "seen")
    with site.open("tech") as ledger:
        finish(ledger, "tech", "001@site")

    events = {}
    for role in ("pm", "tech", "lead"):
        with open_snapshot(site.of(role)) as snapshot:
            events[role] = every_event(snapshot)
    assert events["pm"] == events["tech"] == events["lead"]
    assert len(events["pm"]) == 6
    for role in ("pm", "tech", "lead"):
        assert audit(site.of(role)) == []
    assert next(
        path for path in (site.of("lead") / "evidence" / "sha256").glob("??/*") if path.read_bytes() == b"a quote"
    )


def test_whoever_is_refused_sees_what_stands_there_now(site: Shared) -> None:
    """Though nothing of their own was recorded."""
    with site.open("tech") as one, site.open("lead") as other:
        start(one, "tech", "001@site")
        with pytest.raises(NotSatisfiedError):
            start(other, "lead", "001@site")
        with copy_of(site.of("lead")) as copy:
            assert require_activity(copy, "001@site").state.value == "in_progress"


@pytest.mark.parametrize("minutes", [10, -10])
def test_a_machine_with_a_wrong_clock_records_by_the_databases(
    site: Shared, monkeypatch: pytest.MonkeyPatch, minutes: int
) -> None:
    """What a clock ahead had dated in the future counted in its own folder alone: every other one refused it."""

    def wrong() -> datetime:
        return machine_time() + timedelta(minutes=minutes)

    monkeypatch.setattr("ledger.stores.shared_log.machine_time", wrong)
    with Ledger.open(site.of("tech"), clock=wrong) as ledger:
        event = start(ledger, "tech", "001@site")

    assert abs(event.effective_at - machine_time()) < timedelta(minutes=1)
    with open_snapshot(site.of("lead")) as snapshot:
        assert require_activity(snapshot, "001@site").state.value == "in_progress"
    assert audit(site.of("lead")) == []


@pytest.mark.slow
@needs_postgres
def test_reading_goes_on_while_the_database_is_away(tmp_path: Path) -> None:
    """The copy says until when it is good; nothing is recorded, and everything is there afterwards."""
    server = Server()
    server.start("-c fsync=off")
    try:
        site = Shared(server, tmp_path / "sites")
        server.stop("immediate")
        with open_snapshot(site.of("pm")) as snapshot:
            assert head(snapshot).seq == 2
            assert snapshot.cut_off is not None
            assert "does not answer" in snapshot.cut_off
        with pytest.raises(UnreachableError, match="does not answer") as refused, site.open("pm") as ledger:
            comment(ledger, "pm", "001@site", "lost?")
        assert "nothing is recorded" in refused.value.hint
        with pytest.raises(UnreachableError, match="does not answer"):
            open_snapshot(site.of("tech"))  # who never read has no copy

        server.start("-c fsync=off")
        with site.open("pm") as ledger:
            assert comment(ledger, "pm", "001@site", "back").seq == 3
    finally:
        server.remove()


def test_what_the_database_has_is_not_said_to_be_lost_where_the_folders_disk_is_full(
    site: Shared, tmp_path: Path
) -> None:
    """It was recorded, and the person was told that the disk was full: who repeats it then records it twice."""
    with small_disk_at(tmp_path / "small", "4m") as small:
        own = small / "tech"
        own.mkdir()
        share(own, site.server.url(site.name, "tech"))
        with Ledger.open(own) as ledger, full(small):
            event = comment(ledger, "tech", "001@site", "once")
            with pytest.raises(UnreachableError, match="disk is full"):
                comment(ledger, "tech", "001@site", "not at all")
            with open_snapshot(own) as snapshot:
                assert "disk is full" in (snapshot.cut_off or "")
        for folder in (own, site.of("lead")):
            with open_snapshot(folder) as snapshot:
                assert head(snapshot).seq == event.seq
                assert snapshot.cut_off is None


def test_a_copy_that_cannot_follow_keeps_no_session(site: Shared, monkeypatch: pytest.MonkeyPatch) -> None:
    """An open screen tries again every few seconds: it took all the sessions that its account may have."""
    site.open("lead").close()
    with site.open("tech") as ledger:
        comment(ledger, "tech", "001@site", "news")
    monkeypatch.setattr(SharedLog, "_take_over", _fail)

    failures = []
    for _ in range(3):
        with pytest.raises(UnreachableError) as failed:
            site.open("lead")
        failures.append(failed)  # with all that it refers to
    sessions = "SELECT count(*) FROM pg_stat_activity WHERE usename = 'lead' AND datname = current_database()"
    _until(lambda: site.sql("admin", sessions) == [(0,)])


def _fail(*_: object) -> None:
    raise UnreachableError("the disk is full")


def _until(is_so: Callable[[], bool]) -> None:
    """Wait until a server has noticed that sessions were closed."""
    until = time.monotonic() + 3
    while not is_so():
        assert time.monotonic() < until
        time.sleep(0.05)


def test_doctor_names_a_database_that_does_not_answer(site: Shared, adopted_once: Path) -> None:
    """It said that all was in order, and to who had no copy yet nothing but that."""
    gone = f"postgresql://pm@127.0.0.1:{free_port()}/{site.name}"
    for role in ("pm", "tech"):
        shutil.copy(adopted_once / "site.yaml", site.of(role))
        share(site.of(role), gone)
        assert "does not answer" in _faults(site.of(role))

    share(site.of("pm"), site.server.url(site.name, "pm"))
    assert _faults(site.of("pm")) == ""


def _faults(folder: Path) -> str:
    """Return what `doctor` says of the record of a site that is a fault."""
    done = called(["doctor", "--json", "--site", folder])
    faults = [check for check in json.loads(done.stdout) if check["state"] == "fault"]
    assert done.returncode == bool(faults)
    return "; ".join(check["found"] for check in faults)


@pytest.mark.slow
@needs_postgres
def test_a_server_that_is_restarted_while_it_records_is_asked_what_it_has(tmp_path: Path) -> None:
    """It takes a second to come back, and was asked once, at once: nobody knew whether their decision counted."""
    server = Server()
    server.start("-c fsync=off")
    try:
        site = Shared(server, tmp_path / "sites")
        with open_snapshot(site.of("pm")) as snapshot:
            last = head(snapshot)
        with site.log("pm") as database:
            server.stop()
            restart = threading.Timer(1, server.start)
            restart.start()
            assert database.is_recorded(last.seq, last.hash)
            assert not database.is_recorded(last.seq + 1, last.hash)
        restart.join()
    finally:
        server.remove()


def test_an_audit_of_a_copy_that_cannot_follow_is_not_green(site: Shared, monkeypatch: pytest.MonkeyPatch) -> None:
    """It said that there were no findings, of the events that this folder has."""
    site.open("lead").close()
    with site.open("tech") as ledger:
        comment(ledger, "tech", "001@site", "news")
    monkeypatch.setattr(SharedLog, "_take_over", _fail)

    assert [(found.where, found.message) for found in audit(site.of("lead"))] == [("database", "the disk is full")]


def test_a_program_too_old_for_a_record_says_so_to_who_has_no_copy_of_it(
    site: Shared, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ledger.trust.judging.RULES", RULES - 1)
    judged = f"judged by version {RULES} of the rules"

    for _ in range(2):  # what the first one began to copy has no event
        with pytest.raises(UnreachableError, match=judged) as refused:
            open_snapshot(site.of("tech"))
        assert "upgrade" in refused.value.what
    with pytest.raises(UnreachableError, match=judged):
        site.open("tech")


def test_a_database_that_forgot_something_is_found_by_every_folder(site: Shared) -> None:
    """Each copy is a witness: an administrator who takes an event away is seen at the next look."""
    with site.open("tech") as ledger:
        comment(ledger, "tech", "001@site", "the pipe leaked")
    forget = "ALTER TABLE clusterwright.event DISABLE TRIGGER ALL; DELETE FROM clusterwright.event WHERE seq = 3"
    site.sql("admin", forget)

    with pytest.raises(UnreachableError, match="no longer has event 3 as this folder copied it"):
        site.open("tech")
    assert audit(site.of("tech")) == [Finding("event 3", "is missing from the database")]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            "UPDATE clusterwright.event SET account = 'lead' WHERE seq = 3",
            "appended by the account lead; the account of tech was tech",
        ),
        ("UPDATE clusterwright.event SET signature = 'x' WHERE seq = 3", "is another one in the database"),
        (
            "UPDATE clusterwright.person SET account = 'tech' WHERE id = 'lead'",
            "has the account tech in the database",
        ),
        ("UPDATE clusterwright.evidence SET content = 'y' WHERE content = 'a quote'", "was changed in the database"),
        ("DELETE FROM clusterwright.evidence WHERE content = 'a quote'", "is missing from the database"),
    ],
)
def test_the_audit_finds_what_an_administrator_changed(site: Shared, change: str, said: str) -> None:
    """Where the administrator took the guards away."""
    with site.open("tech") as ledger:
        attach(ledger, "tech", "001@site", b"a quote", "quote")
    assert audit(site.of("tech")) == []

    tables = ("event", "evidence")
    site.sql("admin", "; ".join(f"ALTER TABLE clusterwright.{t} DISABLE TRIGGER ALL" for t in tables) + "; " + change)

    assert any(said in finding.message for finding in audit(site.of("tech")))


def test_a_folder_that_was_mixed_up_is_refused(site: Shared, tmp_path: Path) -> None:
    """A copy without its log takes no decision; a record of its own is not mistaken for a copy."""
    (site.of("pm") / "ledger.yaml").unlink()
    with pytest.raises(UnreachableError, match=r"is a copy of a shared ledger, but ledger\.yaml"):
        Ledger.open(site.of("pm"))

    own = tmp_path / "own"
    create_ledger(own, site_name="Own", time_zone="UTC", rehearsal=False, owner="pm", clock=machine_time).close()
    share(own, site.server.url(site.name, "pm"))
    with pytest.raises(InputError, match="is a ledger of its own"):
        Ledger.open(own)
    with pytest.raises(InputError, match="exists already"):
        create_ledger(
            site.of("tech"), site_name="Other", time_zone="UTC", rehearsal=False, owner="tech", clock=machine_time
        )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("database: postgresql://pm:secret@127.0.0.1/x", "the URL has a password"),
        ("database: postgresql://127.0.0.1/x?password=secret", "the URL has a password"),
        ("database: mysql://127.0.0.1/x", "does not name a database"),
        ("databse: postgresql://127.0.0.1/x", "does not name a database"),
        ("- 1", "does not name a database"),
    ],
)
def test_a_bad_ledger_yaml_says_what_is_wrong(tmp_path: Path, text: str, said: str) -> None:
    """With the file's name, and without repeating a password."""
    (tmp_path / "ledger.yaml").write_text(text)
    with pytest.raises(InputError, match=said) as refused:
        Ledger.open(tmp_path)
    assert "ledger.yaml" in str(refused.value)
    assert "secret" not in str(refused.value)


def test_a_database_without_a_ledger_says_how_to_install_one(postgres: Server, tmp_path: Path) -> None:
    """The administrator has not been there yet."""
    share(tmp_path, postgres.url("postgres", "admin"))
    with pytest.raises(UnreachableError, match="has no ledger installed") as refused:
        Ledger.open(tmp_path)
    assert "clusterwright database sql" in refused.value.hint


@pytest.mark.parametrize(
    ("words", "said", "hint"),
    [
        ("the database system is starting up", "does not answer", "try again"),
        ("sorry, too many clients already", "has too many sessions", "close screens"),
        ('too many connections for role "tech"', "has too many sessions", "close screens"),
        (
            "remaining connection slots are reserved for non-replication superuser connections",
            "has too many sessions",
            "close screens",
        ),
        ('role "tech" is not permitted to log in', "refuses the connection", "database roles"),
        ('database "site" does not exist', "refuses the connection", "check ledger.yaml"),
    ],
)
def test_a_server_that_takes_no_session_is_not_mistaken(
    monkeypatch: pytest.MonkeyPatch, words: str, said: str, hint: str
) -> None:
    """People were sent to an administrator for roles that they had, while a server was starting or was full."""

    def refuse(*_: object, **__: object) -> None:
        raise psycopg.OperationalError(f"connection failed: connection to server failed: FATAL:  {words}")

    monkeypatch.setattr("psycopg.connect", refuse)
    with pytest.raises(UnreachableError, match=said) as refused:
        Database("postgresql://tech@127.0.0.1/site").standing()
    assert words in refused.value.what
    assert hint in refused.value.hint


def test_a_network_that_was_cut_is_noticed_within_half_a_minute(site: Shared, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is answered then, and nothing refused: a decision kept its folder locked, and who led went on to lead."""
    made: list[psycopg.Connection[Any]] = []
    connect = psycopg.connect

    def noted(*words: Any, **options: Any) -> psycopg.Connection[Any]:
        made.append(connect(*words, **options))
        return made[-1]

    monkeypatch.setattr("psycopg.connect", noted)
    folder = site.of(EVERYBODY)
    lead = Lead(folder, "engine")
    assert lead.taken()
    with site.log("tech") as database:
        database.standing()
        for connection in made:
            with closing(socket.socket(fileno=os.dup(connection.fileno()))) as opened:
                assert 0 < opened.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) <= 30_000
                assert 0 < opened.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE) <= 10
    lead.leave()
    assert len(made) == 2


def test_a_database_that_can_only_be_read_says_so(site: Shared) -> None:
    """As a standby, or while its administrator keeps it so. It answers: nobody has to look for their password."""
    site.open("tech").close()
    site.sql("admin", f"ALTER DATABASE {site.name} SET default_transaction_read_only = on")

    with site.open("tech") as ledger, pytest.raises(UnreachableError, match="can only be read") as refused:
        comment(ledger, "tech", "001@site", "lost?")
    assert "PGPASSWORD" not in refused.value.hint


def test_a_waiting_engine_hears_of_a_decision(site: Shared) -> None:
    """LISTEN and NOTIFY, well before the slow poll."""
    with closing(LedgerChanges(site.of("pm"), machine_time)) as watch:
        assert watch.moved()
        assert not watch.moved()
        with site.open("tech") as ledger:
            comment(ledger, "tech", "001@site", "look here")
        until = time.monotonic() + 3
        while not (moved := watch.moved()) and time.monotonic() < until:
            time.sleep(0.05)
        assert moved


def test_a_file_that_the_database_has_lost_is_there_again_once_somebody_attaches_it(site: Shared) -> None:
    """A database that was restored from a backup may lack it, and this folder has it. It was recorded, and nobody else could read it."""
    with site.open("tech") as ledger:
        attach(ledger, "tech", "001@site", b"a quote", "quote")
        site.sql("admin", "ALTER TABLE clusterwright.evidence DISABLE TRIGGER ALL; DELETE FROM clusterwright.evidence")
        attach(ledger, "tech", "001@site", b"a quote", "quote")

    assert site.sql("lead", "SELECT count(*) FROM clusterwright.evidence WHERE content = 'a quote'") == [(1,)]


def test_a_name_that_is_redacted_goes_everywhere(site: Shared) -> None:
    """From the database, and from every folder as soon as it hears of it."""
    site.open("lead").close()
    with open_snapshot(site.of("lead")) as snapshot:
        assert "Tom Tech" in {person.name for person in people(snapshot)}
    with site.open("pm") as ledger:
        redact(ledger, "pm", "tech", "asked for it")
        take_away(ledger)
    site.open("lead").close()

    for role in ("pm", "lead"):
        held = [path for path in site.of(role).rglob("*") if path.is_file() and b"Tom Tech" in path.read_bytes()]
        assert held == []
        assert audit(site.of(role)) == []
    dumped = site.sql(
        "admin", "SELECT count(*) FROM clusterwright.name WHERE convert_from(content, 'UTF8') LIKE '%Tom Tech%'"
    )
    assert dumped == [(0,)]


def test_a_name_redacted_while_somebody_decides_goes_too(site: Shared, monkeypatch: pytest.MonkeyPatch) -> None:
    """The decision's own turn is where this folder first hears of it."""
    with site.open("lead") as ledger:
        assert isinstance(ledger.log, SharedLog)
        monkeypatch.setattr(ledger.log, "catch_up", lambda: None)
        with site.open("pm") as other:
            redact(other, "pm", "tech", "asked for it")
            take_away(other)
        comment(ledger, "lead", "001@site", "meanwhile")
        assert not ledger.log._names_linger  # free pages hold it now and then, so that looking alone proves little

    held = [path for path in site.of("lead").rglob("*") if path.is_file() and b"Tom Tech" in path.read_bytes()]
    assert held == []


def test_a_record_is_moved_into_a_database_whole(postgres: Server, tmp_path: Path) -> None:
    """A site that outgrew its folder: every event and file, and decisions go on in both folders."""
    own = tmp_path / "own"
    with create_ledger(own, site_name="S", time_zone="UTC", rehearsal=False, owner="pm", clock=machine_time) as ledger:
        adopt_plan(ledger, "pm", with_own_accounts(), reason="first")
        attach(ledger, "tech", "001@site", b"a quote", "quote")
    with open_snapshot(own) as snapshot:
        before = every_event(snapshot)
    name = postgres.database(ROLES)
    share(own, postgres.url(name, "tech"))

    with pytest.raises(UnreachableError, match="permission denied"):
        move(own)
    assert move(own, "admin").events == 3

    other = elsewhere(own, "other")
    with Ledger.open(other) as ledger:
        with copy_of(other) as copy:
            assert every_event(copy) == before
        start(ledger, "tech", "001@site")
    with open_snapshot(own, machine_time()) as snapshot:
        assert require_activity(snapshot, "001@site").state.value == "in_progress"
    assert audit(own) == []
    assert audit(other) == []
    with pytest.raises(InputError, match="is a copy of a shared ledger already"):
        move(own, "admin")


def test_roles_are_made_for_the_people_of_a_site(postgres: Server) -> None:
    """Hostile names are names and nothing more; a second run changes nothing."""
    name = postgres.database()
    accounts = ["ann", 'o"brien; DROP', "li'l %I"]
    for _ in range(2):
        postgres.psql(name, "\n".join(roles_sql(name, accounts, engine="runner")))
        postgres.psql(name, install_sql())
    with psycopg.connect(postgres.url("postgres", "admin")) as db:
        found = db.execute(
            "SELECT m.rolname FROM pg_auth_members JOIN pg_roles m ON m.oid = member JOIN pg_roles g ON g.oid = roleid"
            " WHERE g.rolname = %s ORDER BY 1",
            [f"{name}_people"],
        ).fetchall()
    assert {row[0] for row in found} >= {*accounts, "runner"}


def test_roles_are_printed_by_an_account_that_has_none_yet(postgres: Server, tmp_path: Path) -> None:
    """As docs/explanation/ledger.md sets a site up: everybody's role is made by this script, also that of who prints it."""
    name = postgres.database()
    made = called(["init", "--preset", "localhost", tmp_path / "site"])
    assert made.returncode == 0, made.stderr
    address = f"postgresql://127.0.0.1:{postgres.port}/{name}"
    (tmp_path / "site" / "ledger.yaml").write_text(f"database: {address}\n")

    done = called(["database", "roles", "--engine", "runner", "--site", tmp_path / "site"], env={"PGUSER": "newcomer"})

    assert done.returncode == 0, done.stderr
    postgres.psql(name, done.stdout)
    with Database(postgres.url(name, "runner")) as database:
        assert database.is_engine()


def test_a_folder_that_was_restored_from_a_backup_is_led_back_to_the_shared_ledger(
    site: Shared, tmp_path: Path
) -> None:
    """Its ledger is no copy, the database is not empty, and no hint said what to do."""
    site.open("tech").close()
    (site.of("tech") / "site.yaml").write_text("name: S\n")
    back_up(site.of("tech"), tmp_path / "b.tar.gz", made_at=machine_time(), program="x")
    restored = tmp_path / "restored"
    restore(tmp_path / "b.tar.gz", restored)
    share(restored, site.server.url(site.name, "tech"))

    with pytest.raises(InputError, match="has a ledger already") as refused:
        move(restored, "admin")
    assert "put ledger.db aside" in refused.value.hint
    (restored / "ledger.db").rename(restored / "ledger.db.aside")
    with Ledger.open(restored) as ledger:
        assert comment(ledger, "tech", "001@site", "back").seq == 3


def test_the_copy_is_a_copy_for_sqlite_too(site: Shared) -> None:
    """Everybody who looks at the file sees what it is."""
    site.open("tech").close()
    marked = sqlite3.connect(site.of("tech") / "ledger.db").execute("PRAGMA application_id").fetchone()[0]
    assert marked.to_bytes(4).decode() == "CWRP"
