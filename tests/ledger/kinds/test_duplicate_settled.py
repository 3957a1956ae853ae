"""An activity that other activities complete."""

from __future__ import annotations

import pytest

from ledger.subjects.work.kinds.duplicate_settled import settle_duplicate
from ledger.writing import Ledger
from schedule.errors import NotSatisfiedError
from tests.ledger.conftest import Clock, StateOf
from tests.ledger.journey import bought, passed, racked, verified

COMMANDS = {"settle_duplicate": lambda ledger, _person, activity, _: settle_duplicate(ledger, "engine", activity)}
CALLS = {"settle_duplicate": lambda ledger, who: settle_duplicate(ledger, who, "608@site")}
ENTERED: dict[str, set[str]] = {"duplicate.settled": set()}


def test_it_is_done_when_those_that_complete_it_are(ledger: Ledger, clock: Clock, state: StateOf) -> None:
    """One result, shown twice, done once."""
    bought(ledger)
    racked(ledger)
    passed(ledger, clock)
    with pytest.raises(NotSatisfiedError, match="not done: 030@pod-001, 040@pod-001"):
        settle_duplicate(ledger, "engine", "050@pod-001")

    verified(ledger)

    assert state("050@pod-001") == "done"


def test_another_activity_is_not_completed_so(ledger: Ledger) -> None:
    """Its own work completes it."""
    with pytest.raises(NotSatisfiedError, match="001@site is not completed by other steps"):
        settle_duplicate(ledger, "engine", "001@site")
