"""Dates and times that contradict the record: refused under version 3 of the rules, with what to do."""

from __future__ import annotations

import shutil
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from ledger.log.chain import Draft, Event
from ledger.questions.actuals import actuals
from ledger.questions.log import last_events
from ledger.questions.site import rules_in_force
from ledger.reading import open_snapshot
from ledger.subjects.ncr.decisions import assign_ncr, disposition_ncr
from ledger.subjects.orders.decisions import acknowledge, order, promise
from ledger.subjects.orders.delivery_decisions import receive, ship
from ledger.subjects.orders.payloads import OrderPromised
from ledger.subjects.people.decisions import delegate
from ledger.subjects.plan.decisions import adopt_plan, raise_rules
from ledger.subjects.sign_off.decisions import reject
from ledger.subjects.sign_off.kinds.signed import sign
from ledger.subjects.work.decisions import comment, finish, start
from ledger.trust import proving
from ledger.trust.audit import audit
from ledger.trust.proving import Proof
from ledger.trust.statements import read_statement, signed_text
from ledger.writing import Ledger
from schedule.errors import InputError, NotPermittedError, NotSatisfiedError, StaleHeadError
from tests.ledger.conftest import (
    PEOPLE,
    T0,
    Clock,
    Look,
    account_of,
    adopt_small_plan,
    begun,
    earlier_rules,
    small_plan,
)
from tests.ledger.forging import every_state
from tests.ledger.keys import sign_as
from tests.ledger.test_golden import GOLDEN
from tests.ledger.test_signed import Keys, keys, put_name, signed_plan
from tests.ledger.test_signed import public as public_of
from tests.needs import needs

__all__ = ["keys"]

pytestmark = pytest.mark.own_file  # the clock of a server is not a test's to move

DECISION = "001@site"
ORDER = "001@site#gpu-server"
FIRST, SECOND = f"{ORDER}/1", f"{ORDER}/2"
AWAITING = "304@site"
WHY = "it was on paper"


@pytest.fixture
def placed(ledger: Ledger, clock: Clock) -> Ledger:
    """Return a site ten days after its start, with an order of today whose first delivery is here."""
    clock.forward(24 * 10)
    decided(ledger)
    order(ledger, "pm", ORDER)
    receive(ledger, "pm", FIRST)
    return ledger


def decided(ledger: Ledger) -> None:
    """Decide what the order waits for."""
    start(ledger, "tech", DECISION)
    finish(ledger, "tech", DECISION)
    sign(ledger, "lead", DECISION)


def test_a_promise_is_not_of_a_day_that_is_over(placed: Ledger, clock: Clock) -> None:
    """The forecast would count a delivery that nobody waits for any more."""
    today = clock.now.date()
    for day in (today - timedelta(days=1), date(2025, 12, 1)):
        with pytest.raises(InputError, match=f"{day} is over; nobody can promise") as refused:
            promise(placed, "pm", SECOND, day, reason="x")
        assert f"clusterwright receive '{SECOND}' --at {day}" in refused.value.hint
        with pytest.raises(InputError, match="is over"):
            acknowledge(placed, "pm", ORDER, on=today, reference="M-1", promised=day)

    promise(placed, "pm", SECOND, today, reason="today")
    acknowledge(placed, "pm", ORDER, on=today, reference="M-1", promised=today)
    assert audit(placed.site_dir) == []


def test_an_order_is_not_promised_for_a_day_before_it(ledger: Ledger) -> None:
    decided(ledger)
    with pytest.raises(InputError, match="2026-01-04 is over"):
        order(ledger, "pm", ORDER, promised=date(2026, 1, 4))
    order(ledger, "pm", ORDER, promised=date(2026, 1, 5))


def test_an_older_promise_is_recorded_with_its_own_day(placed: Ledger, clock: Clock) -> None:
    """What the supplier said last week was no past day then."""
    day = clock.now.date() + timedelta(days=1)
    then = clock.now + timedelta(hours=1)
    clock.forward(24 * 7)
    with pytest.raises(InputError, match="is over"):
        promise(placed, "pm", SECOND, day, reason="x")

    with placed.happened(then, WHY):
        promise(placed, "pm", SECOND, day, reason="said by telephone")

    assert audit(placed.site_dir) == []


def test_what_is_received_is_promised_by_nobody(placed: Ledger, clock: Clock) -> None:
    day = clock.now.date() + timedelta(days=9)
    with pytest.raises(NotSatisfiedError, match=f"{FIRST} is received in full") as refused:
        promise(placed, "pm", FIRST, day, reason="x")
    assert f"clusterwright log '{FIRST}'" in refused.value.hint

    promise(placed, "pm", ORDER, day, reason="the rest")
    receive(placed, "pm", SECOND)
    with pytest.raises(NotSatisfiedError, match=f"{ORDER} is received in full"):
        promise(placed, "pm", ORDER, day, reason="x")


def test_a_supplier_does_nothing_before_the_order_is_placed(placed: Ledger) -> None:
    before = date(2026, 1, 14)
    with pytest.raises(InputError, match=f"{ORDER} was placed on 2026-01-15; it cannot have been shipped") as refused:
        ship(placed, "pm", SECOND, shipped=before, carrier="Lorry")
    assert f"clusterwright log '{ORDER}'" in refused.value.hint
    with pytest.raises(InputError, match="it cannot have been acknowledged on 2026-01-14"):
        acknowledge(placed, "pm", ORDER, on=before, reference="M-1")

    ship(placed, "pm", SECOND, shipped=date(2026, 1, 15), carrier="Lorry")


def test_a_non_conformance_is_due_on_a_day_to_come(ledger: Ledger, clock: Clock) -> None:
    clock.forward(48)
    start(ledger, "tech", DECISION)
    finish(ledger, "tech", DECISION)
    ncr = reject(ledger, "lead", DECISION, "crooked").payload.ncr  # type: ignore[attr-defined]
    for due in (date(2026, 1, 6), date(2025, 1, 8)):
        with pytest.raises(InputError, match=f"{due} is over; it cannot be made good by then") as refused:
            disposition_ncr(ledger, "lead", ncr, "rework", owner="tech", due=due)
        assert refused.value.hint == "--due 2026-01-07 or a later day"
        with pytest.raises(InputError, match="is over"):
            assign_ncr(ledger, "lead", ncr, "tech", due)

    disposition_ncr(ledger, "lead", ncr, "rework", owner="tech", due=date(2026, 1, 7))


@pytest.mark.parametrize(
    ("at", "says", "hint"),
    [
        (
            datetime(2025, 1, 14, tzinfo=UTC),
            "2025-01-14 00:00 is before the project, which began on 2026-01-05",
            "year",
        ),
        (datetime(2026, 1, 4, 23, 59, tzinfo=UTC), "before the project", "`start` in site.yaml"),
        (datetime(2027, 1, 14, tzinfo=UTC), "2027-01-14 00:00 is in the future; it is 2026-01-15 09:00", "year"),
        (datetime(2026, 1, 15, 9, 6, tzinfo=UTC), "is in the future", "when it has happened"),
        (
            datetime(2026, 1, 13, tzinfo=UTC),
            "2026-01-13 00:00 is 2 days ago, and nobody says why",
            "--late-because WHY",
        ),
    ],
)
def test_a_wrong_time_is_refused(ledger: Ledger, clock: Clock, at: datetime, says: str, hint: str) -> None:
    """A slip in the year is found where it is typed, and not when the dates are worked out."""
    clock.forward(24 * 10)
    with pytest.raises(InputError, match=says) as refused, ledger.happened(at):
        start(ledger, "tech", DECISION)
    assert hint in refused.value.hint


def test_a_decision_is_not_of_a_time_before_the_entry_it_comes_after(ledger: Ledger, clock: Clock) -> None:
    clock.forward(24 * 10)
    with ledger.happened(T0 + timedelta(days=5), WHY):
        start(ledger, "tech", DECISION)
    with (
        ledger.happened(T0 + timedelta(days=4), WHY),
        pytest.raises(InputError, match=f"{DECISION} started on 2026-01-10"),
    ):
        finish(ledger, "tech", DECISION)
    with ledger.happened(T0 + timedelta(days=7), WHY):
        finish(ledger, "tech", DECISION)
    with (
        ledger.happened(T0 + timedelta(days=6), WHY),
        pytest.raises(InputError, match="finished on 2026-01-12") as refused,
    ):
        sign(ledger, "lead", DECISION)
    assert f"clusterwright log {DECISION}" in refused.value.hint
    with ledger.happened(T0 + timedelta(days=8), WHY):
        sign(ledger, "lead", DECISION)

    assert audit(ledger.site_dir) == []


def test_the_reason_is_in_the_event_of_whatever_is_recorded_late(ledger: Ledger, clock: Clock, look: Look) -> None:
    """One field for all kinds. An event that is recorded in time does not have it."""
    clock.forward(24 * 3)
    with ledger.happened(T0 + timedelta(days=1), f"  {WHY} "):
        comment(ledger, "tech", DECISION, "seen")
    comment(ledger, "tech", DECISION, "seen again")

    late, now = last_events(look(), 2)
    assert late.payload == {"text": "seen", "late_because": WHY}
    assert late.effective_at == T0 + timedelta(days=1)
    assert now.payload == {"text": "seen again"}


def with_roles(**roles: tuple[str, ...]) -> list[dict[str, object]]:
    """Return the people of the small plan, some with other roles, or with none of them at all."""
    rows = {person: (name, roles.get(person, own)) for person, (name, own) in PEOPLE.items()}
    return [
        {"id": person, "name": name, "roles": own, "account": account_of(person)}
        for person, (name, own) in rows.items()
        if own
    ]


@pytest.fixture
def waiting(ledger: Ledger, clock: Clock) -> Ledger:
    """Return a site with work that was finished two days after its start and waits for the network lead. Ten days have passed."""
    clock.forward(48)
    start(ledger, "tech", DECISION)
    finish(ledger, "tech", DECISION)
    clock.forward(24 * 8)
    return ledger


THEN = T0 + timedelta(days=4)


def late(ledger: Ledger, person: str) -> Event:
    """Sign with a date of a week ago."""
    with ledger.happened(THEN, WHY):
        return sign(ledger, person, DECISION)


def test_a_role_that_was_withdrawn_since_signs_nothing(waiting: Ledger) -> None:
    adopt_plan(waiting, "pm", small_plan(people=with_roles(lead=("visitor",))), reason="another lead")

    with pytest.raises(NotPermittedError, match="the role network-lead is not theirs any more"):
        late(waiting, "lead")
    late(waiting, "lead2")
    assert audit(waiting.site_dir) == []


def test_a_role_that_was_acquired_since_signs_nothing_of_before(waiting: Ledger) -> None:
    adopt_plan(waiting, "pm", small_plan(people=with_roles(guest=("network-lead",))), reason="a third lead")

    with pytest.raises(NotPermittedError, match="the role network-lead was not theirs on 2026-01-09") as refused:
        late(waiting, "guest")
    assert "without --at" in refused.value.hint
    sign(waiting, "guest", DECISION)
    assert audit(waiting.site_dir) == []


def test_who_came_since_decides_nothing_of_before(ledger: Ledger, clock: Clock) -> None:
    adopt_plan(ledger, "pm", small_plan(people=with_roles(guest=())), reason="without the guest")
    clock.forward(24 * 10)
    adopt_plan(ledger, "pm", small_plan(), reason="the guest is here")

    with ledger.happened(THEN, WHY), pytest.raises(NotPermittedError, match="guest was not at this site on 2026-01-09"):
        start(ledger, "guest", DECISION)
    start(ledger, "guest", DECISION)


def test_a_delegation_counts_if_it_was_there_then_and_is_there_now(waiting: Ledger, clock: Clock) -> None:
    now = clock.now
    delegate(waiting, "lead", "guest", "network-lead", since=now, until=now + timedelta(days=9), reason="leave")

    with pytest.raises(NotPermittedError, match="the role network-lead was not theirs on 2026-01-09"):
        late(waiting, "guest")

    clock.forward(24 * 10)
    with (
        waiting.happened(now + timedelta(days=1), WHY),
        pytest.raises(NotPermittedError, match="is not theirs any more"),
    ):
        sign(waiting, "guest", DECISION)


@pytest.mark.parametrize(
    ("person", "roles", "why"),
    [
        ("lead", {"lead": ("visitor",)}, "is not theirs any more"),
        ("guest", {"guest": ("network-lead",)}, "was not theirs on 2026-01-09"),
    ],
)
def test_the_audit_refuses_a_late_decision_of_who_could_not_decide_then_or_now(
    waiting: Ledger, person: str, roles: dict[str, tuple[str, ...]], why: str
) -> None:
    """What is appended below the services is judged by the same rule."""
    with waiting.dry_run():
        payload = late(waiting, "lead2").payload
    adopt_plan(waiting, "pm", small_plan(people=with_roles(**roles)), reason="other roles")
    waiting.append(Draft(person, payload, DECISION, THEN))

    (found,) = audit(waiting.site_dir)
    assert why in str(found)


def test_the_audit_refuses_what_is_late_without_a_reason_or_of_a_past_promise(placed: Ledger, clock: Clock) -> None:
    promised = OrderPromised(promised=date(2026, 1, 2), reason="x")
    placed.append(Draft("pm", promised, SECOND, clock.now))
    made = comment(placed, "tech", DECISION, "now")
    placed.append(Draft("tech", made.payload, DECISION, T0 + timedelta(days=1)))

    found = audit(placed.site_dir)

    assert any("2026-01-02 is over" in str(fault) for fault in found)
    assert any("nobody says why it is recorded only now" in str(fault) for fault in found)


def test_earlier_rules_let_it_pass_and_the_owner_raises_them(site_dir: Path, clock: Clock) -> None:
    """An existing site goes on under the rules that it has."""
    with earlier_rules(2):
        ledger = begun(site_dir, clock)
    with ledger:
        adopt_small_plan(ledger)
        clock.forward(24 * 10)
        decided(ledger)
        order(ledger, "pm", ORDER)
        with ledger.happened(T0):
            comment(ledger, "tech", DECISION, "as it was")
        promise(ledger, "pm", SECOND, date(2025, 12, 1), reason="x")
        raise_rules(ledger, "pm", "dates are judged")
        with pytest.raises(InputError, match="is over"):
            promise(ledger, "pm", SECOND, date(2025, 12, 1), reason="x")

    assert audit(site_dir) == []


def test_a_ledger_of_version_2_with_past_promises_still_audits_clean(tmp_path: Path) -> None:
    """It has a promise in the past, one of what was here, a shipment before the order, and a non-conformance due before it."""
    shutil.unpack_archive(GOLDEN / "rules" / "rules-2.tar.xz", tmp_path)

    assert audit(tmp_path / "rules-2") == []
    with open_snapshot(tmp_path / "rules-2", datetime(2026, 1, 25, 11, tzinfo=UTC)) as snapshot:
        assert rules_in_force(snapshot).version == 2
        found = actuals(snapshot)
    assert found[SECOND].finished == datetime(2026, 1, 26, tzinfo=UTC), (
        "what was promised for a past day comes tomorrow"
    )


@pytest.fixture
def signed(tmp_path: Path, clock: Clock) -> Ledger:
    """Return a signed site on a clock that the test moves, two weeks after its work was finished."""
    site = tmp_path / "signed"
    site.mkdir()
    ledger = every_state(site, clock, signed=True).__enter__()
    clock.forward(24 * 14)
    return ledger


def drafted(ledger: Ledger, person: str, at: datetime) -> str:
    """Return the statement of a late approval."""
    with ledger.happened(at, WHY):
        (text,) = ledger.drafted(lambda: sign(ledger, person, AWAITING))
    return text


def test_a_late_signature_names_its_time_its_reason_and_when_it_was_made(signed: Ledger, clock: Clock) -> None:
    then = clock.now - timedelta(days=10)
    text = drafted(signed, "lead", then)
    proof = Proof(text, sign_as("lead", signed_text(text)))
    said = read_statement(text)["predicate"]
    assert (said["at"], said["late_because"]) == (f"{then:%Y-%m-%dT%H:%M:%S.%f}Z", WHY)

    with signed.happened(then + timedelta(days=1), WHY):
        event = signed.proved(proof, lambda: sign(signed, "lead", AWAITING))

    assert event.effective_at == then, "the time that was signed"
    assert audit(signed.site_dir) == []


def test_a_late_signature_is_recorded_with_no_other_time_and_no_other_reason(signed: Ledger, clock: Clock) -> None:
    then = clock.now - timedelta(days=10)
    text = drafted(signed, "lead", then)
    proof = Proof(text, sign_as("lead", signed_text(text)))

    with signed.happened(None, "another reason"), pytest.raises(StaleHeadError, match="late_because"):
        signed.proved(proof, lambda: sign(signed, "lead", AWAITING))
    clock.forward(24 * 8)
    with signed.happened(None, WHY), pytest.raises(NotSatisfiedError, match="its statement is of"):
        signed.proved(proof, lambda: sign(signed, "lead", AWAITING))


@needs("ssh-keygen")
def test_a_key_that_was_enrolled_after_it_signs_nothing_of_before(
    site_dir: Path, clock: Clock, keys: Keys, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The person had the role then; the key did not speak for them yet. The audit refuses it too."""
    owner_key = public_of(keys, "pm")
    with begun(site_dir, clock, owner_key=owner_key) as site:
        plan = signed_plan(keys)
        put_name(site, keys["pm"], lambda: adopt_plan(site, "pm", plan, reason="first plan"))
        clock.forward(48)
        start(site, "tech", DECISION)
        finish(site, "tech", DECISION)
        clock.forward(24 * 5)
        new = [
            p.model_copy(update={"ssh_key": public_of(keys, "stranger")}) if p.id == "lead" else p for p in plan.people
        ]
        other = plan.model_copy(update={"people": tuple(new)})
        put_name(site, keys["pm"], lambda: adopt_plan(site, "pm", other, reason="a new key"))
        clock.forward(1)

        with (
            site.happened(THEN, WHY),
            pytest.raises(NotSatisfiedError, match="the key of lead was enrolled on 2026-01-12"),
        ):
            put_name(site, keys["stranger"], lambda: sign(site, "lead", DECISION))
        monkeypatch.setattr(proving, "refuse_newer_keys", lambda _then, _at, _actor, found: found)
        with site.happened(THEN, WHY):
            put_name(site, keys["stranger"], lambda: sign(site, "lead", DECISION))

    assert any("the signature of lead is invalid" in str(found) for found in audit(site_dir))
