"""What a person reads about an activity: who rejected it and why, answers of yes and no, float in days."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest
from msgspec.structs import replace

from ledger.questions.calendar import WorkingWeek, float_words
from ledger.questions.case import require_activity
from ledger.questions.why import why
from ledger.rules.activity import Activity
from ledger.rules.judgement import judgements
from ledger.subjects.sign_off.decisions import reject
from ledger.subjects.work.decisions import finish, start
from ledger.writing import Ledger
from steps.acceptance.measured import Measured
from steps.planning.activity import Dates, PlanCriterion
from steps.value import Value
from tests.ledger.conftest import Clock, Look
from tests.readings import reading


def test_rejected_work_says_who_rejected_it_and_why(ledger: Ledger, look: Look, clock: Clock) -> None:
    start(ledger, "tech", "001@site")
    finish(ledger, "tech", "001@site")
    reject(ledger, "lead", "001@site", "two links are dirty.")

    said = why(look(clock.now), "001@site").state_sentence

    assert said.endswith("Rejected by the network lead: two links are dirty (NCR-0001); rework open.")
    assert "People are at work on it" not in said


def test_work_that_nobody_rejected_says_that_people_are_at_work(ledger: Ledger, look: Look, clock: Clock) -> None:
    start(ledger, "tech", "001@site")

    assert "People are at work on it" in why(look(clock.now), "001@site").state_sentence


@pytest.mark.parametrize(
    ("op", "wanted", "readings", "said"),
    [
        ("==", True, [], "Decision recorded: not yet (decision.recorded)"),
        ("==", True, [reading("a", True, "bool")], "Decision recorded: yes (decision.recorded, yes at a)"),
        ("==", True, [reading("a", False, "bool")], "Decision recorded: failed (decision.recorded, no at a)"),
        ("==", False, [], "Decision recorded, which must not be: not yet (decision.recorded)"),
        ("!=", False, [], "Decision recorded: not yet (decision.recorded)"),
        ("<=", Decimal("0.5"), [], "decision.recorded <= 0.5 bool: not measured"),
    ],
)
def test_a_question_of_yes_or_no_is_answered(op: str, wanted: Value, readings: list[Measured], said: str) -> None:
    criterion = PlanCriterion("decision.recorded", op, wanted, "bool", "test")  # type: ignore[arg-type]  # as cases name it

    (found,) = judgements([criterion], {"decision.recorded": readings})

    assert str(found) == said


@pytest.mark.parametrize(
    ("hours", "week", "said"),
    [
        (0.0, WorkingWeek((1, 2, 3, 4, 5), (8, 16)), "critical"),
        (931.0, WorkingWeek((1, 2, 3, 4, 5), (8, 16)), "float 116 working days"),
        (8.0, WorkingWeek((1, 2, 3, 4, 5), (8, 16)), "float 1 working day"),
        (5.0, WorkingWeek((1, 2, 3, 4, 5), (8, 16)), "float 5 working hours"),
        (48.0, None, "float 2 days"),
    ],
)
def test_float_is_in_days_of_the_calendar(
    ledger: Ledger, look: Look, clock: Clock, hours: float, week: WorkingWeek | None, said: str
) -> None:
    assert float_words(with_float(look, clock, hours), {"working": week} if week else {}) == said


def with_float(look: Look, clock: Clock, hours: float) -> Activity:
    """Return an activity with so many hours of float."""
    row = require_activity(look(clock.now), "010@pod-001")
    end = clock.now + timedelta(hours=1)
    row.plan = replace(row.plan, dates=Dates(clock.now, end, clock.now, end, hours, hours))
    return row
