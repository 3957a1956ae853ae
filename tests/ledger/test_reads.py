"""Reading: cheap to import, answers what was asked, never writes."""

from __future__ import annotations

import pkgutil
import subprocess
import sys
from datetime import timedelta

import pytest

import ledger.questions
from ledger.questions.activities import activities
from ledger.questions.case import activity, require_activity
from ledger.questions.counts import counts, phases
from ledger.questions.inbox import inbox
from ledger.questions.links import successors
from ledger.questions.orders import orders
from ledger.questions.records import claims
from ledger.questions.why import why
from ledger.questions.workload import WorkloadRow, workload
from ledger.rules.activity import TABLE, Action, State, is_open_to
from ledger.subjects.kinds import KINDS
from ledger.subjects.replay import HANDLERS
from ledger.subjects.work.decisions import assign, finish, start
from ledger.writing import Ledger
from schedule.errors import InputError
from steps.catalog.terms import PEOPLES_WORK
from tests.ledger.conftest import Clock, Look
from tests.ledger.journey import bought, passed, racked, take


def test_reading_side_loads_nothing_heavy() -> None:
    """`status` must start at once; see the budgets in ARCHITECTURE."""
    found = {module.name for module in pkgutil.iter_modules(ledger.questions.__path__)}
    forecasting = {"actuals", "far_times"}  # they run the scheduler
    questions = [f"ledger.questions.{name}" for name in sorted(found - forecasting)]
    code = f"import sys, ledger.reading, {', '.join(questions)}; print(' '.join(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()

    assert not {"sqlalchemy", "sqlmodel", "pydantic", "numpy", "prefect", "textual", "rfc8785"} & set(loaded)


def test_every_state_has_a_look_and_a_row_in_the_table() -> None:
    """Nothing is shown without a word, nothing is stored without rules."""
    assert set(TABLE) == set(State) - {State.OPEN}
    assert len({state.glyph for state in State}) == len(State)
    assert is_open_to(State.DONE, Action.COMMENT)
    assert not is_open_to(State.BLOCKED, Action.START)


def test_every_kind_of_event_is_applied() -> None:
    """An event without a handler would be recorded and forgotten."""
    assert set(HANDLERS) == set(KINDS)


def test_filters_answer_together(ledger: Ledger, look: Look, clock: Clock) -> None:
    """Phase, step and state."""
    now = clock.now

    assert [r.id for r in activities(look(now), step="195", phase="go_live")] == ["195@site"]
    assert len(activities(look(now), state=State.BLOCKED)) == 11
    assert [r.id for r in activities(look(now), state=State.READY)] == ["001@site"]
    assert activity(look(now), "x@y") is None
    with pytest.raises(InputError, match="no activity"):
        require_activity(look(now), "x@y")


def test_counts_and_phases_agree(ledger: Ledger, look: Look, clock: Clock) -> None:
    """One site, two views."""
    bought(ledger)
    racked(ledger)
    found = counts(look(clock.now))
    by_phase = phases(look(clock.now))

    assert found.total == sum(p.total for p in by_phase) == 13
    assert found.by_state[State.DONE] == sum(p.done for p in by_phase) == 2
    assert found.by_state[State.BLOCKED] == sum(p.blocked for p in by_phase)
    assert [p.phase for p in by_phase] == ["procurement", "networking", "go_live"]


def test_why_says_what_is_needed_next(ledger: Ledger, look: Look, clock: Clock) -> None:
    """The answer is something a person can do."""
    bought(ledger)
    racked(ledger)
    passed(ledger, clock)
    now = clock.now

    assert why(look(now), "040@pod-001").needs == ("a release (change) by network-lead",)
    assert why(look(now), "050@pod-001").needs == (
        "030@pod-001 to be done: it completes this",
        "040@pod-001 to be done: it completes this",
    )
    blocked = why(look(now), "010@pod-002")
    assert [(u.predecessor, u.state) for u in blocked.unmet] == [("001@site#gpu-server/2", "not received")]
    assert "air cooled" in why(look(now), "002@site").state_sentence
    assert [x.after for x in successors(look(now), "010@pod-001")] == ["020@pod-001"]


def test_the_same_work_at_many_pods_is_one_line_and_the_other_reasons_stay(
    ledger: Ledger, look: Look, clock: Clock
) -> None:
    """A hundred lines of one step would hide the one that is different."""
    bought(ledger)
    live = why(look(clock.now), "195@site")
    alike = [one for one in live.unmet if one.predecessor.startswith("050@")]
    assert len(alike) == 2, "else this test says nothing"

    (line,) = (line for line in live.lines("UTC") if "050@" in line)
    assert line.startswith(f"waits for {alike[0].predecessor} and 1 more, {alike[0].title} ({alike[0].state})")
    assert [one for waits in live.waits for one in waits.unmet].count(alike[1]) == 1

    said = live._replace(unmet=(alike[0], alike[1]._replace(state="its lag ends tomorrow")))
    assert len([*said.lines("UTC")]) - len(said.needs) == 2


def test_inbox_holds_what_a_person_can_do_now(ledger: Ledger, look: Look, clock: Clock) -> None:
    """By role, and never one's own work to approve."""
    assert [(r.activity, r.action) for r in inbox(look(clock.now), "tech")] == [("001@site", "start")]
    assert inbox(look(clock.now), "guest") == []

    bought(ledger)
    racked(ledger)
    passed(ledger, clock)

    assert [(r.activity, r.action) for r in inbox(look(clock.now), "lead")] == [("040@pod-001", "release")]


def test_claims_are_read(ledger: Ledger, look: Look, clock: Clock) -> None:
    """Live runs on screen."""
    bought(ledger)
    racked(ledger)
    passed(ledger, clock)
    take(ledger, "030@pod-001", hosts=["n1"])

    assert [(c.activity, c.hosts) for c in claims(look())] == [("030@pod-001", ("n1",))]


def test_workload_is_by_person_where_assigned_and_by_role_otherwise(ledger: Ledger, look: Look, clock: Clock) -> None:
    """Software's work is nobody's, and what waits for more than the days asked for is left out."""
    bought(ledger)
    racked(ledger)
    clock.forward(24)
    (row,) = [row for row in activities(look(clock.now), state=State.READY) if row.plan.kind in PEOPLES_WORK]

    def asked() -> list[WorkloadRow]:
        return workload(look(clock.now), clock.now + timedelta(days=14))

    hours = row.plan.duration.m * row.plan.crew_size
    assert asked() == [WorkloadRow(row.plan.role, 1, 1, 0, 0, 0, hours)]
    assign(ledger, "pm", row.id, "tech")
    start(ledger, "tech", row.id)
    assert asked() == [WorkloadRow("tech", 1, 0, 1, 0, 0, hours)]
    finish(ledger, "tech", row.id)
    assert asked() == [WorkloadRow("tech", 1, 0, 0, 1, 0, 0)], "the work is done, the approval is not"


def test_orders_show_by_when(ledger: Ledger, look: Look, clock: Clock) -> None:
    """An order that should be out and is not, is late."""
    order = orders(look(clock.now))[0]
    assert (order.state, order.late, len(order.tranches)) == ("planned", False, 2)

    clock.forward(72)

    assert orders(look(clock.now))[0].late
