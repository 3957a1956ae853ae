"""Approvals: roles, separation of duties, quorum, evidence; waivers, attestations, releases."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from ledger.entries import RunOutcome
from ledger.questions.case import require_activity
from ledger.questions.inbox import inbox
from ledger.questions.ncrs import ncrs
from ledger.questions.records import attestations, waivers
from ledger.questions.why import criteria
from ledger.subjects.ncr.decisions import close_ncr
from ledger.subjects.orders.delivery_decisions import receive
from ledger.subjects.runs.decisions import release, settle
from ledger.subjects.runs.request_decisions import request_retry
from ledger.subjects.sign_off.decisions import reject, waive
from ledger.subjects.sign_off.kinds.signed import sign
from ledger.subjects.work.decisions import finish, start
from ledger.subjects.work.evidence_decisions import attest
from ledger.trust.audit import audit
from ledger.writing import Ledger
from schedule.errors import InputError, NotSatisfiedError
from steps.acceptance.measured import Measured
from tests.ledger.conftest import Clock, Look, StateOf
from tests.ledger.journey import all_but_gate, bought, passed, racked, take

DUE = date(2026, 3, 1)
LOSSY = RunOutcome(
    "ok",
    measurements=(
        Measured("link.loss", Decimal("0.9"), "dB", "n1", "otdr"),
        Measured("link.up", None, "", "n1", "ip", "not measured: install iproute2"),
    ),
)


def ready_to_verify(ledger: Ledger, clock: Clock) -> None:
    bought(ledger)
    racked(ledger)
    passed(ledger, clock)


def test_performer_may_not_approve(ledger: Ledger, state: StateOf) -> None:
    """Four eyes: nobody who began or finished the work can approve it."""
    start(ledger, "lead", "001@site")
    finish(ledger, "tech", "001@site")

    with pytest.raises(NotSatisfiedError, match="lead did the work of 001@site"):
        sign(ledger, "lead", "001@site")

    sign(ledger, "lead2", "001@site")
    assert state("001@site") == "done"


def test_role_must_be_one_of_the_policy(ledger: Ledger) -> None:
    """Holding some role is not holding the right one."""
    start(ledger, "tech", "001@site")
    finish(ledger, "tech", "001@site")

    with pytest.raises(NotSatisfiedError, match=r"guest \(visitor\) may not sign 001@site") as refused:
        sign(ledger, "guest", "001@site")
    with pytest.raises(NotSatisfiedError, match="sign 001@site is not for the role 'sponsor'"):
        sign(ledger, "lead", "001@site", role="sponsor")

    assert "network-lead" in refused.value.hint
    sign(ledger, "lead", "001@site", role="network-lead")


def test_open_work_cannot_be_approved(ledger: Ledger) -> None:
    """There is nothing to approve yet."""
    with pytest.raises(NotSatisfiedError, match="has not begun"):
        sign(ledger, "lead", "001@site")


def test_signature_waits_for_evidence(ledger: Ledger, look: Look, clock: Clock) -> None:
    """A photo asked for is a photo on the table, in this attempt."""
    bought(ledger)
    racked(ledger)
    with pytest.raises(NotSatisfiedError, match="nothing waits"):
        sign(ledger, "lead", "010@pod-001")
    clock.forward(1)
    receive(ledger, "pm", "001@site#gpu-server/2")
    start(ledger, "tech", "010@pod-002")
    finish(ledger, "tech", "010@pod-002")

    with pytest.raises(NotSatisfiedError, match="evidence is missing: photo"):
        sign(ledger, "lead", "010@pod-002")

    waiting = [r for r in inbox(look(clock.now), "lead") if r.action == "sign"]
    assert [(r.activity, r.missing_evidence) for r in waiting] == [("010@pod-002", ("photo",))]


def test_quorum_wants_different_people(ledger: Ledger, clock: Clock, state: StateOf) -> None:
    """Two signatures of one person are one."""
    bought(ledger)
    racked(ledger)
    clock.forward(24)
    start(ledger, "tech", "020@pod-001")
    finish(ledger, "tech", "020@pod-001")
    sign(ledger, "lead", "020@pod-001")
    assert state("020@pod-001") == "awaiting_sign_off"

    with pytest.raises(NotSatisfiedError, match="lead has signed 020@pod-001 already"):
        sign(ledger, "lead", "020@pod-001")

    sign(ledger, "lead2", "020@pod-001")
    assert state("020@pod-001") == "done"


def test_rejection_opens_a_non_conformance_and_sends_the_work_back(
    ledger: Ledger, state: StateOf, look: Look, clock: Clock
) -> None:
    """The next attempt answers it, and that closes it."""
    start(ledger, "tech", "001@site")
    finish(ledger, "tech", "001@site")
    reject(ledger, "lead", "001@site", "no second quote")
    assert state("001@site") == "in_progress"
    assert require_activity(look(clock.now), "001@site").attempt == 2
    assert [n.reason for n in ncrs(look(), open_only=True)] == ["no second quote"]

    finish(ledger, "tech", "001@site")
    sign(ledger, "lead", "001@site")

    assert ncrs(look(), open_only=True) == []
    assert ncrs(look())[0].disposition == "accepted at attempt 2"


def test_closed_non_conformance_stays_closed(ledger: Ledger) -> None:
    """One disposition each."""
    start(ledger, "tech", "001@site")
    finish(ledger, "tech", "001@site")
    reject(ledger, "lead", "001@site", "no second quote")
    close_ncr(ledger, "pm", "NCR-0001", "use as is")

    with pytest.raises(NotSatisfiedError, match="is closed: use as is"):
        close_ncr(ledger, "pm", "NCR-0001", "rework")


def test_waivers_of_all_unmet_criteria_let_a_checked_step_go_on(
    ledger: Ledger, clock: Clock, state: StateOf, look: Look
) -> None:
    """Each is a punch item with a due date, and the flag stays."""
    ready_to_verify(ledger, clock)
    take(ledger, "030@pod-001")
    settle(ledger, "engine-1", "030@pod-001", LOSSY)
    assert state("030@pod-001") == "checked_not_met"
    assert [c.verdict for c in criteria(look(), "030@pod-001")] == ["failed", "not measured"]

    waive(ledger, "pm", "030@pod-001", "link.loss", "short run", DUE)
    assert state("030@pod-001") == "checked_not_met"
    waive(ledger, "lead", "030@pod-001", "link.up", "seen by eye", DUE)

    row = require_activity(look(clock.now), "030@pod-001")
    assert row.state.value == "done"
    assert row.flags == {"waived"}
    assert [w.due for w in waivers(look())] == [DUE, DUE]
    assert {c.verdict for c in criteria(look(), "030@pod-001")} == {"waived"}


def test_waiver_needs_a_role_and_something_unmet(ledger: Ledger, clock: Clock) -> None:
    """Nobody waives what is met, nor without standing."""
    ready_to_verify(ledger, clock)
    take(ledger, "030@pod-001")
    settle(ledger, "engine-1", "030@pod-001", LOSSY)

    with pytest.raises(NotSatisfiedError, match=r"tech .technician. may not waive"):
        waive(ledger, "tech", "030@pod-001", "link.loss", "short", DUE)
    with pytest.raises(InputError, match="no criterion 'loss'"):
        waive(ledger, "pm", "030@pod-001", "loss", "short", DUE)


def test_attestation_wants_another_persons_approval_and_shows_for_ever(
    ledger: Ledger, clock: Clock, state: StateOf, look: Look, tmp_path: Path
) -> None:
    """Even where a run would have needed no signature."""
    ready_to_verify(ledger, clock)
    proof = tmp_path / "otdr.csv"
    proof.write_text("loss,0.2")
    with pytest.raises(NotSatisfiedError, match="guest"):
        attest(ledger, "guest", "030@pod-001", "did it")
    attest(ledger, "lead", "030@pod-001", "measured by the installer", evidence=[proof])
    assert state("030@pod-001") == "awaiting_sign_off"
    with pytest.raises(NotSatisfiedError, match="lead did the work"):
        sign(ledger, "lead", "030@pod-001")

    sign(ledger, "lead2", "030@pod-001")

    row = require_activity(look(clock.now), "030@pod-001")
    assert row.state.value == "done"
    assert row.flags == {"attested"}
    assert len(attestations(look())[0].digests[0]) == 64


def test_peoples_work_is_not_attested(ledger: Ledger) -> None:
    """People start, finish and are signed for."""
    with pytest.raises(NotSatisfiedError, match="people's work"):
        attest(ledger, "tech", "001@site", "did it")


def test_gate_is_passed_by_signing_and_groups_what_is_open(
    ledger: Ledger, clock: Clock, state: StateOf, look: Look
) -> None:
    """Go-live says what is missing, by kind, before it says yes."""
    ready_to_verify(ledger, clock)
    take(ledger, "030@pod-001")
    settle(ledger, "engine-1", "030@pod-001", LOSSY)
    with pytest.raises(NotSatisfiedError, match=r"waits for 6 \(blocked 3, ready 2, checked, not met 1\): 030@pod-001"):
        sign(ledger, "sponsor", "195@site")
    request_retry(ledger, "lead", "030@pod-001")
    assert state("030@pod-001") == "ready"


def test_signed_gate_ends_the_project(ledger: Ledger, clock: Clock, state: StateOf) -> None:
    """All six before it are done."""
    all_but_gate(ledger, clock)

    sign(ledger, "sponsor", "195@site")

    assert state("195@site") == "done"
    assert audit(ledger.site_dir) == []


def test_change_waits_for_a_release_that_matches(ledger: Ledger, clock: Clock, state: StateOf) -> None:
    """A release names hosts, playbook and attempt, and lapses with each."""
    ready_to_verify(ledger, clock)
    name = "040@pod-001"
    with pytest.raises(NotSatisfiedError, match="waits for a release: nobody released it"):
        take(ledger, name, hosts=["n1"], playbook_digest="d1")
    release(ledger, "lead", name, hosts=["n1"], count=1, playbook_digest="d1")
    with pytest.raises(NotSatisfiedError, match="hosts or playbook differ"):
        take(ledger, name, hosts=["n1"], playbook_digest="d2")
    with pytest.raises(NotSatisfiedError, match="hosts or playbook differ"):
        take(ledger, name, hosts=["n1", "n2"], playbook_digest="d1")

    assert take(ledger, name, hosts=["n1"], playbook_digest="d1")

    settle(ledger, "engine-1", name, RunOutcome("interrupted"))
    assert state(name) == "ready"
    with pytest.raises(NotSatisfiedError, match="nobody released it"):
        take(ledger, name, hosts=["n1"], playbook_digest="d1")


def test_release_count_must_be_the_hosts(ledger: Ledger, clock: Clock) -> None:
    """A number that does not fit the list is a mistake somewhere."""
    ready_to_verify(ledger, clock)

    with pytest.raises(InputError, match="1 hosts are named, but the count says 2"):
        release(ledger, "lead", "040@pod-001", hosts=["n1"], count=2, playbook_digest="d")
