"""Roles lent for a time, and glass broken."""

from __future__ import annotations

from datetime import timedelta

import pytest

from ledger.questions.case import require_activity
from ledger.questions.inbox import inbox
from ledger.questions.records import overrides
from ledger.subjects.people.decisions import delegate, revoke_key, withdraw
from ledger.subjects.sign_off.decisions import break_glass
from ledger.subjects.sign_off.kinds.signed import sign
from ledger.subjects.work.decisions import finish, reopen, start
from ledger.trust.audit import audit
from ledger.writing import Ledger
from schedule.errors import InputError, NotSatisfiedError
from tests.ledger.conftest import T0, Clock, Look, StateOf
from tests.ledger.journey import bought, racked

WEEK = timedelta(days=7)


def lend(ledger: Ledger, who: str = "lead", to: str = "guest") -> None:
    delegate(ledger, who, to, "network-lead", since=T0, until=T0 + WEEK, reason="on leave")


def worked(ledger: Ledger) -> None:
    start(ledger, "tech", "001@site")
    finish(ledger, "tech", "001@site")


def test_a_delegate_signs_in_the_role_and_the_record_says_so(ledger: Ledger, state: StateOf) -> None:
    worked(ledger)
    with pytest.raises(NotSatisfiedError, match="may not sign"):
        sign(ledger, "guest", "001@site")
    lend(ledger)
    event = sign(ledger, "guest", "001@site")

    assert state("001@site") == "done"
    assert event.payload.delegation == "D-0001"  # type: ignore[attr-defined]
    assert audit(ledger.site_dir) == []


def test_a_delegation_ends_with_its_time_and_when_it_is_withdrawn(ledger: Ledger, clock: Clock) -> None:
    worked(ledger)
    lend(ledger)
    for hours in (24 * 7, 1):  # at its end, and later
        clock.forward(hours)
        with pytest.raises(NotSatisfiedError, match="may not sign"):
            sign(ledger, "guest", "001@site")
        with pytest.raises(NotSatisfiedError, match="D-0001 has ended already"):
            withdraw(ledger, "lead", "D-0001", "late")
    delegate(ledger, "lead", "guest", "network-lead", since=clock.now, until=clock.now + WEEK, reason="again")
    withdraw(ledger, "lead", "D-0002", "back early")
    with pytest.raises(NotSatisfiedError, match="may not sign"):
        sign(ledger, "guest", "001@site")
    with pytest.raises(NotSatisfiedError, match="ended already"):
        withdraw(ledger, "lead", "D-0002", "twice")
    for unknown in ("D-0000", "D-0003"):
        with pytest.raises(InputError, match=f"there is no delegation '{unknown}'"):
            withdraw(ledger, "lead", unknown, "typed wrong")


def test_only_a_role_of_ones_own_is_lent_and_it_is_not_passed_on(ledger: Ledger) -> None:
    lend(ledger)
    with pytest.raises(NotSatisfiedError, match="may not lend the role network-lead"):
        delegate(ledger, "guest", "tech", "network-lead", since=T0, until=T0 + WEEK, reason="passing on")
    with pytest.raises(InputError, match="oneself"):
        lend(ledger, to="lead")
    for until in (T0, T0 - WEEK):
        with pytest.raises(InputError, match="ends after it begins"):
            delegate(ledger, "lead", "guest", "network-lead", since=T0, until=until, reason="x")
    with pytest.raises(NotSatisfiedError, match="tech has no valid key"):
        revoke_key(ledger, "pm", "tech", "lost")
    with pytest.raises(NotSatisfiedError, match="may not withdraw"):
        withdraw(ledger, "guest", "D-0001", "mischief")


def test_a_delegate_who_did_the_work_may_not_approve_it(ledger: Ledger) -> None:
    worked(ledger)
    lend(ledger, to="tech")
    with pytest.raises(NotSatisfiedError, match="did the work"):
        sign(ledger, "tech", "001@site")


def test_what_a_delegate_may_sign_is_in_their_inbox(ledger: Ledger, look: Look, clock: Clock) -> None:
    worked(ledger)
    assert inbox(look(clock.now), "guest") == []
    lend(ledger)

    assert [row.action for row in inbox(look(clock.now), "guest")] == ["sign"]


def test_glass_is_broken_by_owner_or_sponsor_and_shows_for_ever(
    ledger: Ledger, state: StateOf, look: Look, clock: Clock
) -> None:
    bought(ledger)
    racked(ledger)
    clock.forward(24)
    start(ledger, "tech", "020@pod-001")
    finish(ledger, "tech", "020@pod-001")
    with pytest.raises(NotSatisfiedError, match="may not pass"):
        break_glass(ledger, "lead", "020@pod-001", "flood")
    with pytest.raises(InputError, match="needs a reason"):
        break_glass(ledger, "pm", "020@pod-001", " ")
    event = break_glass(ledger, "pm", "020@pod-001", "flood in the hall; cooling must move today")

    assert event.payload.lacking == ("0 of 2 approvals by network-lead",)  # type: ignore[attr-defined]
    assert state("020@pod-001") == "done"
    reopen(ledger, "lead", "020@pod-001", "proper inspection")
    assert "overridden" in require_activity(look(clock.now), "020@pod-001").flags
    assert [row.activity for row in overrides(look())] == ["020@pod-001"]
    assert audit(ledger.site_dir) == []


def test_glass_does_not_pass_unfinished_work(ledger: Ledger) -> None:
    start(ledger, "tech", "001@site")
    with pytest.raises(NotSatisfiedError):
        break_glass(ledger, "pm", "001@site", "hurry")


def test_missing_evidence_is_named_when_glass_is_broken(ledger: Ledger) -> None:
    bought(ledger)
    from ledger.subjects.orders.delivery_decisions import receive

    receive(ledger, "pm", "001@site#gpu-server/1")
    start(ledger, "tech", "010@pod-001")
    finish(ledger, "tech", "010@pod-001")
    event = break_glass(ledger, "sponsor", "010@pod-001", "photographer is ill")

    assert "evidence photo" in event.payload.lacking  # type: ignore[attr-defined]
