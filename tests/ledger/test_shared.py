"""A ledger that people on several machines share through PostgreSQL: each a role of the server and a folder of their own."""

from __future__ import annotations

import sqlite3
import subprocess
import time
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flows.watch import Watch
from ledger.decisions.evidence import attach
from ledger.decisions.people import redact, take_away
from ledger.decisions.plan import adopt_plan, create_ledger
from ledger.decisions.runs import claim, lapsed_claims, renew, settle
from ledger.decisions.work import comment, finish, start
from ledger.entries import RunOutcome
from ledger.log.chain import event_hash
from ledger.log.columns import HASHED
from ledger.questions.case import require_activity
from ledger.questions.people import people
from ledger.questions.records import comments, evidence
from ledger.questions.site import head
from ledger.questions.snapshot import Snapshot
from ledger.reading import open_snapshot
from ledger.stores.file import connect
from ledger.stores.installing import install_sql, roles_sql
from ledger.stores.log import machine_clock
from ledger.stores.postgres import Database
from ledger.stores.shared_log import SharedLog
from ledger.trust.audit import audit
from ledger.trust.chain import Finding
from ledger.trust.moving import move
from ledger.trust.package import write_package
from ledger.writing import Ledger
from steps.errors import ClusterwrightError, InputError, NotSatisfiedError, StaleHeadError, UnreachableError
from steps.stamps import stamp
from tests.ledger.conftest import PEOPLE, elsewhere, share, small_plan
from tests.needs import needs_postgres
from tests.postgres_server import EVERYBODY, Server

pytestmark = pytest.mark.own_file  # it brings its own servers, wherever the run's ledgers are

ROLES = (*PEOPLE, "stranger")
READ = "030@pod-001"
"""A verify activity that nothing holds up in this site."""


class Shared:
    """A database with the small site in it, and a folder a role."""

    def __init__(self, server: Server, folder: Path) -> None:
        self.server, self.folder = server, folder
        self.name = server.database(ROLES)
        with self.open("pm", create=True) as ledger:
            adopt_plan(ledger, "pm", with_own_accounts(), reason="first")

    def of(self, role: str) -> Path:
        folder = self.folder / role
        if not folder.exists():
            folder.mkdir(parents=True)
            share(folder, self.server.url(self.name, role))
        return folder

    def open(self, role: str, *, create: bool = False) -> Ledger:
        if create:
            return create_ledger(
                self.of(role), site_name="Small", time_zone="UTC", rehearsal=False, owner=role, clock=machine_clock
            )
        return Ledger.open(self.of(role))

    def log(self, role: str) -> Database:
        return Database(self.server.url(self.name, role))

    def sql(self, role: str, text: str) -> list[Any]:
        with psycopg.connect(self.server.url(self.name, role), autocommit=True) as db:
            done = db.execute(text.encode())
            return done.fetchall() if done.description else []


def copy_of(site_dir: Path) -> Snapshot:
    """Return a folder's copy as it is, without a look at the database."""
    return Snapshot(connect(site_dir), site_dir, machine_clock())


def every_event(snapshot: Snapshot) -> list[Any]:
    return snapshot.db.execute("SELECT * FROM event").fetchall()


def with_own_accounts() -> Any:
    people = [{"id": key, "name": name, "roles": roles, "account": key} for key, (name, roles) in PEOPLE.items()]
    free = [link for link in small_plan().model_dump()["links"] if link["after"] != READ]
    return small_plan(people=people, links=free, start=machine_clock() - timedelta(days=1))


def take(ledger: Ledger, owner: str) -> Any:
    return claim(ledger, owner, READ, lease_s=60, host="h", boot_id="b", pid=1, pgid=1)


@pytest.fixture
def site(postgres: Server, tmp_path: Path) -> Shared:
    return Shared(postgres, tmp_path)


def crafted(log: Database, **changed: Any) -> dict[str, Any]:
    """Return an event that follows the head, as a program of one's own would make it."""
    standing = log.standing()
    made: dict[str, Any] = {
        "seq": standing.seq + 1,
        "recorded_at": stamp(standing.now),
        "effective_at": stamp(standing.now),
        "actor": "tech",
        "kind": "activity.commented",
        "schema_version": 1,
        "subject": "001@site",
        "plan_revision": 1,
        "payload": '{"text":"by hand"}',
        "prev_hash": standing.hash,
        "signature": None,
    } | {key: value for key, value in changed.items() if key != "hash"}
    return made | {"hash": changed.get("hash", event_hash(made))}


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE clusterwright.event SET actor = 'lead'",
        "DELETE FROM clusterwright.event WHERE seq = 2",
        "TRUNCATE clusterwright.event",
        "INSERT INTO clusterwright.event SELECT * FROM clusterwright.event",
        "UPDATE clusterwright.person SET account = 'tech'",
        "INSERT INTO clusterwright.evidence VALUES ('00', 'x')",
        "DELETE FROM clusterwright.evidence",
        "DELETE FROM clusterwright.name",
        "BEGIN; LOCK TABLE clusterwright.turn",
        "DROP SCHEMA clusterwright CASCADE",
        "ALTER TABLE clusterwright.event DISABLE TRIGGER ALL",
        "CREATE TABLE clusterwright.mine ()",
    ],
)
def test_nobody_may_change_what_is_recorded(site: Shared, change: str) -> None:
    """The server's rights, not the program's: asked with its own driver."""
    for role in ("tech", "pm", EVERYBODY):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            site.sql(role, change)


POISON: dict[str, dict[str, Any]] = {
    "an unknown kind": {"kind": "mine.own"},
    "a version of tomorrow": {"schema_version": 99},
    "a date that is none": {"effective_at": "garbage"},
    "the word now": {"recorded_at": "now"},
    "another form of time": {"effective_at": "2026-11-22 10:00"},
    "a day that does not exist": {"effective_at": "2026-02-30T10:00:00.000000Z"},
    "far ahead": {"effective_at": "9999-12-31T23:59:59.999999Z"},
    "no JSON": {"payload": "{"},
    "JSON that is no object": {"payload": "[]"},
    "a field too many": {"payload": '{"text":"x","mine":1}'},
    "a field of another type": {"payload": '{"text":{"a":[1]}}'},
    "nothing of it": {"payload": "{}"},
    "a number without end": {"payload": '{"text":1e999999999}'},
    "an activity that is nowhere": {"subject": "999@nowhere"},
    "a subject that is none": {"subject": "\u202e#/"},
    "a revision that is not in force": {"plan_revision": 7},
    "a result of its own": {"kind": "activity.finished", "payload": '{"performers":["tech"],"result":"done"}'},
    "the engine's work": {"kind": "run.claimed", "payload": "{}"},
    "a plan that is nowhere": {
        "kind": "plan.adopted",
        "schema_version": 2,
        "subject": "plan/2",
        "plan_revision": 2,
        "payload": '{"activities":1,"baseline":null,"digests":{},"document":"'
        + "0" * 64
        + '","people":{},"reason":"x",'
        '"reopened":[],"revision":2,"sign_again":[],"statement":null}',
    },
    "another beginning": {"kind": "genesis", "schema_version": 2, "payload": "{}"},
    "a name taken away": {
        "kind": "person.redacted",
        "subject": "person/sponsor",
        "payload": '{"person":"sponsor","reason":"x","role":"owner-pm","statement":null}',
    },
}
"""What somebody may send to the server with a client of their own, in place of a comment."""


@pytest.mark.parametrize(("role", "actor"), [("guest", "guest"), ("pm", "pm"), (EVERYBODY, "engine")])
def test_what_a_role_appends_by_hand_stops_nobody(site: Shared, role: str, actor: str) -> None:
    """The server refuses it, or each copy does and goes on. All folders come to the same record."""
    with site.open("lead") as others, site.log(role) as log:
        for what, changed in POISON.items():
            with suppress(ClusterwrightError):
                log.append([crafted(log, actor=actor, **changed)], [{"id": "lead", "account": "no", "adopts": True}])
            began = time.monotonic()
            comment(others, "lead", "001@site", f"after {what}")
            assert time.monotonic() - began < 1.0, what
    with site.open("tech") as ledger:
        comment(ledger, "tech", "001@site", "from here too")
    site.open("lead").close()

    copies = [copy_of(site.of(person)) for person in ("lead", "tech")]
    assert len({tuple(copy.column("SELECT seq FROM refused ORDER BY seq")) for copy in copies}) == 1
    assert [{person.id for person in people(copy)} for copy in copies] == [set(PEOPLE)] * 2
    said = [comment.text for comment in comments(copies[0], "001@site") if comment.person in {"lead", "tech"}]
    assert said == [*(f"after {what}" for what in POISON), "from here too"]
    if role != "pm":  # who may adopt plans has named another account to the server too, and that stays a fault
        _hand_over(site.of("tech"))


def _hand_over(site_dir: Path) -> None:
    """The audit names what is refused. It keeps nobody from handing over a package, which names it too."""
    found = audit(site_dir)
    assert [finding for finding in found if not finding.refused] == found.with_effect == []
    package = site_dir.parent / f"package of {site_dir.name}"
    write_package(site_dir, package)
    done = subprocess.run(["sh", package / "verify.sh"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert not found or f"The rules refuse {len(found.refused_here)} events" in done.stdout


def test_a_role_that_holds_the_log_stops_nobody_for_good(site: Shared) -> None:
    """A session that is busy, or that lifted its own limits, is ended as soon as somebody else decides."""
    site.server.psql(site.name, install_sql().replace("20 seconds", "1 second"))
    with psycopg.connect(site.server.url(site.name, "guest")) as held, site.open("lead") as others:
        held.execute("SET idle_in_transaction_session_timeout = 0")
        held.execute("SELECT clusterwright.take_turn()")
        time.sleep(1.2)

        assert comment(others, "lead", "001@site", "my turn").seq == 3
        with pytest.raises(psycopg.errors.OperationalError):
            held.execute("SELECT 1")


@pytest.mark.parametrize("table", ["event", "evidence"])
def test_even_an_administrator_has_to_take_the_guard_away_first(site: Shared, table: str) -> None:
    """Against mistakes; against intent there are folders' copies and anchors."""
    for change in (f"UPDATE clusterwright.{table} SET ctid = ctid", f"TRUNCATE clusterwright.{table}"):
        with pytest.raises(psycopg.Error, match=r"never changed|cannot assign"):
            site.sql("admin", change)
    with pytest.raises(psycopg.Error, match="never changed"):
        site.sql("admin", f"DELETE FROM clusterwright.{table}")


def test_a_role_appends_as_its_own_people_only(site: Shared) -> None:
    """Whatever the program says who acts, the server asks whose session it is."""
    with site.open("tech") as ledger:
        with pytest.raises(NotSatisfiedError, match="tech may not append as lead"):
            comment(ledger, "lead", "001@site", "as somebody else")
        assert comment(ledger, "tech", "001@site", "as myself").seq == 3
    with pytest.raises(NotSatisfiedError, match="stranger may not append as tech"), site.open("stranger") as ledger:
        comment(ledger, "tech", "001@site", "as nobody")
    assert site.sql("admin", "SELECT seq, actor, account FROM clusterwright.event WHERE seq > 2") == [
        (3, "tech", "tech")
    ]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"hash": "0" * 64}, "does not have the hash"),
        ({"seq": 9}, "does not follow the head"),
        ({"prev_hash": "1" * 64}, "does not follow the head"),
        ({"recorded_at": "2020-01-01T00:00:00.000000Z"}, "which is not the present time"),
        ({"recorded_at": "2099-01-01T00:00:00.000000Z"}, "which is not the present time"),
        ({"kind": "plan.adopted"}, "may not adopt"),
        ({"actor": "engine"}, "may not append as engine"),
    ],
)
def test_the_server_refuses_what_no_service_made(site: Shared, changed: dict[str, Any], said: str) -> None:
    """A program of one's own has no more rights than ours."""
    with site.log("tech") as log:
        with pytest.raises((StaleHeadError, NotSatisfiedError), match=said):
            log.append([crafted(log, **changed)], [])
        assert log.standing().seq == 2
        log.append([crafted(log)], [])
        assert log.standing().seq == 3


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
        second.catch_up()
        with pytest.raises(NotSatisfiedError, match="lost lease"):
            renew(second, "engine-2", READ, 600)
    with (
        site.open("tech") as ledger,
        pytest.raises(NotSatisfiedError, match="tech"),
    ):
        settle(ledger, "engine-1", READ, RunOutcome("ok"))


@settings(max_examples=60)
@given(
    st.lists(
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=40), min_size=4, max_size=4
    )
)
def test_the_server_hashes_as_the_program_does(postgres_log: psycopg.Connection[Any], words: list[str]) -> None:
    """Or it could not refuse a wrong hash: every mark, every language."""
    row: dict[str, Any] = dict.fromkeys(HASHED, "x") | dict(
        zip(("actor", "payload", "subject", "kind"), words, strict=True)
    )
    row |= {"seq": 7, "schema_version": 1, "plan_revision": 0}
    names = ", ".join(f"%({name})s AS {name}" for name in row)
    found = postgres_log.execute(
        "SELECT clusterwright.hash_of(jsonb_populate_record(NULL::clusterwright.event, to_jsonb(r)))"
        f" FROM (SELECT {names}) r".encode(),
        row,
    ).fetchone()
    assert found is not None
    assert found[0] == event_hash(row)


@pytest.fixture(scope="module")
def postgres_log(postgres: Server) -> Any:
    with psycopg.connect(postgres.url(postgres.database(), "admin"), autocommit=True) as db:
        yield db


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
    create_ledger(own, site_name="Own", time_zone="UTC", rehearsal=False, owner="pm", clock=machine_clock).close()
    share(own, site.server.url(site.name, "pm"))
    with pytest.raises(InputError, match="is a ledger of its own"):
        Ledger.open(own)
    with pytest.raises(InputError, match="exists already"):
        create_ledger(
            site.of("tech"), site_name="Other", time_zone="UTC", rehearsal=False, owner="tech", clock=machine_clock
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


def test_a_waiting_engine_hears_of_a_decision(site: Shared) -> None:
    """LISTEN and NOTIFY, well before the slow poll."""
    with Watch(site.of("pm"), machine_clock) as watch:
        assert watch.moved()
        assert not watch.moved()
        with site.open("tech") as ledger:
            comment(ledger, "tech", "001@site", "look here")
        until = time.monotonic() + 3
        while not (moved := watch.moved()) and time.monotonic() < until:
            time.sleep(0.05)
        assert moved


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
    with create_ledger(own, site_name="S", time_zone="UTC", rehearsal=False, owner="pm", clock=machine_clock) as ledger:
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
    with open_snapshot(own, machine_clock()) as snapshot:
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


def test_the_copy_is_a_copy_for_sqlite_too(site: Shared) -> None:
    """Everybody who looks at the file sees what it is."""
    site.open("tech").close()
    marked = sqlite3.connect(site.of("tech") / "ledger.db").execute("PRAGMA application_id").fetchone()[0]
    assert marked.to_bytes(4).decode() == "CWRP"
