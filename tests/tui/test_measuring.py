"""A reading that a run could not take, taken from the activity's page."""

from __future__ import annotations

from pathlib import Path

import pytest

from ledger.decisions.runs import settle
from ledger.entries import Measured, RunOutcome
from ledger.reading import last_event
from ledger.writing import Ledger
from tests.ledger.journey import GOOD, take
from tests.tui.piloting import SIZE, answer, open_page, state, text_of, until
from tui.app import ClusterwrightApp
from tui.screens.activity import ActivityScreen

NAME = "030@pod-001"
HUGE = "9" * 1_900
NO_READING = "is none that an instrument shows"
INCOMPLETE = "a measurement is a metric, a value, a unit and a source"


async def test_what_a_run_could_not_read_is_measured_at_its_item(ready: Path) -> None:
    left_unread(ready, "link.up")
    app = ClusterwrightApp(ready)
    async with app.run_test(size=SIZE) as pilot:
        await open_page(app, pilot, NAME, "tech")
        await answer(app, pilot, "m", "link.up@pod-001-n1 true bool link tester")

        await until(pilot, lambda: state(ready, NAME) == "awaiting_sign_off")
        await until(pilot, lambda: "read by tech" in text_of(app, "criteria"))


@pytest.mark.parametrize(
    ("typed", "refusal"),
    [
        ("link.loss@pod-001-n1 NaN dB otdr", NO_READING),
        ("link.loss@pod-001-n1 sNaN dB otdr", NO_READING),
        ("link.loss@pod-001-n1 inf dB otdr", NO_READING),
        ("link.loss@pod-001-n1 -Infinity dB otdr", NO_READING),
        (f"link.loss@pod-001-n1 {HUGE} dB otdr", NO_READING),
        (f"link.loss@pod-001-n1 0.{HUGE} dB otdr", NO_READING),
        (f"link.loss@pod-001-n1 0.2 {HUGE} otdr", "cannot be compared with that"),
        (f"{HUGE} 0.2 dB otdr", "has no criterion"),
        (HUGE, INCOMPLETE),
        (HUGE * 100, "at most 2,000 characters"),
        ("", INCOMPLETE),
    ],
    ids=lambda text: text if len(text) < 60 else f"{text[:25]}…{text[-8:]}",
)
async def test_what_is_no_reading_is_refused_and_nothing_is_recorded(ready: Path, typed: str, refusal: str) -> None:
    left_unread(ready, "link.loss")
    before = last_event(ready)
    app = ClusterwrightApp(ready)
    async with app.run_test(size=SIZE) as pilot:
        await open_page(app, pilot, NAME, "tech")
        await answer(app, pilot, "m", typed)
        await until(pilot, lambda: len(app._notifications) > 0)

        (shown,) = app._notifications
        assert refusal in shown.title
        assert shown.severity == "error"
        assert isinstance(app.screen, ActivityScreen)
        assert last_event(ready) == before


def left_unread(site: Path, metric: str) -> None:
    """Let a run end well that could not read one metric at one item."""
    unread = Measured(metric, None, "", "pod-001-n1", note="the tool is not there")
    with Ledger.open(site) as ledger:
        assert take(ledger, NAME)
        read = tuple(reading for reading in GOOD if reading.metric != metric)
        settle(ledger, "engine-1", NAME, RunOutcome("ok", measurements=(*read, unread)))
