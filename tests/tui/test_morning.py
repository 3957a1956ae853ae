"""The morning: the same numbers as everywhere, what moved since the last look, panels that open what they show."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from ledger.machine_time import machine_time
from ledger.questions.headlines import Headlines, headlines
from ledger.questions.kept_forecast import FILE as FORECAST
from ledger.questions.snapshot import Snapshot
from ledger.reading import open_snapshot
from tests.ledger.conftest import begun
from tests.tui.piloting import SIZE, painted, screens, see, until, using
from tui.app import ClusterwrightApp
from tui.last_look import FILE, Look, looked
from tui.looks import day_text
from tui.screens.morning import Morning, MorningScreen
from tui.screens.panel import Panel
from tui.screens.steps import StepsScreen

pytestmark = pytest.mark.usefixtures("second_day")


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return what was opened, instead of the pages themselves."""
    found: list[str] = []
    monkeypatch.setattr(ClusterwrightApp, "open_activity", lambda _, subject: found.append(subject))
    return found


def top_of(site: Path) -> Headlines:
    """Return what every view of a site begins with."""
    with open_snapshot(site) as snapshot:
        return headlines(snapshot)


async def test_go_live_is_that_of_every_other_view(adopted: Path) -> None:
    async with using(adopted) as (_, pilot):
        top = top_of(adopted)
        assert top.commitment is not None
        assert top.contingency is not None
        assert top.fresh is not None
        forecast = top.fresh.forecast
        days = (
            top.commitment.commitment,
            top.commitment.target,
            forecast.finish,
            forecast.milestones[0].p50.date,
            forecast.milestones[0].p80.date,
        )
        await see(pilot, "GO-LIVE", *(day_text(day, forecast.time_zone) for day in days))
        await see(
            pilot,
            f"{top.contingency.left} of {top.contingency.days} days left",
            f"LATE  {top.late.past_planned_finish} past their planned finish",
            f"a day costs ${forecast.slip_day_usd:,.0f}",
        )


async def test_what_moved_since_the_last_look_has_its_causes(adopted: Path) -> None:
    """Go-live is later than at the last look, by a part of the slip that was not there."""
    forecast = json.loads((adopted / FORECAST).read_text(encoding="utf-8"))
    finish = datetime.fromisoformat(forecast["finish"])
    part = {"id": "071@site", "title": "a title", "owner": "electrical-engineer", "words": "has not started"}
    forecast["slip"] = [part | {"minutes": 3 * 1440}]
    (adopted / FORECAST).write_text(json.dumps(forecast), encoding="utf-8")

    async with using(adopted) as (app, pilot):
        await see(pilot, "MOVED  this is your first look")
    look = Look(machine_time() - timedelta(hours=20), 1, finish - timedelta(days=3), {"071@site": 1440})
    (adopted / FILE).unlink()
    looked(adopted, app.site.person or "", look)
    async with screens(adopted).run_test(size=(160, 40)) as pilot:
        await see(pilot, "since your last look", "+3 d", "+2.0 d", "a title: has not started", "another plan")


async def test_enter_opens_what_drives_go_live(adopted: Path, opened: list[str]) -> None:
    async with using(adopted) as (app, pilot):
        await see(pilot, "DRIVES GO-LIVE", "071@site")
        app.screen.query_one("#chain").focus()
        await pilot.press("enter")
        await until(pilot, lambda: bool(opened))
        top = top_of(adopted)
        assert top.fresh is not None
        assert opened == [top.fresh.forecast.critical[0]]


async def test_the_keys_follow_the_panel(adopted: Path) -> None:
    async with using(adopted) as (app, pilot):
        await see(pilot, "DRIVES GO-LIVE", "071@site")
        app.screen.query_one("#phases").focus()
        await see(pilot, "z Correct an entry")
        assert "b Start" not in painted(app)
        app.screen.query_one("#chain").focus()
        await see(pilot, "b Start")
        await pilot.press("h")
        await see(pilot, "$ clusterwright hold", "071@site")


async def test_tab_goes_through_the_panels_and_enter_on_a_phase_shows_its_steps(adopted: Path) -> None:
    async with using(adopted) as (app, pilot):
        await see(pilot, "server assem")
        await pilot.press("tab", "tab")
        assert isinstance(app.focused, Panel)
        assert app.focused.id == "phases"
        await pilot.press("down", "enter")
        await until(pilot, lambda: isinstance(app.screen, StepsScreen))
        await see(pilot, 'open phase:"server assembly"')
        screen = app.screen
        assert isinstance(screen, StepsScreen)
        await until(pilot, lambda: bool(screen.view.rows))
        assert {row.phase for row in screen.view.found} == {"server_assembly"}


async def test_the_steps_of_a_phase_are_shown_although_a_page_is_open_there(adopted: Path) -> None:
    async with using(adopted, "", "2", "003@site") as (app, pilot):
        await pilot.press("enter")
        await see(pilot, "What it waits for")
        await pilot.press("1", "tab", "tab", "enter")
        await see(pilot, 'open phase:"procurement"')
        assert isinstance(app.screen, StepsScreen)
        await pilot.press("escape", "escape")
        await see(pilot, "MINE", "PHASES")


async def test_a_small_terminal_begins_with_go_live(adopted: Path) -> None:
    async with using(adopted, size=(80, 24)) as (_, pilot):
        await see(pilot, "GO-LIVE", "MINE", "MOVED")
        for _ in range(7):
            await pilot.press("tab")
        await see(pilot, "DECISIONS, MONEY, CREWS")


async def test_what_changes_while_it_is_read_does_not_wait_in_a_queue(
    adopted: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a large site events come faster than everything is read; ten of them are one more reading, with one of the feed's at most."""
    asked: list[int] = []
    ask = MorningScreen.ask

    def counted(screen: MorningScreen, snapshot: Snapshot) -> Morning:
        asked.append(snapshot.now.second)
        return ask(screen, snapshot)

    monkeypatch.setattr(MorningScreen, "ask", counted)

    async with using(adopted) as (app, pilot):
        await see(pilot, "GO-LIVE")
        await pilot.pause()
        asked.clear()
        for _ in range(10):
            app.refresh_screen()
        await until(pilot, lambda: len(asked) == 2)
        await pilot.pause(0.5)
        assert len(asked) == 2


async def test_a_site_without_a_plan_says_how_to_get_one(tmp_path: Path) -> None:
    with begun(tmp_path, machine_time):
        pass

    async with screens(tmp_path).run_test(size=SIZE) as pilot:
        await see(pilot, "no plan is adopted yet: `clusterwright plan adopt`", "nothing is late")


async def test_read_only_screens_write_nothing(adopted: Path) -> None:
    async with screens(adopted, read_only=True).run_test(size=SIZE) as pilot:
        await see(pilot, "read-only screens keep no look")
        assert not (adopted / FILE).exists()
        assert isinstance(pilot.app, ClusterwrightApp)
        assert not pilot.app.may_record()
