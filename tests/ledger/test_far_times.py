"""A wrong year in the record stops no planning in silence: the error names the event, and says how it is corrected."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from ledger.questions.site import rules_in_force
from ledger.reading import open_snapshot
from ledger.subjects.corrections.decisions import correct
from ledger.subjects.orders.decisions import promise
from ledger.subjects.sign_off.kinds.signed import sign
from ledger.subjects.work.decisions import finish, reopen, start
from ledger.subjects.work.evidence_decisions import attach
from ledger.writing import Ledger
from schedule.errors import InputError
from tests.ledger.conftest import Clock, recorded_by
from tests.ledger.test_dates import SECOND
from tests.ledger.test_entered_late import END, forecast_of
from tests.ledger.test_golden import GOLDEN

pytestmark = pytest.mark.own_file

RACKING = "010@pod-001"
NOW = datetime(2026, 1, 27, 9, tzinfo=UTC)
MISTYPED = NOW.replace(year=2006)


@pytest.fixture
def older(tmp_path: Path, clock: Clock) -> Iterator[Ledger]:
    """Return the golden ledger whose events are judged by version 2 of the rules."""
    shutil.unpack_archive(GOLDEN / "rules" / "rules-2.tar.xz", tmp_path)
    clock.now = NOW
    with recorded_by(clock), Ledger.open(tmp_path / "rules-2", clock=clock) as ledger:
        yield ledger
    with open_snapshot(tmp_path / "rules-2", END) as snapshot:
        assert rules_in_force(snapshot).version == 2


def refused(ledger: Ledger) -> InputError:
    with pytest.raises(InputError) as error:
        forecast_of(ledger)
    return error.value


def test_the_event_with_a_wrong_year_is_named_and_its_correction_lets_planning_go_on(older: Ledger) -> None:
    with older.happened(MISTYPED):
        wrong = start(older, "tech", RACKING, out_of_sequence="the racks are here")

    error = refused(older)

    assert error.what == (
        f"event {wrong.seq} (activity.started of {RACKING} by tech) is of 2006-01-27 09:00; that is 20 years before the project, "
        "which begins on 2026-01-05, and no dates follow from it"
    )
    assert f"`clusterwright correct {wrong.seq} --reason WHY`" in error.hint
    correct(older, "tech", wrong.seq, reason="2026, not 2006")
    with older.happened(NOW):
        start(older, "tech", RACKING)
    assert forecast_of(older).finish > END


def test_approved_work_with_a_wrong_year_is_opened_again(older: Ledger) -> None:
    """An approval is no entry: it cannot be taken back."""
    start(older, "tech", RACKING)
    attach(older, "tech", RACKING, b"a photo", "photo", name="rack.jpg")
    finish(older, "tech", RACKING)
    with older.happened(MISTYPED):
        wrong = sign(older, "lead", RACKING)

    error = refused(older)

    assert f"event {wrong.seq} (activity.signed of {RACKING} by lead) is of 2006-01-27 09:00" in error.what
    assert error.hint.startswith(f"if the year is wrong: `clusterwright reopen {RACKING} --reason WHY`")
    reopen(older, "lead", RACKING, reason="2026, not 2006")
    assert forecast_of(older).finish > END


def test_a_promise_for_a_wrong_year_is_named_too(older: Ledger) -> None:
    """No version of the rules refuses a promise that is far ahead."""
    wrong = promise(older, "pm", SECOND, date(2206, 3, 1), reason="allocation slipped")

    error = refused(older)

    assert f"event {wrong.seq} (order.promised of {SECOND} by pm) is of 2026-01-27 09:00" in error.what
    assert f"says 2206-03-01 00:00 of {SECOND}; that is 180 years after the project" in error.what
    correct(older, "pm", wrong.seq, reason="2026, not 2206")
    assert forecast_of(older).finish > END


def test_a_year_of_another_project_phase_is_planned_with(older: Ledger) -> None:
    """Work may have begun years before the plan."""
    with older.happened(NOW - timedelta(days=8 * 366)):
        start(older, "tech", RACKING, out_of_sequence="the racks are here")

    assert forecast_of(older).finish > END
