"""What is on hold is not worked on: a ledger knows since when and until when, and the forecast leaves that time out."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from ledger.questions.actuals import actuals
from ledger.questions.kept_forecast import KeptForecast
from ledger.subjects.orders.decisions import order
from ledger.subjects.orders.delivery_decisions import receive
from ledger.subjects.sign_off.kinds.signed import sign
from ledger.subjects.work.decisions import finish, hold, na, resume, start
from ledger.subjects.work.evidence_decisions import attach
from ledger.writing import Ledger
from steps.planning.record.holds import Span
from tests.ledger.conftest import T0, Clock
from tests.ledger.test_entered_late import ORDER, a_site, adopt_crewed_plan, forecast_of

pytestmark = pytest.mark.own_file

WORK, RACKING = "001@site", "010@pod-001"
DAY = timedelta(days=1)


def holds(ledger: Ledger) -> tuple[Span, ...]:
    with ledger.write() as writing:
        return actuals(writing.at())[WORK].holds


def test_each_hold_has_its_time_and_the_last_one_lasts() -> None:
    clock = Clock()
    with a_site(clock) as ledger:
        start(ledger, "tech", WORK)
        clock.forward(24)
        hold(ledger, "lead", WORK, "no crane")
        clock.forward(48)
        resume(ledger, "lead", WORK)
        clock.forward(24)
        hold(ledger, "lead", WORK, "no power")
        clock.forward(24)

        assert holds(ledger) == ((T0 + DAY, T0 + 3 * DAY), (T0 + 4 * DAY, T0 + 5 * DAY))

        na(ledger, "pm", WORK, "bought by others")
        clock.forward(24)

        assert holds(ledger)[1] == (T0 + 4 * DAY, T0 + 5 * DAY), "a decision ends it"


def test_longer_hours_do_not_make_finished_work_longer() -> None:
    """What was done counts in the hours in which people worked then, without its hold, as it did before."""
    clock = Clock()
    with a_site(clock) as ledger:
        adopt_crewed_plan(ledger, working_hours=[8, 16])
        delivered(ledger, clock)
        start(ledger, "tech", RACKING)
        attach(ledger, "tech", RACKING, b"a photo", "photo", name="rack.jpg")
        clock.forward(24)
        hold(ledger, "lead", RACKING, "no crane")
        clock.forward(24)
        resume(ledger, "lead", RACKING)
        clock.forward(24)
        finish(ledger, "tech", RACKING)
        clock.forward(1)
        before = forecast_of(ledger)

        adopt_crewed_plan(ledger, working_hours=[7, 17])

        with ledger.write() as writing:
            assert actuals(writing.at())[RACKING].unworked_h == 4, "an hour at each end of a day"
        assert forecast_of(ledger).lessons == before.lessons != ()
        assert forecast_of(ledger).finish <= before.finish


def delivered(ledger: Ledger, clock: Clock) -> None:
    """Buy the servers, and receive those of the first pod."""
    start(ledger, "tech", WORK)
    finish(ledger, "tech", WORK)
    sign(ledger, "lead", WORK)
    order(ledger, "pm", ORDER, supplier="ACME", reference="PO 1")
    clock.forward(240)
    receive(ledger, "pm", f"{ORDER}/1")


def taught(days_on_hold: int) -> tuple[KeptForecast, datetime]:
    """Return the forecast after work that took ten hours besides its hold, and when it was finished."""
    clock = Clock()
    with a_site(clock) as ledger:
        delivered(ledger, clock)
        start(ledger, "tech", RACKING)
        attach(ledger, "tech", RACKING, b"a photo", "photo", name="rack.jpg")
        clock.forward(4)
        if days_on_hold:
            hold(ledger, "lead", RACKING, "no crane")
            clock.forward(24 * days_on_hold)
            resume(ledger, "lead", RACKING)
        clock.forward(6)
        finished = clock.now
        finish(ledger, "tech", RACKING)
        clock.forward(3)
        if days_on_hold:
            hold(ledger, "lead", RACKING, "a question of the owner's")
            clock.forward(24 * days_on_hold)
            resume(ledger, "lead", RACKING)
        sign(ledger, "lead", RACKING)
        return forecast_of(ledger), finished


def test_work_and_its_approval_after_holds_teach_what_they_teach_without() -> None:
    """Neither the crew nor the approver was slow."""
    (with_hold, later), (without, finished) = taught(5), taught(0)

    assert later == finished + 5 * DAY
    assert with_hold.lessons == without.lessons
    assert with_hold.lessons, "something is learned"
    assert with_hold.approvals == without.approvals
    assert with_hold.approvals
    assert with_hold.earned == without.earned
