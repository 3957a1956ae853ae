"""A site whose decisions are signed with keys: what is accepted, what is refused, and what an audit finds."""

from __future__ import annotations

import json
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from ledger.entries import ProgressRow
from ledger.log.chain import Event, canonical_text
from ledger.machine_time import machine_time
from ledger.questions.records import sign_offs
from ledger.reading import open_snapshot
from ledger.rules.version import ITEMS_AND_WAIVERS
from ledger.subjects.people.decisions import revoke_key
from ledger.subjects.plan.decisions import adopt_plan, raise_rules
from ledger.subjects.plan.progress_decisions import import_progress
from ledger.subjects.sign_off.decisions import attend, invite, reject, sign_elsewhere, waive
from ledger.subjects.sign_off.kinds.signed import sign
from ledger.subjects.work.decisions import finish, na, reopen, start
from ledger.subjects.work.evidence_decisions import attach
from ledger.subjects.work.payloads import NotApplicable
from ledger.trust import ssh
from ledger.trust.audit import audit
from ledger.trust.proving import Proof
from ledger.trust.statements import read_statement, signed_text
from ledger.writing import Ledger
from schedule.errors import (
    ClusterwrightError,
    InputError,
    NotSatisfiedError,
    StaleHeadError,
    UnsignedError,
    WaitingError,
)
from steps.planning.plan import Plan
from steps.stamps import stamp
from tests.ledger.conftest import PEOPLE, T0, Clock, activity, begun, earlier_rules, small_plan
from tests.ledger.test_poison import append_by_hand
from tests.needs import needs

pytestmark = needs("ssh-keygen")

Keys = dict[str, Path]


@pytest.fixture(scope="session")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Keys:
    folder = tmp_path_factory.mktemp("keys")
    made = {}
    for person in (*PEOPLE, "stranger"):
        path = made[person] = folder / person
        subprocess.run(
            ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(path)], check=True, stdin=subprocess.DEVNULL
        )
    return made


def public(keys: Keys, person: str) -> str:
    return keys[person].with_suffix(".pub").read_text(encoding="utf-8").strip()


def signed_plan(keys: Keys, **changes: Any) -> Plan:
    plan = small_plan(**changes)
    people = tuple(p.model_copy(update={"ssh_key": public(keys, p.id)}) for p in plan.people)
    activities = tuple(replace(a, policy=replace(a.policy, assurance="signed")) for a in plan.activities)
    return plan.model_copy(update={"people": people, "activities": activities})


Decide = Callable[[], Event]


def put_name(ledger: Ledger, key: Path, decide: Decide, namespace: str = "clusterwright") -> Event:
    (text,) = ledger.drafted(decide)
    return ledger.proved(Proof(text, ssh.sign(signed_text(text), key, namespace)), decide)


@pytest.fixture
def signed(site_dir: Path, clock: Clock, keys: Keys) -> Iterator[Ledger]:
    with begun(site_dir, clock, owner_key=public(keys, "pm")) as ledger:
        put_name(ledger, keys["pm"], lambda: adopt_plan(ledger, "pm", signed_plan(keys), reason="first plan"))
        yield ledger


def worked(ledger: Ledger) -> None:
    start(ledger, "tech", "001@site")
    finish(ledger, "tech", "001@site")


def test_a_signed_decision_is_recorded_with_its_statement_and_passes_the_audit(signed: Ledger, keys: Keys) -> None:
    worked(signed)
    event = put_name(signed, keys["lead"], lambda: sign(signed, "lead", "001@site", comment="seen"))

    said = json.loads(event.payload.statement)  # type: ignore[attr-defined]
    assert said["predicate"]["decision"] == "approved"
    assert "Lena Ad" not in event.payload.statement  # type: ignore[attr-defined]
    assert said["subject"][0]["name"] == "001@site"
    assert event.payload.assurance == "signed"  # type: ignore[attr-defined]
    assert audit(signed.site_dir) == []


def test_without_a_signature_it_waits(signed: Ledger, keys: Keys) -> None:
    worked(signed)
    with pytest.raises(WaitingError, match="needs a signature"):
        sign(signed, "lead", "001@site")
    with pytest.raises(WaitingError):
        reject(signed, "lead", "001@site", "no")
    with pytest.raises(WaitingError):
        adopt_plan(signed, "pm", signed_plan(keys), reason="again")


@pytest.mark.parametrize("text", ["{", "[]", "{}", "not a statement"])
def test_what_is_no_statement_is_refused_and_stops_nobody(signed: Ledger, text: str) -> None:
    """A role of the server may append a decision of its own, with any text in the place of its statement."""
    decided = {"reason": "no need", "role": "project_manager", "statement": text}
    at = stamp(machine_time())
    poison = {"actor": "pm", "kind": NotApplicable.kind, "schema_version": NotApplicable.version, "signature": "x"}
    append_by_hand(signed.site_dir, **poison, recorded_at=at, effective_at=at, payload=json.dumps(decided))

    assert audit(signed.site_dir).refused == [3]


def test_rejections_and_waivers_are_signed_too(signed: Ledger, keys: Keys) -> None:
    worked(signed)
    put_name(signed, keys["lead"], lambda: reject(signed, "lead", "001@site", "wrong items"))

    assert audit(signed.site_dir) == []
    with open_snapshot(signed.site_dir, T0) as snapshot:
        assert [(row.decision, row.assurance) for row in sign_offs(snapshot, "001@site")] == [("rejected", "signed")]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"predicate": None}, "no statement of an approval"),
        ({"predicate": []}, "no statement of an approval"),
        ({"subject": []}, "no statement of an approval"),
        ({"subject": [{"name": {}}]}, "no statement of an approval"),
        ({"person": {}}, "no statement of an approval"),
        ({"late_because": 5}, "no statement of an approval"),
        ({"head": 5}, "no statement of an approval"),
        ({"at": "yesterday"}, "does not say when"),
        ({"comment": "[" * 100_000}, "001@site differs"),
        ({"decision": "released"}, "is no approval, but 'released'"),
    ],
)
def test_a_statement_from_elsewhere_that_was_made_by_hand_is_refused_in_words(
    signed: Ledger, keys: Keys, tmp_path: Path, changed: dict[str, Any], said: str
) -> None:
    """It would be told as a fault of ours, or as a ledger that is damaged."""
    worked(signed)
    (text,) = signed.drafted(lambda: sign(signed, "lead", "001@site"))
    statement = json.loads(text)
    place = statement if changed.keys() & statement.keys() else statement["predicate"]
    place.update(changed)
    by_hand = signed_text(canonical_text(statement))
    (tmp_path / "by-hand.json").write_text(by_hand, encoding="utf-8")
    (tmp_path / "by-hand.json.sig").write_text(ssh.sign(by_hand, keys["lead"], "clusterwright"), encoding="utf-8")

    with pytest.raises(ClusterwrightError, match=said):
        sign_elsewhere(signed, tmp_path / "by-hand.json")


def test_a_statement_nested_without_end_is_none() -> None:
    with pytest.raises(InputError, match="not a statement"):
        read_statement('{"a":' * 100_000 + "1" + "}" * 100_000)


@pytest.mark.parametrize("key", ["stranger", "lead2", "tech"])
def test_anothers_key_is_refused(signed: Ledger, keys: Keys, key: str) -> None:
    worked(signed)
    with pytest.raises(NotSatisfiedError, match="is invalid"):
        put_name(signed, keys[key], lambda: sign(signed, "lead", "001@site"))


def test_another_namespace_is_refused(signed: Ledger, keys: Keys) -> None:
    worked(signed)
    with pytest.raises(NotSatisfiedError, match="is invalid"):
        put_name(signed, keys["lead"], lambda: sign(signed, "lead", "001@site"), ssh.REHEARSAL_NAMESPACE)


def test_a_statement_counts_once_and_only_while_it_says_what_stands_there(signed: Ledger, keys: Keys) -> None:
    worked(signed)
    decide = lambda: sign(signed, "lead", "001@site")  # noqa: E731
    (text,) = signed.drafted(decide)
    proof = Proof(text, ssh.sign(signed_text(text), keys["lead"], "clusterwright"))
    attach(signed, "tech", "001@site", b"a later page", "note", name="page.txt")
    with pytest.raises(StaleHeadError, match=r"evidence/note/page.txt differ"):
        signed.proved(proof, decide)

    (text,) = signed.drafted(decide)
    proof = Proof(text, ssh.sign(signed_text(text), keys["lead"], "clusterwright"))
    signed.proved(proof, decide)
    put_name(
        signed, keys["pm"], lambda: adopt_plan(signed, "pm", signed_plan(keys, holidays=("2026-02-02",)), reason="x")
    )
    with pytest.raises(ClusterwrightError):
        signed.proved(proof, decide)


def test_a_statement_of_another_site_is_refused(signed: Ledger, keys: Keys, tmp_path: Path, clock: Clock) -> None:
    worked(signed)
    with begun(tmp_path / "other", clock, owner_key=public(keys, "pm")) as other:
        put_name(other, keys["pm"], lambda: adopt_plan(other, "pm", signed_plan(keys), reason="first plan"))
        worked(other)
        (text,) = other.drafted(lambda: sign(other, "lead", "001@site"))
    with pytest.raises(NotSatisfiedError, match="another ledger"):
        signed.proved(
            Proof(text, ssh.sign(signed_text(text), keys["lead"], "clusterwright")),
            lambda: sign(signed, "lead", "001@site"),
        )


def test_an_edited_statement_is_refused(signed: Ledger, keys: Keys) -> None:
    worked(signed)
    (text,) = signed.drafted(lambda: sign(signed, "lead", "001@site"))
    edited = text.replace('"comment":""', '"comment":"all good"')
    with pytest.raises(StaleHeadError, match="comment differs"):
        signed.proved(
            Proof(edited, ssh.sign(signed_text(edited), keys["lead"], "clusterwright")),
            lambda: sign(signed, "lead", "001@site"),
        )


def test_a_revoked_key_signs_no_more_and_what_it_signed_before_still_holds(signed: Ledger, keys: Keys) -> None:
    worked(signed)
    put_name(signed, keys["lead"], lambda: sign(signed, "lead", "001@site"))
    put_name(signed, keys["pm"], lambda: revoke_key(signed, "pm", "lead", "laptop lost"))
    reopen(signed, "lead2", "001@site", "look again")
    worked(signed)

    with pytest.raises(NotSatisfiedError, match="is invalid") as caught:
        put_name(signed, keys["lead"], lambda: sign(signed, "lead", "001@site"))
    assert "revoked" in caught.value.hint
    put_name(signed, keys["lead2"], lambda: sign(signed, "lead2", "001@site"))
    assert audit(signed.site_dir) == []


def test_only_the_owner_and_the_holder_revoke_a_key(signed: Ledger) -> None:
    with pytest.raises(NotSatisfiedError, match="may not revoke"):
        signed.drafted(lambda: revoke_key(signed, "tech", "lead", "mischief"))


def test_a_key_that_the_plan_no_longer_names_ends_with_the_adoption(signed: Ledger, keys: Keys) -> None:
    plan = signed_plan(keys)
    people = tuple(
        p.model_copy(update={"ssh_key": public(keys, "stranger") if p.id == "lead" else p.ssh_key}) for p in plan.people
    )
    put_name(
        signed,
        keys["pm"],
        lambda: adopt_plan(signed, "pm", plan.model_copy(update={"people": people}), reason="new laptop"),
    )
    worked(signed)
    put_name(signed, keys["stranger"], lambda: sign(signed, "lead", "001@site"))

    assert audit(signed.site_dir) == []


def forge(site_dir: Path, sql: str, *values: object) -> None:
    """Change the file as someone would who can write it, triggers and all."""
    connection = sqlite3.connect(site_dir / "ledger.db")
    triggers = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
    for name, _ in triggers:
        connection.execute(f"DROP TRIGGER {name}")
    connection.execute(sql, values)
    for _, text in triggers:
        connection.execute(text)
    connection.commit()
    connection.close()


@pytest.mark.own_file
def test_a_changed_or_missing_signature_is_found(signed: Ledger, keys: Keys) -> None:
    worked(signed)
    event = put_name(signed, keys["lead"], lambda: sign(signed, "lead", "001@site"))
    other = ssh.sign("something else", keys["lead"], "clusterwright")
    for signature in (other, None):
        forge(signed.site_dir, "UPDATE event SET signature = ? WHERE seq = ?", signature, event.seq)
        found = audit(signed.site_dir)
        assert [f.where for f in found] == [f"event {event.seq}"]
        assert "signature" in found[0].message


def test_a_recorded_decision_that_should_have_been_signed_is_found(
    signed: Ledger, keys: Keys, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody who can write the file can append a well-formed event, and still not a signature."""
    worked(signed)
    with monkeypatch.context() as patched:
        patched.setattr("ledger.trust.proving.asks_for_signature", lambda *_, **__: False)
        event = sign(signed, "lead", "001@site")
    found = audit(signed.site_dir)

    assert [f.where for f in found] == [f"event {event.seq}"]
    assert "not signed" in found[0].message


def test_a_waiver_is_signed_where_its_activity_asks(signed: Ledger, keys: Keys) -> None:
    with pytest.raises(ClusterwrightError):
        waive(signed, "lead", "030@pod-001", "link.loss", "spare fibre", due=datetime(2026, 3, 1, tzinfo=UTC).date())


def test_a_signer_signs_who_witnessed_it_and_how_long_it_holds(signed: Ledger, keys: Keys, clock: Clock) -> None:
    """Both are in the statement, which stays canonical, and the audit makes it again."""
    policy = {"witness": {"roles": ["sponsor"], "notice_h": 0}, "valid_days": 365}
    activities = [*small_plan().model_dump()["activities"], activity("301@site", policy=policy)]
    plan = signed_plan(keys, activities=activities)
    put_name(signed, keys["pm"], lambda: adopt_plan(signed, "pm", plan, reason="witnessed"))
    invite(signed, "tech", "301@site", clock.now)
    start(signed, "tech", "301@site")
    attend(signed, "sponsor", "301@site", "sponsor", person="sponsor")
    finish(signed, "tech", "301@site")

    event = put_name(signed, keys["lead"], lambda: sign(signed, "lead", "301@site"))

    said = json.loads(event.payload.statement)["predicate"]["policy"]  # type: ignore[attr-defined]
    assert (said["witnesses"], said["valid_days"]) == (["sponsor"], "365")
    assert audit(signed.site_dir) == []


@pytest.mark.own_file
def test_raised_rules_leave_who_was_excused_before_as_it_was(tmp_path: Path, clock: Clock, keys: Keys) -> None:
    """What a decision works out from signed events is what the tables have, on either side of the raise."""
    seen = activity("301@site", policy={"witness": {"roles": ["sponsor"], "notice_h": 0}})
    plan = signed_plan(keys, activities=[*small_plan().model_dump()["activities"], seen])
    with earlier_rules(ITEMS_AND_WAIVERS):
        site = begun(tmp_path, clock, owner_key=public(keys, "pm"))
    with site as ledger:
        put_name(ledger, keys["pm"], lambda: adopt_plan(ledger, "pm", plan, reason="witnessed"))
        invite(ledger, "tech", "301@site", clock.now)
        attend(ledger, "sponsor", "301@site", "sponsor", person=None)
        invite(ledger, "tech", "301@site", clock.now + timedelta(days=1))
        put_name(ledger, keys["pm"], lambda: raise_rules(ledger, "pm", "all have upgraded"))
        with ledger.dry_run():
            start(ledger, "tech", "301@site")
        invite(ledger, "tech", "301@site", clock.now + timedelta(days=2))
        with pytest.raises(NotSatisfiedError, match="not yet here: sponsor"):
            start(ledger, "tech", "301@site")
        assert audit(ledger.site_dir) == []


def test_what_is_declared_done_or_needless_is_signed_on_a_signed_site(signed: Ledger, keys: Keys) -> None:
    """Whatever an activity's own policy says: both end work that nobody approves."""
    done = ProgressRow(2, "001@site", "done", T0, T0, "ACME")

    def imported() -> Event:
        event = import_progress(signed, "pm", [done])
        assert event is not None
        return event

    decisions: tuple[Decide, ...] = (lambda: na(signed, "pm", "010@pod-002", "no second pod"), imported)
    for decide in decisions:
        with pytest.raises(UnsignedError, match="needs a signature"):
            decide()
        put_name(signed, keys["pm"], decide)
    assert audit(signed.site_dir) == []
