"""A screen reads when something was recorded, and then asks everything of one snapshot."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Self

import pytest
from textual.pilot import Pilot
from textual.widgets import Static

import ledger.reading
from ledger.decisions.work import comment
from ledger.questions.snapshot import Snapshot
from ledger.writing import Ledger
from tests.tui.test_screens import SIZE, until
from tui.app import REFRESH_S, ClusterwrightApp
from tui.screens.activity import ActivityScreen

NAME = "030@pod-001"
LOOKS = 3 * REFRESH_S
"""Long enough, in seconds, for a screen that would read again without need to do so."""


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[Snapshot]:
    """Return a list that grows by every snapshot that is opened."""
    found: list[Snapshot] = []

    class Counted(Snapshot):
        def __enter__(self) -> Self:
            found.append(self)
            return super().__enter__()

    monkeypatch.setattr(ledger.reading, "Snapshot", Counted)
    return found


def note(site: Path) -> None:
    """Record an event that every screen hears of."""
    with Ledger.open(site) as ledger_:
        comment(ledger_, "pm", NAME, "seen")


async def settled(pilot: Pilot[None], opened: list[Snapshot], shown: Callable[[], bool]) -> int:
    """Return how many snapshots were opened until something is shown, and for a while after that."""
    await until(pilot, shown)
    await pilot.pause(LOOKS)
    count = len(opened)
    opened.clear()
    return count


@pytest.mark.parametrize("key", ["1", "2", "3", "4", "5"])
async def test_a_screen_opens_one_snapshot_each_time_it_reads(ready: Path, opened: list[Snapshot], key: str) -> None:
    app = ClusterwrightApp(ready)
    async with app.run_test(size=SIZE) as pilot:
        assert await settled(pilot, opened, lambda: app.site.person is not None) == 1

        if key != "1":
            await pilot.press(key)
            assert await settled(pilot, opened, lambda: len(opened) > 0) == 1
        note(ready)
        assert await settled(pilot, opened, lambda: len(opened) > 0) == 1
        await pilot.press("r")
        assert await settled(pilot, opened, lambda: len(opened) > 0) == 1


async def test_an_activitys_page_is_one_snapshot(ready: Path, opened: list[Snapshot]) -> None:
    app = ClusterwrightApp(ready)
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot, opened, lambda: app.site.person is not None)
        app.open_activity(NAME)
        await until(pilot, lambda: isinstance(app.screen, ActivityScreen))

        assert await settled(pilot, opened, lambda: NAME in _text(app, "head")) == 1
        note(ready)
        assert await settled(pilot, opened, lambda: "note by pm: seen" in _text(app, "record")) == 1


async def test_a_ledger_that_cannot_be_read_is_said_once_and_read_when_it_is_back(ready: Path) -> None:
    away = ready / "away.db"
    (ready / "ledger.db").rename(away)
    app = ClusterwrightApp(ready)
    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: len(app._notifications) > 0)
        await pilot.pause(LOOKS)
        assert [shown.title for shown in app._notifications] == [f"{ready} has no ledger yet"]

        away.rename(ready / "ledger.db")

        await until(pilot, lambda: "acting as pm" in _text(app, "site-line"))


def _text(app: ClusterwrightApp, part: str) -> str:
    found = app.screen.query(f"#{part}")
    return str(found.only_one(Static).render()) if found else ""
