"""Reading: cheap to import, answers what was asked, never writes."""

from __future__ import annotations

import subprocess
import sys

import pytest

from ledger.database import Ledger
from ledger.payloads import KINDS
from ledger.projector import HANDLERS
from ledger.reads import Reader
from ledger.transitions import LOOKS, TABLE, Action, State, is_open_to
from steps.errors import InputError
from tests.ledger.conftest import Clock
from tests.ledger.journey import bought, passed, racked, take


def test_reading_side_loads_nothing_heavy() -> None:
    """`status` must start at once; see the budgets in ARCHITECTURE."""
    code = "import sys, ledger.reads; print(' '.join(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()

    assert not {"sqlalchemy", "sqlmodel", "pydantic", "numpy", "prefect", "textual", "rfc8785"} & set(loaded)


def test_every_state_has_a_look_and_a_row_in_the_table() -> None:
    """Nothing is shown without a word, nothing is stored without rules."""
    assert set(LOOKS) == set(State)
    assert set(TABLE) == set(State) - {State.OPEN}
    assert len({look.glyph for look in LOOKS.values()}) == len(State)
    assert is_open_to(State.DONE, Action.COMMENT)
    assert not is_open_to(State.BLOCKED, Action.START)


def test_every_kind_of_event_is_applied() -> None:
    """An event without a handler would be recorded and forgotten."""
    assert set(HANDLERS) == set(KINDS)


def test_filters_answer_together(ledger: Ledger, read: Reader, clock: Clock) -> None:
    """Phase, unit, state, step, words and owner."""
    now = clock.now

    assert [r.id for r in read.activities(now, unit="pod-001", step="030")] == ["030@pod-001"]
    assert len(read.activities(now, state=State.BLOCKED)) == 11
    assert [r.id for r in read.activities(now, state="ready")] == ["001@site"]
    assert [r.id for r in read.activities(now, search="STEP 195")] == ["195@site"]
    assert len(read.activities(now, owner="technician", limit=3, offset=1)) == 3
    assert read.activity("x@y", now) is None
    with pytest.raises(InputError, match="no activity"):
        read.require_activity("x@y", now)


def test_counts_and_phases_agree(ledger: Ledger, read: Reader, clock: Clock) -> None:
    """One site, two views."""
    bought(ledger)
    racked(ledger)
    counts = read.counts(clock.now)
    phases = read.phases(clock.now)

    assert counts.total == sum(p.total for p in phases) == 13
    assert counts.by_state[State.DONE] == sum(p.done for p in phases) == 2
    assert counts.by_state[State.BLOCKED] == sum(p.blocked for p in phases)
    assert [p.phase for p in phases] == ["procurement", "networking", "go_live"]


def test_why_says_what_is_needed_next(ledger: Ledger, read: Reader, clock: Clock) -> None:
    """The answer is something a person can do."""
    bought(ledger)
    racked(ledger)
    passed(ledger, clock)
    now = clock.now

    assert read.why("040@pod-001", now).needs == ("a release (change) by network-lead",)
    assert read.why("050@pod-001", now).needs == (
        "030@pod-001 to be done: it completes this",
        "040@pod-001 to be done: it completes this",
    )
    blocked = read.why("010@pod-002", now)
    assert [(u.predecessor, u.state) for u in blocked.unmet] == [("001@site#gpu-server/2", "not received")]
    assert "air cooled" in read.why("002@site", now).state_sentence
    assert [x.after for x in read.successors("010@pod-001", now)] == ["020@pod-001"]


def test_inbox_holds_what_a_person_can_do_now(ledger: Ledger, read: Reader, clock: Clock) -> None:
    """By role, and never one's own work to approve."""
    assert [(r.activity, r.action) for r in read.inbox("tech", clock.now)] == [("001@site", "start")]
    assert read.inbox("guest", clock.now) == []

    bought(ledger)
    racked(ledger)
    passed(ledger, clock)

    assert [(r.activity, r.action) for r in read.inbox("lead", clock.now)] == [("040@pod-001", "release")]


def test_claims_are_read(ledger: Ledger, read: Reader, clock: Clock) -> None:
    """Live runs on screen."""
    bought(ledger)
    racked(ledger)
    passed(ledger, clock)
    take(ledger, "030@pod-001", hosts=["n1"])

    assert [(c.activity, c.hosts) for c in read.claims()] == [("030@pod-001", ("n1",))]


def test_orders_show_by_when(ledger: Ledger, read: Reader, clock: Clock) -> None:
    """An order that should be out and is not, is late."""
    order = read.orders(clock.now)[0]
    assert (order.state, order.late, len(order.tranches)) == ("planned", False, 2)

    clock.forward(72)

    assert read.orders(clock.now)[0].late
