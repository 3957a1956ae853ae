"""A reading that a run could not take, taken from the activity's page."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console
from textual.widgets import Input, Static

from ledger.decisions.runs import settle
from ledger.entries import Measured, RunOutcome
from ledger.writing import Ledger
from tests.ledger.journey import GOOD, take
from tests.tui.test_screens import SIZE, state, until
from tui.app import ClusterwrightApp
from tui.screens.activity import ActivityScreen

NAME = "030@pod-001"


async def test_what_a_run_could_not_read_is_measured_at_its_item(ready: Path) -> None:
    with Ledger.open(ready) as ledger:
        assert take(ledger, NAME)
        unread = Measured("link.up", None, "", "pod-001-n1", note="ip link is not there")
        settle(ledger, "engine-1", NAME, RunOutcome("ok", measurements=(GOOD[0], unread)))
    app = ClusterwrightApp(ready)
    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: app.site.person is not None)
        app.site.person = "tech"
        app.open_activity(NAME)
        await until(pilot, lambda: isinstance(app.screen, ActivityScreen))

        await pilot.press("m")
        await until(pilot, lambda: bool(app.screen.query("#answer")))
        app.screen.query_one("#answer", Input).value = "link.up@pod-001-n1 true bool link tester"
        await pilot.press("enter")

        await until(pilot, lambda: state(ready, NAME) == "awaiting_sign_off")
        await until(pilot, lambda: "read by tech" in _criteria_of(app))


def _criteria_of(app: ClusterwrightApp) -> str:
    console = Console(width=160)
    with console.capture() as shown:
        console.print(app.screen.query_one("#criteria", Static).content)
    return shown.get()
