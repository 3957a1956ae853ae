"""How long software took to begin after the decision that let it begin, and what is no such lag."""

from __future__ import annotations

import pytest

from ledger.entries import RunOutcome
from ledger.questions.start_lags import start_lags
from ledger.subjects.runs.decisions import release, settle
from ledger.subjects.sign_off.kinds.signed import sign
from ledger.subjects.work.decisions import finish, start
from ledger.writing import Ledger
from tests.ledger.conftest import Clock, Look
from tests.ledger.journey import GOOD, bought, racked, take

SECOND = 1 / 3600


def test_a_run_begins_after_the_last_signature_or_after_its_own_release(
    ledger: Ledger, look: Look, clock: Clock
) -> None:
    bought(ledger)
    racked(ledger)
    clock.forward(24)
    start(ledger, "tech", "020@pod-001")
    finish(ledger, "tech", "020@pod-001")
    sign(ledger, "lead", "020@pod-001")
    clock.forward(60 * SECOND)
    sign(ledger, "lead2", "020@pod-001")
    clock.forward(3 * SECOND)
    assert take(ledger, "030@pod-001")
    settle(ledger, "engine-1", "030@pod-001", RunOutcome("ok", measurements=GOOD))
    clock.forward(1)
    release(ledger, "lead", "040@pod-001", hosts=["h"], count=1, playbook_digest="d")
    clock.forward(2 * SECOND)
    assert take(ledger, "040@pod-001", hosts=["h"], playbook_digest="d")

    lags = {lag.activity: lag.seconds for lag in start_lags(look(clock.now))}

    assert lags == pytest.approx({"030@pod-001": 3.0, "040@pod-001": 2.0}, abs=0.2)


def test_another_try_has_none(ready: Ledger, look: Look, clock: Clock) -> None:
    """No decision let it begin: an engine was killed, and another one came hours later."""
    assert take(ready, "030@pod-001")
    first = start_lags(look(clock.now))
    settle(ready, "engine-1", "030@pod-001", RunOutcome("interrupted"))
    clock.forward(5)
    assert take(ready, "030@pod-001")

    assert [lag.activity for lag in first] == ["030@pod-001"]
    assert start_lags(look(clock.now)) == first
