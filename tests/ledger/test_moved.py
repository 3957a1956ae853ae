"""What the morning asks of the record: what happened since a look, the S-curve, failed runs, and the crews of now."""

from __future__ import annotations

from datetime import timedelta

from ledger.entries import ItemResult, RunOutcome
from ledger.questions.crews_today import CrewsToday, crews_today
from ledger.questions.moved import moved
from ledger.questions.progress_curve import progress_curve
from ledger.questions.run_list import automation_now
from ledger.questions.site import head
from ledger.subjects.orders.decisions import promise
from ledger.subjects.orders.delivery_decisions import receive
from ledger.subjects.plan.decisions import adopt_plan
from ledger.subjects.runs.decisions import release, settle
from ledger.subjects.work.decisions import start
from ledger.writing import Ledger
from tests.ledger.conftest import T0, Clock, Look, dates, small_plan
from tests.ledger.journey import bought, take


def test_what_happened_since_a_look_is_said_and_the_rest_is_counted(ready: Ledger, look: Look, clock: Clock) -> None:
    """A promise and a failure have lines of their own with their reasons; starts and sign-offs are counted."""
    seq = head(look(clock.now)).seq
    promise(ready, "pm", "001@site#gpu-server/2", T0.date() + timedelta(days=90), reason="the factory is late")
    failed(ready)

    found = moved(look(clock.now), seq)

    assert [(one.kind, one.subject) for one in found.news] == [
        ("run.settled", "040@pod-001"),
        ("order.promised", "001@site#gpu-server/2"),
    ]
    assert "the factory is late" in found.news[1].said
    assert "promised for 2026-04-05" in found.news[1].said
    assert found.counted == "1 by software"
    assert moved(look(clock.now), head(look(clock.now)).seq).news == []


def test_a_failed_run_is_shown_with_its_hosts_until_it_is_tried_again(ready: Ledger, look: Look, clock: Clock) -> None:
    """What failed comes before what runs."""
    failed(ready)
    assert take(ready, "030@pod-001", hosts=["n1", "n2"])

    rows = automation_now(look(clock.now))

    assert [(row.activity, row.is_running, row.hosts, row.failed) for row in rows] == [
        ("040@pod-001", False, 2, 1),
        ("030@pod-001", True, 2, 0),
    ]


def test_the_curve_has_what_the_plan_has_done_by_a_time_beside_what_is_done(
    ledger: Ledger, look: Look, clock: Clock
) -> None:
    """The purchase was planned for the first day and is done; the rest is planned for the tenth, and so the end is all of it."""
    dated(ledger)
    bought(ledger)
    clock.forward(5 * 24)

    curve = progress_curve(look(clock.now), 10)

    assert curve is not None
    assert (curve.planned[0], curve.planned[-1], curve.activities) == (0.0, 1.0, 12)
    assert curve.planned_now == curve.done_now == 1 / 12
    assert len(curve.done) == 5


def test_crews_at_work_stand_beside_those_of_the_plan(ledger: Ledger, look: Look, clock: Clock) -> None:
    """One pod is being racked, the plan has both; what does not apply and what is done has no crew."""
    dated(ledger)
    bought(ledger)
    receive(ledger, "pm", "001@site#gpu-server/1")
    clock.forward(3 * 24)
    start(ledger, "tech", "010@pod-001")

    assert crews_today(look(clock.now)) == [CrewsToday("technician", planned=2, at_work=1)]


def dated(ledger: Ledger) -> None:
    """Plan the purchase for the first day, and racking with a crew a pod until the tenth."""
    plan = small_plan().model_dump()
    for one in plan["activities"]:
        last = T0 + timedelta(days=1 if one["step"] == "001" else 10)
        one["dates"] = dates(T0, last)
        one["crews"] = int(one["step"] == "010")
    adopt_plan(ledger, "pm", small_plan(activities=plan["activities"]), reason="with dates")


def failed(ledger: Ledger) -> None:
    """Let a released run fail on one of two hosts."""
    release(ledger, "lead", "040@pod-001", hosts=["n1", "n2"], count=2, playbook_digest="d")
    assert take(ledger, "040@pod-001", hosts=["n1", "n2"], playbook_digest="d")
    results = (ItemResult("n1", "ok", 1.0), ItemResult("n2", "failed", 1.0, "Set the MTU", "no such port"))
    settle(
        ledger, "engine-1", "040@pod-001", RunOutcome("failed", results, summary="1 host failed", playbook_digest="d")
    )
