"""Who would lose the right to approve work by having a hand in it reads so before it is recorded."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widgets import Static

from ledger.decisions.deliveries import receive
from ledger.reading import last_event
from ledger.writing import Ledger
from tests.tui.piloting import SIZE, open_page, state, until
from tests.tui.test_measuring import NAME, left_unread
from tui.app import ClusterwrightApp
from tui.widgets.ask import Ask
from tui.widgets.confirm import Confirm

RACKING, DELIVERY = "010@pod-002", "001@site#gpu-server/2"


@pytest.fixture
def delivered(ready: Path) -> Path:
    """Return the site with the servers of the second pod, which are racked next."""
    with Ledger.open(ready) as ledger:
        receive(ledger, "pm", DELIVERY)
    return ready


def asked(app: ClusterwrightApp) -> str:
    """Return what the question over the screen says; empty where there is none."""
    if not isinstance(app.screen, Ask | Confirm):
        return ""
    return str(app.screen.query(Static).first().content)


async def test_who_starts_work_that_she_could_approve_is_asked_first(delivered: Path) -> None:
    before = last_event(delivered)
    app = ClusterwrightApp(delivered)
    async with app.run_test(size=SIZE) as pilot:
        await open_page(app, pilot, RACKING, "lead")
        await pilot.press("b")
        await until(pilot, lambda: isinstance(app.screen, Confirm))

        assert f"once this is recorded, lead cannot approve {RACKING}" in asked(app)
        assert "these can: lead2" in asked(app)
        await pilot.press("escape")
        await until(pilot, lambda: not isinstance(app.screen, Confirm))
        assert last_event(delivered) == before, "Esc records nothing"

        await pilot.press("b")
        await until(pilot, lambda: isinstance(app.screen, Confirm))
        await pilot.press("enter")
        await until(pilot, lambda: state(delivered, RACKING) == "in_progress")


async def test_who_could_not_approve_it_anyway_is_not_asked(delivered: Path) -> None:
    app = ClusterwrightApp(delivered)
    async with app.run_test(size=SIZE) as pilot:
        await open_page(app, pilot, RACKING, "tech")
        await pilot.press("b")

        await until(pilot, lambda: state(delivered, RACKING) == "in_progress")
        assert asked(app) == ""


async def test_the_question_of_a_reading_says_it_too(ready: Path) -> None:
    left_unread(ready, "link.up")
    app = ClusterwrightApp(ready)
    async with app.run_test(size=SIZE) as pilot:
        await open_page(app, pilot, NAME, "lead")
        await pilot.press("m")
        await until(pilot, lambda: isinstance(app.screen, Ask))

        assert f"once this is recorded, lead cannot approve {NAME}" in asked(app)
        assert f"Measure {NAME}" in asked(app)
