"""Nobody approves work that they had a hand in, in whichever attempt and however small."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest

from ledger.questions.case import require_activity
from ledger.questions.entries import last_entries
from ledger.reading import open_snapshot
from ledger.subjects.corrections.decisions import correct
from ledger.subjects.plan.decisions import adopt_plan, raise_rules
from ledger.subjects.sign_off.decisions import reject, waive
from ledger.subjects.sign_off.kinds.signed import sign
from ledger.subjects.work.decisions import finish, measure, progress, reopen, start
from ledger.trust.audit import audit
from ledger.writing import Ledger
from schedule.errors import NotPermittedError
from tests.ledger.conftest import T0, Clock, Look, activity, begun, criterion, earlier_rules, small_plan

NAME = "301@site"
READ = ("link.loss", Decimal("0.2"), "dB")
LEADS = ("lead", "lead2")


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


def test_who_is_only_named_as_a_performer_may_approve(site: Ledger) -> None:
    """A technician could name both leads, and nobody was left to approve what the technician did."""
    start(site, "tech", NAME)
    measure(site, "tech", NAME, *READ)
    finish(site, "tech", NAME, performers=LEADS)

    sign(site, "lead", NAME)

    assert audit(site.site_dir) == []


def test_who_is_named_and_recorded_some_of_the_work_may_not_approve_it(site: Ledger) -> None:
    """Their own entry confirms it, before they are named or after."""
    start(site, "tech", NAME)
    progress(site, "lead", NAME, percent=60)
    measure(site, "tech", NAME, *READ)
    finish(site, "tech", NAME, performers=LEADS)
    measure(site, "lead2", NAME, *READ)

    for lead in LEADS:
        with pytest.raises(NotPermittedError, match=f"{lead} did the work"):
            sign(site, lead, NAME)


@pytest.fixture
def older(tmp_path: Path, clock: Clock) -> Iterator[Ledger]:
    """Return a site of version 3 of the rules, on which a technician has named both leads as performers."""
    folder = tmp_path / "older"
    folder.mkdir()
    with earlier_rules(3):
        ledger = begun(folder, clock)
    with ledger:
        adopt_plan(ledger, "pm", small_plan(activities=[activity(NAME)], links=[], orders=[]), reason="first plan")
        start(ledger, "tech", NAME)
        finish(ledger, "tech", NAME, performers=LEADS)
        yield ledger


def test_an_older_naming_binds_until_a_correction_frees_who_was_named(older: Ledger) -> None:
    """Under the rules of its day nobody may approve; from version 4 on the entry can be taken back for good."""
    for lead in LEADS:
        with pytest.raises(NotPermittedError, match=f"{lead} did the work"):
            sign(older, lead, NAME)
    raise_rules(older, "pm", "who is named is not bound by it")
    with pytest.raises(NotPermittedError, match="lead did the work"):
        sign(older, "lead", NAME)
    with open_snapshot(older.site_dir) as snapshot:
        (end, *_) = last_entries(snapshot, NAME)
    correct(older, "tech", end.seq, "nobody else was there")
    finish(older, "tech", NAME)

    sign(older, "lead", NAME)

    assert audit(older.site_dir) == []


def test_a_correction_does_not_free_who_worked(older: Ledger) -> None:
    """Neither who recorded the end, nor who recorded some of the work themselves and was named as well."""
    raise_rules(older, "pm", "who is named is not bound by it")
    with open_snapshot(older.site_dir) as snapshot:
        (end, *_) = last_entries(snapshot, NAME)
    correct(older, "tech", end.seq, "not finished")
    progress(older, "lead2", NAME, percent=90)
    again = finish(older, "tech", NAME, performers=LEADS)
    correct(older, "tech", again.seq, "not finished either")
    finish(older, "lead", NAME)

    with open_snapshot(older.site_dir) as snapshot:
        assert set(require_activity(snapshot, NAME).hands) == {"tech", "lead", "lead2"}
    assert audit(older.site_dir) == []
