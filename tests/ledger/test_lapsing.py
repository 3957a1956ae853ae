"""Approvals for a time: a hold point whose approval is over holds back what has not started, and can be given again."""

from __future__ import annotations

from typing import Any

import pytest

from ledger.questions.activities import ready
from ledger.questions.case import require_activity
from ledger.questions.counts import counts, phases
from ledger.questions.inbox import inbox
from ledger.questions.why import why
from ledger.subjects.plan.decisions import adopt_plan
from ledger.subjects.sign_off.kinds.signed import sign
from ledger.trust.audit import audit
from ledger.writing import Ledger
from schedule.errors import NotSatisfiedError
from tests.ledger.conftest import Clock, Look, StateOf, small_plan
from tests.ledger.journey import bought, passed, racked, take

HOLD, NEXT = "020@pod-001", "030@pod-001"
DAY = 24.0


@pytest.fixture
def valid(ledger: Ledger, clock: Clock) -> Ledger:
    """Return a ledger whose hold points are approved for 40 days at a time, one of them passed."""
    plan = small_plan().model_dump()
    for a in plan["activities"]:
        if a["step"] == "020":
            a["policy"]["valid_days"] = 40
    adopt_plan(ledger, "pm", small_plan(activities=plan["activities"]), reason="approved for a time")
    bought(ledger)
    racked(ledger)
    passed(ledger, clock)
    return ledger


def test_what_has_not_started_waits_once_an_approval_is_over(
    valid: Ledger, look: Look, clock: Clock, state: StateOf
) -> None:
    """What has started goes on; everybody sees the same: state, counts, reasons and refusal."""
    take(valid, "030@pod-001")
    clock.forward(40 * DAY)

    assert state("040@pod-001") == "blocked"
    assert state(NEXT) == "running"
    assert "expired" in require_activity(look(clock.now), HOLD).flags
    assert [row.id for row in ready(look(clock.now))] == []
    assert counts(look(clock.now)).by_state["blocked"] == sum(p.blocked for p in phases(look(clock.now)))  # type: ignore[index]
    unmet = why(look(clock.now), "040@pod-001").unmet
    assert [(u.predecessor, u.state) for u in unmet] == [(HOLD, "its approval ended 2026-02-15, to be signed again")]
    assert why(look(clock.now), HOLD).needs == ("to be signed again by network-lead: its approval ended on 2026-02-15",)
    assert [row.activity for row in inbox(look(clock.now), "lead")] == [HOLD]
    with pytest.raises(NotSatisfiedError, match="its approval ended 2026-02-15, to be signed again"):
        take(valid, "040@pod-001")


def test_a_quorum_approves_it_again(valid: Ledger, look: Look, clock: Clock, state: StateOf) -> None:
    """Each approval counts once, and the last one that is needed starts its time again."""
    clock.forward(41 * DAY)
    sign(valid, "lead", HOLD)
    assert state("040@pod-001") == "blocked"
    with pytest.raises(NotSatisfiedError, match="has signed"):
        sign(valid, "lead", HOLD)
    sign(valid, "lead2", HOLD)

    assert state("040@pod-001") == "ready"
    assert require_activity(look(clock.now), HOLD).flags == frozenset()
    assert audit(valid.site_dir) == []


def test_it_is_given_again_before_its_end_but_not_at_once(valid: Ledger, clock: Clock, look: Look) -> None:
    with pytest.raises(NotSatisfiedError, match="it holds until 2026-02-15") as refused:
        sign(valid, "lead", HOLD)
    assert refused.value.hint == "it can be signed again from 2026-01-16"
    clock.forward(9 * DAY)
    with pytest.raises(NotSatisfiedError, match="it holds until 2026-02-15"):
        sign(valid, "lead", HOLD)
    clock.forward(2 * DAY)
    sign(valid, "lead", HOLD)
    sign(valid, "lead2", HOLD)

    until: Any = require_activity(look(clock.now), HOLD).valid_until
    assert f"{until:%Y-%m-%d}" == "2026-02-26"
