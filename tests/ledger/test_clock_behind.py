"""A machine's clock that is set back behind the record: people are told why nothing begins."""

from __future__ import annotations

from ledger.questions.clock import clock_behind
from ledger.questions.why import why
from ledger.rules.activity import State
from ledger.writing import Ledger
from tests.ledger.conftest import T0, Clock, Look

NAME = "001@site"


def test_work_that_could_begin_by_the_record_says_that_the_clock_is_behind_it(
    ledger: Ledger, look: Look, clock: Clock
) -> None:
    assert clock_behind(look(clock.now)) == ""

    clock.forward(-2)

    found = why(look(clock.now), NAME)
    behind = f"this machine's clock is 2.0 hours behind the last event ({T0:%Y-%m-%d %H:%M})"
    assert (found.state, found.unmet) == (State.BLOCKED, ())
    assert found.needs == (f"the time at which it may start: {behind}; set the clock, or wait until then",)
