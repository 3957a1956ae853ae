"""A screen reads when something was recorded, and then asks everything of one snapshot."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Self

import pytest

import ledger.reading
from ledger.decisions.work import comment
from ledger.questions.snapshot import Snapshot
from ledger.writing import Ledger
from tests.tui.piloting import SIZE, User, text_of, until
from tui.app import REFRESH_S, ClusterwrightApp
from tui.screens.activity import ActivityScreen

NAME = "030@pod-001"
LOOKS = 2.5 * REFRESH_S
"""Long enough, in seconds, for a screen that would read again without need to do so."""

Opened = list[Snapshot]


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> Opened:
    """Return a list that grows by every snapshot that is opened."""
    found: Opened = []

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


async def settled(pilot: User, opened: Opened, shown: Callable[[], bool]) -> int:
    """Return how many snapshots were opened until something is shown, and for a while after that."""
    await until(pilot, shown)
    await pilot.pause(LOOKS)
    count = len(opened)
    opened.clear()
    return count


@pytest.mark.parametrize("mode", ClusterwrightApp.MODES)
async def test_a_screen_opens_one_snapshot_each_time_it_reads(
    ready: Path, opened: Opened, mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ClusterwrightApp, "DEFAULT_MODE", mode)
    app = ClusterwrightApp(ready)
    async with app.run_test(size=SIZE) as pilot:
        assert await settled(pilot, opened, lambda: "acting as pm" in text_of(app, "site-line")) == 1

        note(ready)
        assert await settled(pilot, opened, lambda: len(opened) > 0) == 1


async def test_an_activitys_page_is_one_snapshot(ready: Path, opened: Opened) -> None:
    app = ClusterwrightApp(ready)
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot, opened, lambda: app.site.person is not None)
        app.open_activity(NAME)
        await until(pilot, lambda: isinstance(app.screen, ActivityScreen))

        assert await settled(pilot, opened, lambda: NAME in text_of(app, "head")) == 1
        note(ready)
        assert await settled(pilot, opened, lambda: "note by pm: seen" in text_of(app, "record")) == 1


async def test_a_ledger_that_cannot_be_read_is_said_once_and_read_when_it_is_back(ready: Path) -> None:
    away = ready / "away.db"
    (ready / "ledger.db").rename(away)
    app = ClusterwrightApp(ready)
    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: len(app._notifications) > 0)
        await pilot.pause(LOOKS)
        assert [shown.title for shown in app._notifications] == [f"{ready} has no ledger yet"]

        away.rename(ready / "ledger.db")

        await until(pilot, lambda: "acting as pm" in text_of(app, "site-line"))
