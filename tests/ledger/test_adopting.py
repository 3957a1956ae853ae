"""Progress from before Clusterwright: checked as a whole, faults by line."""

from __future__ import annotations

from datetime import timedelta

import pytest

from ledger.entries import ProgressRow
from ledger.questions.case import require_activity
from ledger.questions.orders import orders
from ledger.questions.site import head
from ledger.subjects.plan.progress_decisions import import_progress
from ledger.trust.audit import audit
from ledger.writing import Ledger
from schedule.errors import InputError, NotSatisfiedError
from tests.ledger.conftest import T0, Clock, Look, StateOf

EARLY = T0 - timedelta(days=40)


def done(line: int, name: str, day: int, by: str = "ACME") -> ProgressRow:
    at = EARLY + timedelta(days=day)
    return ProgressRow(line, name, "done", at, at, by)


GOOD = [
    done(2, "001@site", 0),
    done(3, "001@site#gpu-server", 1),
    done(4, "001@site#gpu-server/1", 20),
    done(5, "010@pod-001", 22),
]


def test_what_was_done_before_is_taken_over_in_one_event(
    ledger: Ledger, look: Look, clock: Clock, state: StateOf
) -> None:
    """It is done, flagged, and its successors know when."""
    import_progress(ledger, "pm", GOOD)

    row = require_activity(look(clock.now), "010@pod-001")
    assert row.state.value == "done"
    assert row.flags == {"before"}
    assert state("020@pod-001") == "ready"
    assert orders(look(clock.now))[0].state == "part received" or orders(look(clock.now))[0].tranches[0].received_at
    assert audit(ledger.site_dir) == []


def test_dry_run_records_nothing(ledger: Ledger, look: Look) -> None:
    """First look, then record."""
    before = head(look())

    assert import_progress(ledger, "pm", GOOD, dry_run=True) is None
    assert head(look()) == before


def test_faults_are_named_by_line_and_nothing_is_recorded(ledger: Ledger, look: Look) -> None:
    """A file is taken whole or not at all."""
    before = head(look())
    rows = [
        GOOD[0],
        done(3, "010@pod-001", 5),
        done(4, "011@pod-001", 5),
        ProgressRow(5, "020@pod-001", "done", None, None, "x"),
        done(6, "001@site", 1),
    ]

    with pytest.raises(InputError) as refused:
        import_progress(ledger, "pm", rows)

    said = str(refused.value)
    assert "line 3: 010@pod-001 waits for 001@site#gpu-server/1" in said
    assert "line 4: there is no activity '011@pod-001'" in said
    assert "line 5: 020@pod-001 is done, so `finished` needs a date" in said
    assert "line 6: 001@site is there twice" in said
    assert head(look()) == before


def test_order_of_dates_is_the_order_of_the_network(ledger: Ledger) -> None:
    """Racked before the servers came is a slip in the file."""
    rows = [*GOOD[:3], done(5, "010@pod-001", 3)]

    with pytest.raises(InputError, match=r"line 5: 010@pod-001 on .* comes before 001@site#gpu-server/1"):
        import_progress(ledger, "pm", rows)


def test_only_the_owners_side_takes_over_progress(ledger: Ledger) -> None:
    """It passes hold points without a signature, so few may."""
    with pytest.raises(NotSatisfiedError, match="tech"):
        import_progress(ledger, "tech", GOOD)
