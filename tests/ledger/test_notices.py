"""What people are notified of: each wait once, by the event with which it began."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal

from ledger.entries import RunOutcome
from ledger.questions.notices import Notice, NoticeKind, notices
from ledger.questions.orders import orders
from ledger.questions.site import head
from ledger.subjects.ncr.decisions import disposition_ncr
from ledger.subjects.orders.decisions import promise
from ledger.subjects.orders.delivery_decisions import receive
from ledger.subjects.runs.decisions import settle
from ledger.subjects.sign_off.decisions import reject
from ledger.subjects.sign_off.kinds.signed import sign
from ledger.subjects.work.decisions import comment, finish, reopen, start
from ledger.writing import Ledger
from tests.ledger.conftest import T0, Clock, Look
from tests.ledger.journey import bought, passed, racked, take

HOLD_POINT = "020@pod-001"


def found(look: Look, clock: Clock, kind: NoticeKind) -> list[Notice]:
    """Return the notices of a kind: decisions are overdue after a day, and orders count a week before."""
    rows = notices(look(clock.now), overdue_after=timedelta(days=1), order_days=7)
    return [one for one in rows if one.kind is kind]


def test_a_finished_work_asks_its_approvers_once_with_the_command_that_answers(
    ledger: Ledger, look: Look, clock: Clock
) -> None:
    start(ledger, "tech", "001@site")
    finish(ledger, "tech", "001@site")
    finished = head(look(clock.now)).seq

    (asked,) = found(look, clock, NoticeKind.SIGN_OFF)

    assert (asked.subject, asked.seq, asked.people) == ("001@site", finished, ("lead", "lead2"))
    assert asked.command == "clusterwright sign 001@site"
    sign(ledger, "lead", "001@site")
    assert found(look, clock, NoticeKind.SIGN_OFF) == []


def test_what_happens_beside_a_wait_keeps_its_notice_and_another_attempt_has_another(
    ledger: Ledger, look: Look, clock: Clock
) -> None:
    """The first approval of a quorum of two, and a comment, ask nobody anew."""
    bought(ledger)
    racked(ledger)
    clock.forward(24)
    start(ledger, "tech", HOLD_POINT)
    finish(ledger, "tech", HOLD_POINT)
    (asked,) = found(look, clock, NoticeKind.SIGN_OFF)

    sign(ledger, "lead", HOLD_POINT)
    comment(ledger, "tech", HOLD_POINT, "the door is open")

    (left,) = found(look, clock, NoticeKind.SIGN_OFF)
    assert (left.seq, left.people) == (asked.seq, ("lead2",))
    sign(ledger, "lead2", HOLD_POINT)
    reopen(ledger, "lead", HOLD_POINT, "a rack was moved")
    start(ledger, "tech", HOLD_POINT)
    finish(ledger, "tech", HOLD_POINT)
    (again,) = found(look, clock, NoticeKind.SIGN_OFF)
    assert again.seq > asked.seq


def test_a_decision_is_overdue_after_its_time_and_names_who_is_next(ledger: Ledger, look: Look, clock: Clock) -> None:
    start(ledger, "tech", "001@site")
    finish(ledger, "tech", "001@site")
    clock.forward(23)
    assert found(look, clock, NoticeKind.OVERDUE) == []

    clock.forward(1)

    (late,) = found(look, clock, NoticeKind.OVERDUE)
    assert (late.subject, late.people, late.since) == ("001@site", ("lead", "lead2"), T0)
    assert late.command == "clusterwright sign 001@site"


def test_a_run_that_failed_is_said_with_the_event_that_ended_it(ledger: Ledger, look: Look, clock: Clock) -> None:
    bought(ledger)
    racked(ledger)
    passed(ledger, clock)
    take(ledger, "030@pod-001")
    settle(ledger, "engine-1", "030@pod-001", RunOutcome("failed", summary="the link is down"))

    (failed,) = found(look, clock, NoticeKind.FAILED)

    assert (failed.subject, failed.seq) == ("030@pod-001", head(look(clock.now)).seq)
    assert failed.command == "clusterwright why 030@pod-001"
    assert "lead" in failed.people


def test_a_rejection_opens_a_non_conformance_that_says_why(ledger: Ledger, look: Look, clock: Clock) -> None:
    start(ledger, "tech", "001@site")
    finish(ledger, "tech", "001@site")
    reject(ledger, "lead", "001@site", "no second quote")

    (opened,) = found(look, clock, NoticeKind.NCR)

    assert opened.subject == "NCR-0001"
    assert "no second quote" in opened.what
    assert opened.command == "clusterwright ncr disposition NCR-0001 WHAT"


def test_a_day_that_was_moved_and_goes_by_again_is_another_notice(ledger: Ledger, look: Look, clock: Clock) -> None:
    start(ledger, "tech", "001@site")
    finish(ledger, "tech", "001@site")
    reject(ledger, "lead", "001@site", "no second quote")
    disposition_ncr(ledger, "tech", "NCR-0001", "rework", owner="tech", due=date(2026, 1, 6))
    clock.forward(48)
    first = [one for one in found(look, clock, NoticeKind.OVERDUE) if one.subject == "NCR-0001"]

    disposition_ncr(ledger, "tech", "NCR-0001", "rework", owner="tech", due=date(2026, 1, 9))
    assert [one for one in found(look, clock, NoticeKind.OVERDUE) if one.subject == "NCR-0001"] == []
    clock.forward(96)

    second = [one for one in found(look, clock, NoticeKind.OVERDUE) if one.subject == "NCR-0001"]
    assert [one.people for one in (*first, *second)] == [("tech",), ("tech",)]
    assert second[0].once != first[0].once


def test_an_order_is_to_be_placed_until_it_is(ledger: Ledger, look: Look, clock: Clock) -> None:
    (order,) = found(look, clock, NoticeKind.ORDER)
    assert (order.subject, order.people) == ("001@site#gpu-server", ("tech",))
    assert order.command == "clusterwright order '001@site#gpu-server'"

    bought(ledger)

    assert found(look, clock, NoticeKind.ORDER) == []


def test_a_late_promise_is_told_to_those_who_buy(ledger: Ledger, look: Look, clock: Clock) -> None:
    """Each new promise is said once more, until the delivery is here. One that is in time is said to nobody."""
    bought(ledger)
    second = "001@site#gpu-server/2"
    promise(ledger, "pm", second, (clock.now + timedelta(days=20)).date(), reason="as ordered")
    assert found(look, clock, NoticeKind.PROMISE) == []

    promise(ledger, "pm", second, date(2026, 4, 5), reason="allocation")
    (first,) = found(look, clock, NoticeKind.PROMISE)
    promise(ledger, "pm", second, date(2026, 4, 9), reason="allocation again")
    (again,) = found(look, clock, NoticeKind.PROMISE)
    receive(ledger, "pm", second)

    assert (first.subject, first.people) == (second, ("tech",))
    assert first.what == "GPU servers: promised for 2026-04-05, needed on 2026-03-06"
    assert first.command == f"clusterwright expedite '{second}'"
    assert again.once != first.once
    assert found(look, clock, NoticeKind.PROMISE) == []


def test_a_delivery_that_is_past_its_promise_is_told_to_those_who_buy(ledger: Ledger, look: Look, clock: Clock) -> None:
    """Although it is not needed yet, and once for each promise. On the promised day itself it may still come."""
    bought(ledger)
    first, second = "001@site#gpu-server/1", "001@site#gpu-server/2"
    promised = (clock.now + timedelta(days=3)).date()
    for delivery in (first, second):
        promise(ledger, "pm", delivery, promised, reason="as ordered")
    receive(ledger, "pm", first, Decimal(8))
    clock.forward(3 * 24)
    assert found(look, clock, NoticeKind.OVERDUE) == []
    clock.forward(24)

    told = {one.subject: one for one in found(look, clock, NoticeKind.OVERDUE)}

    assert told.keys() == {first, second}
    assert (told[second].people, told[second].due) == (("tech",), promised)
    assert told[second].what == f"GPU servers: promised for {promised}, and not here"
    assert told[second].command == f"clusterwright promise '{second}' --on DATE"
    (order,) = orders(look(clock.now))
    assert order.late_words == "1 day past its promise"
    promise(ledger, "pm", first, promised + timedelta(days=5), reason="the rest")
    receive(ledger, "pm", second)
    assert found(look, clock, NoticeKind.OVERDUE) == []
    clock.forward(6 * 24)
    (again,) = [one for one in found(look, clock, NoticeKind.OVERDUE) if one.subject == first]
    assert again.once != told[first].once


def test_what_is_done_waits_for_nobody(ledger: Ledger, look: Look, clock: Clock) -> None:
    bought(ledger)
    racked(ledger)
    passed(ledger, clock)

    assert "020@pod-001" not in {one.subject for one in found(look, clock, NoticeKind.SIGN_OFF)}
