"""On a signed site a decision does not believe a forged table: what it rests on is worked out from the verified events."""

from __future__ import annotations

import shutil
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from decimal import Decimal
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from msgspec.structs import replace

from flows.engine.up import run_engine
from ledger.entries import ItemResult, RunOutcome
from ledger.log.chain import Draft
from ledger.log.payload import Payload
from ledger.project_time import project_now
from ledger.questions.case import require_activity
from ledger.reading import open_snapshot
from ledger.rules.access import ENGINE
from ledger.subjects.facts.decisions import record_facts
from ledger.subjects.orders.delivery_decisions import receive, ship
from ledger.subjects.people.decisions import delegate, revoke_key, withdraw
from ledger.subjects.plan.decisions import adopt_plan
from ledger.subjects.runs.decisions import claim, settle
from ledger.subjects.sign_off.kinds.signed import Signed, sign
from ledger.subjects.work.decisions import comment, finish, measure, reopen, start
from ledger.subjects.work.kinds.duplicate_settled import DuplicateSettled
from ledger.trust.audit import audit
from ledger.trust.engine_key import KEY
from ledger.trust.starting import refuse_differing
from ledger.trust.subject import refuse_forged
from ledger.writing import Ledger
from schedule.errors import UnreachableError
from steps.acceptance.measured import Measured
from steps.planning.plan import Plan, PlanLink
from tests.ledger.conftest import Clock, activity, begun, link
from tests.ledger.deciding import ORDER, voltage
from tests.ledger.forging import BY_SOFTWARE, every_state, every_state_plan
from tests.ledger.journey import take
from tests.ledger.keys import key_of, public, sign_as

pytestmark = pytest.mark.own_file


def graver_plan() -> Plan:
    """Return the plan in which a failure of 303@site holds up go-live.

    010@pod-001 waits for a delivery, and 010@pod-002 for 302@site.
    """
    plan = every_state_plan(signed=True)
    activities = tuple(replace(a, ncr_class="A") if a.id == "303@site" else a for a in plan.activities)
    pairs = (("001@site#gpu-server/1", "010@pod-001"), ("302@site", "010@pod-002"))
    links = (*plan.links, *(PlanLink(**link(*pair)) for pair in pairs))
    return plan.model_copy(update={"activities": activities, "links": links})


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A signed site with something in every state, made once: with readings and facts, and with work of the lead's own."""
    site = tmp_path_factory.mktemp("forged") / "signed"
    site.mkdir()
    with every_state(site, project_now, signed=True) as ledger:
        adopt_plan(ledger, "pm", graver_plan(), reason="what fails at 303@site is of class A")
        record_facts(ledger, "tech", "303@site", [voltage(415)], evidence=[b"letter"])
        measure(ledger, "tech", "303@site", "link.loss", 0.2, "dB")
        measure(ledger, "tech", "303@site", "link.loss", 3, "dB")
        finish(ledger, "tech", "308@site", performers=("lead",))
    return site


@pytest.fixture
def signed(tmp_path: Path, made: Path) -> Iterator[Ledger]:
    """Return the signed site, in a folder of the test's own."""
    site = shutil.copytree(made, tmp_path / "signed")
    with Ledger.open(site, clock=project_now) as ledger:
        ledger.signer = sign_as
        yield ledger


def forged(ledger: Ledger, sql: str) -> None:
    """Change a table as somebody can who writes the file."""
    with closing(sqlite3.connect(ledger.site_dir / "ledger.db")) as db, db:
        db.executescript(sql)


@pytest.mark.parametrize(
    "sql",
    [
        "INSERT INTO person_role (person, role) VALUES ('tech', 'network-lead')",
        "DELETE FROM person_role WHERE person = 'sponsor'",
        "UPDATE person SET account = 'guest' WHERE id = 'pm'",
        "UPDATE signer_key SET key = (SELECT key FROM signer_key WHERE person = 'guest') WHERE person = 'pm'",
        "UPDATE signer_key SET until = NULL, person = 'nobody' WHERE person = 'lead2'",
        "UPDATE delegation SET \"to\" = 'tech'",
        "UPDATE delegation SET until = '2099-01-01T00:00:00.000000Z'",
        "UPDATE site SET owner = 'guest'",
        "UPDATE site SET rules = 9",
        "UPDATE site SET owner_key = NULL",
        "UPDATE site SET rehearsal = 1",
        "UPDATE plan_revision SET working_hours = '[0, 1]'",
        """UPDATE plan_revision SET calendars = '{"night": {"working_days": [7], "working_hours": [0, 24]}}'""",
        "UPDATE plan_revision SET first_at = '2020-01-01T00:00:00.000000Z'",
        "UPDATE activity SET plan = json_set(plan, '$.policy.quorum', 1) WHERE id = '304@site'",
        "UPDATE activity SET plan = json_set(plan, '$.policy.assurance', 'recorded') WHERE id = '304@site'",
        "UPDATE plan_revision SET document = 'x'",
    ],
)
def test_nothing_is_decided_on_a_forged_table(signed: Ledger, sql: str) -> None:
    """Neither by who forged it, nor by anybody else, who would otherwise sign what they did not mean."""
    forged(signed, sql)
    with pytest.raises(UnreachableError, match="nothing is decided on this record"):
        comment(signed, "tech", "304@site", "mine")
    with pytest.raises(UnreachableError, match="nothing is decided on this record"):
        sign(signed, "lead", "304@site")
    with open_snapshot(signed.site_dir) as snapshot:
        assert snapshot.column("SELECT count(*) FROM comment") == [0]


def test_a_forged_event_of_authority_is_not_believed_either(signed: Ledger) -> None:
    """A plan in the table of events is nothing without a signature of somebody who may adopt it."""
    forged(signed, "DROP TRIGGER event_no_update")
    forged(signed, "UPDATE event SET signature = NULL WHERE kind = 'plan.adopted'")

    with pytest.raises(UnreachableError, match="the signature of pm is invalid"):
        comment(signed, "tech", "304@site", "seen")


def test_honest_changes_of_authority_go_on(signed: Ledger) -> None:
    """Adopted again, lent, ended, revoked: each is in the events as it is in the tables."""
    now = project_now()
    withdraw(signed, "lead", "D-0001", "back")
    delegate(signed, "sponsor", "tech", "sponsor", since=now, until=now.replace(year=now.year + 1), reason="on leave")
    plan = every_state_plan(signed=True)
    people = tuple(p for p in plan.people if p.id != "lead2")
    adopt_plan(signed, "pm", plan.model_copy(update={"people": people}), reason="one fewer")
    revoke_key(signed, "pm", "lead", "lost")
    adopt_plan(signed, "pm", plan.model_copy(update={"engine_key": public("sponsor")}), reason="another engine")
    comment(signed, "tech", "304@site", "and on it goes")

    assert audit(signed.site_dir) == []


AT = "'2026-01-06T00:00:00.000000Z'"
UNLOCKED = "DROP TRIGGER event_no_update; DROP TRIGGER event_no_delete;"
READY = f"UPDATE activity SET ready_from = {AT}, finish_from = {AT} WHERE id = "
OVER = f'UPDATE link SET satisfied_at = {AT} WHERE "after" = '
RELEASE = """INSERT INTO release (id, activity, attempt, hosts, count, playbook_digest, person, role, at)
VALUES ('R-0001', '315@site', 1, '["n1"]', 1, 'd', 'lead', 'network-lead', '2026-01-06T00:00:00.000000Z')"""
APPROVAL = """INSERT INTO sign_off (seq, activity, attempt, person, role, decision, meaning, comment, assurance, at, witnessed)
SELECT max(seq) + 1, '304@site', 1, 'lead2', 'network-lead', 'approved', 'approval', '', 'signed', at, '' FROM sign_off"""

FORGED: dict[str, tuple[str, Callable[[Ledger], object], str]] = {
    "a predecessor done": (
        (
            f"UPDATE activity SET state = 'done', started_at = {AT}, finished_at = {AT}, done_at = {AT} WHERE id = '301@site';"
            f"{READY} '302@site'; {OVER} '302@site'"
        ),
        lambda ledger: start(ledger, "tech", "302@site"),
        "activity 301@site says state 'done'; its events say 'open'",
    ),
    "ready at once": (
        f"{READY} '302@site'; {OVER} '302@site'",
        lambda ledger: start(ledger, "tech", "302@site"),
        "activity 302@site says ready_from",
    ),
    "a link deleted": (
        f"DELETE FROM link WHERE \"after\" = '302@site'; {READY} '302@site'",
        lambda ledger: start(ledger, "tech", "302@site"),
        "302@site: its policy, its criteria, its quantities or its links differ",
    ),
    "work finished": (
        "UPDATE activity SET state = 'awaiting_sign_off', held_from = NULL WHERE id = '306@site'",
        lambda ledger: sign(ledger, "lead", "306@site"),
        "activity 306@site says state 'awaiting_sign_off'; its events say 'on_hold'",
    ),
    "a reading deleted": (
        (
            "DELETE FROM measurement WHERE value = '3'; DELETE FROM entry WHERE seq = (SELECT max(seq) FROM entry);"
            f"UPDATE ncr SET closed_at = {AT} WHERE activity = '303@site'"
        ),
        lambda ledger: finish(ledger, "tech", "303@site"),
        "measurement .* is missing",
    ),
    "a non-conformance closed": (
        f"UPDATE ncr SET closed_at = {AT}, disposition = 'rework' WHERE id = 'NCR-0001'",
        lambda ledger: comment(ledger, "tech", "313@site", "seen"),
        "ncr NCR-0001 says closed_at",
    ),
    "an approval inserted": (
        APPROVAL,
        lambda ledger: sign(ledger, "lead", "304@site"),
        "sign_off .* was made by no event",
    ),
    "a release inserted": (
        RELEASE,
        lambda ledger: claim(
            ledger,
            "engine-1",
            "315@site",
            lease_s=60,
            host="h",
            boot_id="b",
            pid=1,
            pgid=1,
            hosts=("n1",),
            playbook_digest="d",
        ),
        "release R-0001 was made by no event",
    ),
    "a fact changed": (
        "UPDATE fact SET value = '208'",
        lambda ledger: comment(ledger, "tech", "303@site", "seen"),
        "fact .* says value '208'; its events say '415'",
    ),
    "a delivery received": (
        (
            f"UPDATE tranche SET received_quantity = quantity, received_at = {AT} WHERE id LIKE '%/1';"
            f"{READY} '010@pod-001'; {OVER} '010@pod-001'"
        ),
        lambda ledger: start(ledger, "tech", "010@pod-001"),
        "tranche 001@site#gpu-server/1 says received_quantity '16'",
    ),
    "less to be delivered": (
        "UPDATE tranche SET quantity = '1' WHERE id LIKE '%/1'",
        lambda ledger: receive(ledger, "pm", "001@site#gpu-server/1"),
        "001@site#gpu-server: its policy, its criteria, its quantities or its links differ",
    ),
    "nobody's own work": (
        "UPDATE activity SET performers = '[\"tech\"]', hands = '[\"tech\"]' WHERE id = '308@site'",
        lambda ledger: sign(ledger, "lead", "308@site"),
        "activity 308@site says performers",
    ),
    "a hold that was never there": (
        (
            f"{UNLOCKED} DELETE FROM event WHERE kind = 'activity.held';"
            "UPDATE activity SET state = 'in_progress', held_from = NULL WHERE id = '306@site'"
        ),
        lambda ledger: finish(ledger, "tech", "306@site"),
        "the chain has .* events, and the last one is event",
    ),
    "a hold that became a comment": (
        (
            f"{UNLOCKED} UPDATE event SET kind = 'activity.commented', payload = '{{\"text\":\"x\"}}' WHERE kind = 'activity.held';"
            "UPDATE activity SET state = 'in_progress', held_from = NULL WHERE id = '306@site'"
        ),
        lambda ledger: finish(ledger, "tech", "306@site"),
        "was changed after it was recorded",
    ),
    "a hold that is refused": (
        (
            "INSERT INTO refused SELECT seq, kind, actor, subject FROM event WHERE kind = 'activity.held';"
            "UPDATE activity SET state = 'in_progress', held_from = NULL WHERE id = '306@site'"
        ),
        lambda ledger: finish(ledger, "tech", "306@site"),
        "only a copy of a shared log refuses events",
    ),
}
"""Changes of tables, the decision that somebody wants to reach by them, and what its refusal names."""


@pytest.mark.parametrize("forgery", FORGED)
def test_nothing_is_decided_on_a_forged_state(signed: Ledger, forgery: str) -> None:
    """What a decision is about, and what it waits for, is what its events say: not a row that somebody wrote."""
    sql, decide, named = FORGED[forgery]
    with open_snapshot(signed.site_dir) as snapshot:
        before = snapshot.count("event")
    forged(signed, sql)
    with pytest.raises(UnreachableError, match=f"nothing is decided on this record: .*{named}"):
        decide(signed)
    with open_snapshot(signed.site_dir) as snapshot:
        assert snapshot.count("event") in {before, before - 1}, "something was recorded"


APPROVED = Signed(
    result="done",
    role="network-lead",
    meaning="approval",
    comment="",
    assurance="recorded",
    policy_roles=("network-lead",),
    quorum=2,
    evidence=(),
    statement=None,
    witnesses=(),
    begins=False,
)


@pytest.mark.parametrize(
    ("draft", "named"),
    [
        (("lead2", APPROVED, "304@site"), "is not signed"),
        (("engine", DuplicateSettled(by=("305@site",)), "317@site"), "is not signed with the engine's key"),
    ],
)
def test_nothing_is_decided_on_an_event_without_its_signature(
    signed: Ledger, draft: tuple[str, Payload, str], named: str
) -> None:
    """An event below the services has a right hash and consistent tables, and no signature of who it names."""
    actor, payload, subject = draft
    signed.signer = lambda person, text: sign_as("guest", text)
    signed.append(Draft(actor, payload, subject, project_now()))
    signed.signer = sign_as
    with pytest.raises(UnreachableError, match=named):
        comment(signed, "tech", subject, "seen")


def test_what_is_told_of_a_gate_is_every_class_a_non_conformance(signed: Ledger) -> None:
    """A gate does not pass because somebody closed what was found elsewhere."""
    forged(signed, f"UPDATE ncr SET closed_at = {AT}, disposition = 'rework' WHERE activity = '303@site'")
    comment(signed, "tech", "301@site", "rests on none of it")
    with pytest.raises(UnreachableError, match=r"ncr .* says closed_at"):
        comment(signed, "tech", "195@site", "seen")


def test_every_state_of_an_honest_site_is_what_its_events_say(signed: Ledger) -> None:
    """Whatever an activity, an order or a delivery is in, decisions about it go on, and after a revision too."""
    plan = graver_plan()
    again = tuple(replace(a, policy=replace(a.policy, quorum=3)) if a.id == "305@site" else a for a in plan.activities)
    adopt_plan(signed, "pm", plan.model_copy(update={"activities": again}), reason="three sign")
    reopen(signed, "pm", "001@site", "again")
    with open_snapshot(signed.site_dir) as snapshot:
        tables = ("activity", "order_line", "tranche")
        names = [name for table in tables for name in snapshot.column(f"SELECT id FROM {table}")]
        for name in names:
            refuse_forged(snapshot, name)


def test_a_delivery_that_a_plan_removed_and_the_next_one_brought_back_is_what_its_events_say(signed: Ledger) -> None:
    """A site with a pod fewer is no forgery: nothing could be decided any more about the order, nor about what waits for it."""
    second = f"{ORDER}/2"
    ship(signed, "pm", second, shipped=project_now().date(), carrier="DHL")
    plan = graver_plan()
    (bought,) = plan.orders
    first = bought.model_copy(update={"quantity": Decimal(16), "tranches": bought.tranches[:1]})
    for orders in ((first,), (bought,)):
        adopt_plan(signed, "pm", plan.model_copy(update={"orders": orders}), reason="another number of pods")
        receive(signed, "pm", f"{ORDER}/1", 1)
        comment(signed, "tech", "010@pod-001", "goes on")

    forged(signed, f"UPDATE tranche SET carrier = 'UPS' WHERE id = '{second}'")
    with pytest.raises(UnreachableError, match="says carrier 'UPS'; its events say 'DHL'"):
        receive(signed, "pm", f"{ORDER}/1", 1)


def test_what_a_replaced_server_leaves_in_force_is_what_its_event_says(signed: Ledger) -> None:
    plan = graver_plan().model_dump()
    gates = [activity(name, kind="gate") for name in ("323@pod-001", "324@site")]
    tested = activity("322@pod-001", **BY_SOFTWARE | {"leads": ()})
    links = [link(tested["id"], gate["id"]) for gate in gates]
    new = plan | {"activities": [*plan["activities"], tested, *gates], "links": [*plan["links"], *links]}
    adopt_plan(signed, "pm", Plan.model_validate(new), reason="servers are tested")
    take(signed, tested["id"])
    reading = Measured("link.loss", Decimal("0.2"), "dB", "n1", "otdr")
    results = (ItemResult("n1", "ok"), ItemResult("n2", "ok"))
    settle(signed, "engine-1", tested["id"], RunOutcome("ok", results, (reading,), playbook_digest="d"))
    for gate in gates:
        sign(signed, "lead", gate["id"])

    reopen(signed, "pm", tested["id"], "RMA 4711", hosts=("n2",))

    with open_snapshot(signed.site_dir) as snapshot:
        states = {name: require_activity(snapshot, name).stale for name in ("323@pod-001", "324@site")}
        for name in (tested["id"], *states):
            refuse_forged(snapshot, name)
    assert states == {"323@pod-001": True, "324@site": False}


def test_what_was_early_stays_early_whatever_the_tables_say(signed: Ledger) -> None:
    """Early work is no reason to start what comes after it; a forged row does not make it one."""
    start(signed, "tech", "302@site", out_of_sequence="the crew was free")
    finish(signed, "tech", "302@site")
    sign(signed, "lead", "302@site")
    sign(signed, "lead2", "302@site")
    comment(signed, "tech", "010@pod-002", "it waits for what 302@site waits for")
    forged(signed, "UPDATE activity SET early_because = '' WHERE id = '302@site'")
    forged(signed, f"UPDATE link SET satisfied_at = {AT}; {READY} '010@pod-002'")

    with pytest.raises(UnreachableError, match="activity 302@site says early_because"):
        start(signed, "tech", "010@pod-002")


def test_the_audit_does_not_believe_that_an_event_was_refused(signed: Ledger) -> None:
    """Only its own judgement counts: otherwise one row in the table of refused events would hide every forged row."""
    forged(signed, "INSERT INTO refused SELECT seq, kind, actor, subject FROM event WHERE kind = 'activity.held'")
    forged(signed, "INSERT INTO person_role (person, role) VALUES ('tech', 'network-lead')")

    assert [found.where.split()[0] for found in audit(signed.site_dir)] == ["refused"]


def test_the_engine_compares_all_of_a_signed_record_before_it_starts(
    signed: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A row on which no decision has rested yet is found before the engine goes by it, from the second start on with a checkpoint."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    refuse_differing(signed.site_dir, "1.0")
    comment(signed, "tech", "304@site", "since the checkpoint")
    refuse_differing(signed.site_dir, "1.0")
    signed.close()
    key = signed.site_dir / KEY
    key.parent.mkdir(exist_ok=True)
    key.write_bytes(key_of(ENGINE).private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption()))
    key.chmod(0o600)
    forged(signed, "UPDATE activity SET state = 'done' WHERE id = '302@site'")

    with pytest.raises(UnreachableError, match="the engine does not start on this record: activity 302@site state is"):
        run_engine(
            signed.site_dir,
            port=1,
            hands_off=False,
            on_message=print,
            stop=threading.Event(),
            program="1.0",
        )


def test_the_engine_starts_on_a_site_without_signatures_as_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There nothing proves who decided. Such a site is audited when its owner asks for it."""
    site = tmp_path / "recorded"
    site.mkdir()
    with begun(site, Clock()) as ledger:
        forged(ledger, "UPDATE site SET name = 'mine'")
    monkeypatch.setattr("ledger.trust.starting.audit", pytest.fail)
    refuse_differing(site, "1.0")
