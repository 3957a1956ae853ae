"""What the server of a shared ledger refuses. Events that a role appends by hand stop no other role."""

from __future__ import annotations

import subprocess
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger.log.chain import event_hash
from ledger.log.columns import HASHED
from ledger.questions.people import people
from ledger.questions.records import comments
from ledger.stores.installing import install_sql
from ledger.stores.leading import Lead
from ledger.stores.postgres import Database
from ledger.subjects.work.decisions import comment
from ledger.trust.audit import audit
from ledger.trust.package import write_package
from schedule.errors import ClusterwrightError, NotSatisfiedError, StaleHeadError, UnreachableError
from steps.stamps import stamp
from tests.ledger.conftest import PEOPLE
from tests.ledger.sharing import Shared, copy_of
from tests.postgres_server import EVERYBODY, Server

pytestmark = pytest.mark.own_file  # it brings its own servers, wherever the run's ledgers are


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


@pytest.mark.parametrize("lock", ["pg_advisory_lock(%s)", "pg_try_advisory_xact_lock_shared(%s, 1)"])
def test_only_an_engine_takes_the_lock_by_which_engines_lead(site: Shared, lock: str) -> None:
    """With one statement, any role could keep every engine of the team from leading."""
    for role in ("tech", "pm"):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            site.sql(role, f"SELECT {lock.replace('%s', '1')}")
        with pytest.raises(UnreachableError, match="who leads: permission denied"):
            Lead(site.of(role), "an engine").taken()

    leader = Lead(site.of(EVERYBODY), "an engine")
    assert leader.taken()
    leader.leave()


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
    assert done.returncode == 4, done.stdout + done.stderr  # nobody signs at this site
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
