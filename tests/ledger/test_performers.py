"""Nobody approves work that they had a hand in, in whichever attempt and however small."""

from __future__ import annotations

from decimal import Decimal

import pytest

from ledger.decisions.plan import adopt_plan
from ledger.decisions.sign_off import reject, sign, waive
from ledger.decisions.work import finish, measure, progress, reopen, start
from ledger.questions.case import require_activity
from ledger.writing import Ledger
from schedule.errors import NotPermittedError
from tests.ledger.conftest import T0, Look, activity, criterion, small_plan

NAME = "301@site"
READ = ("link.loss", Decimal("0.2"), "dB")


@pytest.fixture
def site(ledger: Ledger) -> Ledger:
    """Return the small site with an activity that nothing comes before, and whose instruments people read."""
    measured = activity(NAME, criteria=[criterion("link.loss", "<=", Decimal("0.5"), "dB")])
    plan = small_plan()
    adopt_plan(
        ledger,
        "pm",
        small_plan(activities=[*plan.model_dump(mode="json")["activities"], measured]),
        reason="one more",
    )
    return ledger


def test_who_worked_before_a_rejection_may_not_approve_what_others_finished(site: Ledger, look: Look) -> None:
    """A lead could start the work, have it rejected, let others finish it, and then sign."""
    start(site, "lead", NAME)
    measure(site, "tech", NAME, *READ)
    finish(site, "lead", NAME)
    reject(site, "lead2", NAME, "dirty")
    measure(site, "tech", NAME, *READ)
    finish(site, "tech", NAME)

    with pytest.raises(NotPermittedError, match=f"lead did the work of {NAME}"):
        sign(site, "lead", NAME)
    sign(site, "lead2", NAME)
    assert require_activity(look(), NAME).hands == ("lead", "tech")


def test_who_worked_before_it_was_opened_again_may_not_approve_it(site: Ledger) -> None:
    """The next attempt has other performers, and the same work."""
    start(site, "lead", NAME)
    measure(site, "tech", NAME, *READ)
    finish(site, "lead", NAME)
    sign(site, "lead2", NAME)
    reopen(site, "pm", NAME, "a part was replaced")
    start(site, "tech", NAME)
    measure(site, "tech", NAME, *READ)
    finish(site, "tech", NAME)

    with pytest.raises(NotPermittedError, match="did the work"):
        sign(site, "lead", NAME)


def test_who_reports_progress_did_some_of_the_work(site: Ledger) -> None:
    """Somebody who counts what is done stands behind the count."""
    start(site, "tech", NAME)
    progress(site, "lead", NAME, percent=60)
    measure(site, "tech", NAME, *READ)
    finish(site, "tech", NAME)

    with pytest.raises(NotPermittedError, match="did the work"):
        sign(site, "lead", NAME)


def test_who_reads_the_instrument_does_not_judge_the_reading(site: Ledger) -> None:
    """The reading decides whether the work passes: its reader may neither approve it nor waive it."""
    start(site, "tech", NAME)
    measure(site, "lead", NAME, "link.loss", Decimal("0.9"), "dB")
    with pytest.raises(NotPermittedError, match="did the work"):
        waive(site, "lead", NAME, "link.loss", "good enough", T0.date().replace(year=2027))
    measure(site, "lead", NAME, *READ)
    finish(site, "tech", NAME)

    with pytest.raises(NotPermittedError, match="did the work"):
        sign(site, "lead", NAME)


def test_who_has_approved_does_not_work_on_it_afterwards(site: Ledger) -> None:
    """An approval and then a reading by the same hands would be the same deal the other way round."""
    plan = small_plan().model_dump(mode="json")
    two = activity(NAME, policy={"quorum": 2}, criteria=[criterion("link.loss", "<=", Decimal("0.5"), "dB")])
    adopt_plan(site, "pm", small_plan(activities=[*plan["activities"], two]), reason="two approve")
    start(site, "tech", NAME)
    measure(site, "tech", NAME, *READ)
    finish(site, "tech", NAME)
    sign(site, "lead", NAME)

    with pytest.raises(NotPermittedError, match="has approved"):
        measure(site, "lead", NAME, *READ)
