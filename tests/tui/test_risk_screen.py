"""Risk as a person uses it: the odds that the site keeps, what moves go-live, and what-if cases side by side."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from ledger.questions.kept_forecast import FILE
from ledger.questions.snapshot import Snapshot
from tests.tui.piloting import SIZE, User, painted, read, see, until, using
from tui.acting.form import Form
from tui.acting.running import Done, Running
from tui.app import ClusterwrightApp
from tui.lists.timescale import Timescale
from tui.screens.risk import RiskScreen
from tui.screens.risk_cases import Case, answers
from tui.screens.risk_odds import curve_text
from tui.screens.tornado import TornadoScreen

START = datetime(2027, 1, 4, tzinfo=UTC)
DAY = timedelta(days=1)

BEFORE = {
    "finish": "2027-10-14T16:00:00+00:00",
    "unlimited_finish": "2027-10-13T16:00:00+00:00",
    "p50": {"date": "2027-12-08T14:00:00+00:00"},
    "p80": {"date": "2028-01-13T14:00:00+00:00"},
    "milestones": [{"milestone": "hall-1 in service", "finish": "2027-10-05T12:00:00+00:00"}],
}
AFTER = BEFORE | {"finish": "2027-11-11T16:00:00+00:00", "p50": {"date": "2028-01-04T14:00:00+00:00"}}
WHAT_IF = {
    "before": BEFORE,
    "after": AFTER,
    "cost_usd": 476519,
    "drives_now": ["001@site", "002@site", "003@site"],
    "drives_no_more": [],
    "delays_most": [{"id": "034@pod-001"}],
}
COMPARED = {
    "plans": [
        {
            "scenario": "",
            "shifts": shifts,
            "go_live": f"2027-10-{day}T16:00:00+00:00",
            "p50": f"2027-12-{day}T16:00:00+00:00",
            "p80": f"2028-01-{day}T16:00:00+00:00",
            "unlimited_go_live": f"2027-10-{day}T16:00:00+00:00",
            "cost": {"total": cost},
            "cost_more": cost - 1000,
        }
        for shifts, day, cost in ((1, "19", 1000), (2, "07", 1500))
    ]
}


class Played(Running):
    """A command that answers what a test says, when it says so."""

    answer: Done = Done(0, json.dumps(WHAT_IF), "")
    asked: tuple[tuple[str, ...], ...] = ()

    async def done(self) -> Done:
        """Answer after a moment."""
        Played.asked = (*Played.asked, tuple(self.words))
        await asyncio.sleep(0.05)
        return Played.answer


@pytest.fixture
def played(monkeypatch: pytest.MonkeyPatch) -> type[Played]:
    """Let commands answer at once, without a process."""
    monkeypatch.setattr("tui.site.Running", Played)
    Played.answer, Played.asked = Done(0, json.dumps(WHAT_IF), ""), ()
    return Played


@asynccontextmanager
async def at_the_risks(site: Path, size: tuple[int, int] = SIZE) -> AsyncIterator[tuple[ClusterwrightApp, User]]:
    """Open the risks of a site."""
    async with using(site, size=size) as (app, pilot):
        await pilot.press("8")
        await until(pilot, lambda: isinstance(app.screen, RiskScreen))
        yield app, pilot


def line_of(app: ClusterwrightApp, name: str) -> str:
    """Return the painted line with a text."""
    return next(line for line in painted(app).splitlines()[2:] if line.strip().startswith(name))


async def test_the_dates_of_go_live_are_in_the_order_of_time_with_their_chances(adopted: Path) -> None:
    async with at_the_risks(adopted) as (app, pilot):
        await see(pilot, "working schedule", "commitment (P80)", "95 % between")

        assert "10 %" in line_of(app, "P10")
        assert "80 %" in line_of(app, "P80")
        assert "◆" in line_of(app, "commitment (P80)")
        lines = painted(app).splitlines()
        place = {
            name: number
            for number, line in enumerate(lines)
            for name in ("P10", "P50", "P80")
            if line.strip().startswith(name)
        }
        assert place["P10"] < place["P50"] < place["P80"]


async def test_every_milestone_has_its_range_and_its_commitment(adopted: Path) -> None:
    async with at_the_risks(adopted, size=(120, 24)) as (app, pilot):
        await pilot.press("tab")
        await see(pilot, "[milestones]", "hall-1 in service", "networking")

        line = line_of(app, "networking")
        assert "◆" in line
        assert "●" in line
        assert "%" in line


async def test_a_site_without_a_forecast_says_how_to_make_one(adopted: Path) -> None:
    (adopted / FILE).unlink()

    async with at_the_risks(adopted) as (_, pilot):
        await see(pilot, "no forecast of this plan is kept: `clusterwright forecast` makes one")


async def test_what_if_is_asked_in_a_form_and_the_answers_stand_side_by_side(
    adopted: Path, played: type[Played]
) -> None:
    async with at_the_risks(adopted) as (app, pilot):
        for typed in ("1w", ""):  # what was typed is there again
            await pilot.press("w")
            await until(pilot, lambda: isinstance(app.screen, Form))
            await pilot.press(*typed, "enter")
            await until(pilot, lambda: isinstance(app.screen, RiskScreen))
        await until(pilot, lambda: painted(app).count("2027-11-11  +28 d") == 2)
        await see(pilot, "--delay=1w", "$476,519", "001@site, 002@site +1")

        assert [words[:1] + words[-2:] for words in played.asked] == [
            ("whatif", "--json", "--delay=1w"),
            ("whatif", "--json", "--delay=1w"),
        ]


async def test_a_refusal_is_shown_above_the_column_and_the_case_can_be_removed(
    adopted: Path, played: type[Played]
) -> None:
    played.answer = Done(2, "", "drawing 200 samples\nclusterwright: there is no 'x@y'\n  name one of the plan\n")

    async with at_the_risks(adopted) as (app, pilot):
        assert isinstance(app.screen, RiskScreen)
        app.screen.add(["whatif", "--delay=x@y=1w"])
        await see(pilot, "✘ there is no 'x@y';", "name one of the plan")
        assert "drawing" not in painted(app)

        await pilot.press("x")
        await until(pilot, lambda: "✘ there" not in painted(app))


async def test_a_case_that_runs_says_so_and_is_stopped(
    adopted: Path, played: type[Played], monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = asyncio.Event()

    async def done(_self: Played) -> Done:
        await ended.wait()
        return Done(-2, "", "")

    monkeypatch.setattr(played, "done", done)
    monkeypatch.setattr(played, "stop", lambda _self: ended.set())

    async with at_the_risks(adopted) as (app, pilot):
        assert isinstance(app.screen, RiskScreen)
        app.screen.add(["whatif", "--shifts=2"])
        app.screen.add(["whatif", "--shifts=3"])
        await see(pilot, "at work, ", "waits for its turn")

        await pilot.press("x")
        await see(pilot, "✘ stopped")


def test_a_comparison_has_a_column_for_each_plan() -> None:
    first, second = answers(COMPARED, "UTC")

    assert first["go-live"] == "2027-10-19"
    assert second["go-live"] == "2027-10-07  -12 d"
    assert second["working costs"] == "$1,500 $500 more"
    assert second["how"] == "shifts a day: 2"


def test_days_are_those_of_the_site() -> None:
    late = answers(WHAT_IF, "Pacific/Auckland")[0]

    assert late["go-live"] == "2027-11-12  +28 d"


def test_the_columns_of_a_comparison_take_the_place_of_their_case() -> None:
    case = Case(["plan", "compare", "--shifts=1,2"])

    found = case.end(Done(0, json.dumps(COMPARED), ""), "UTC")

    assert len(found) == 2
    assert found[0] is case


def test_the_curve_rises_where_a_chance_is_known_and_nowhere_else() -> None:
    curve = ((START + 2 * DAY, 0.1), (START + 5 * DAY, 0.5), (START + 8 * DAY, 0.8))

    assert curve_text(curve, Timescale("UTC", START, 1), 20) == "    ▁▁▁▁▁▁▄▄▄▄▄▄▆▆▆▆"


async def test_a_narrow_screen_shows_one_list_and_tab_the_next(adopted: Path) -> None:
    async with at_the_risks(adopted, size=(80, 24)) as (app, pilot):
        await see(pilot, "[go-live]", "working schedule")
        assert "hall-1 in service" not in painted(app)
        await pilot.press("tab")
        await see(pilot, "[milestones]", "hall-1 in service")
        assert "working schedule" not in painted(app).splitlines()[5:]
        await pilot.press("shift+tab")
        await see(pilot, "[go-live]")


TORNADO = {
    "samples": 1000,
    "as_of": "2027-03-01T08:00:00+00:00",
    "left_out": 55,
    "bars": [
        {"name": "189 again", "title": "Benchmark", "days_p80": 6.85, "days_mean": 4.19, "error_days": 0.26},
        {"name": "market", "title": "", "days_p80": -2.1, "days_mean": -1.5, "error_days": 0.2},
        {"name": "dead drives", "title": "", "days_p80": -0.01, "days_mean": 0.5, "error_days": 0.0},
    ],
}


async def test_the_causes_that_delay_go_live_are_bars_that_are_kept(adopted: Path, played: type[Played]) -> None:
    played.answer = Done(0, json.dumps(TORNADO), "")

    async with at_the_risks(adopted) as (app, pilot):
        await pilot.press("t")
        await see(pilot, "of 1,000 samples, as of 2027-03-01, 55 smaller ones are left out", "+6.8", "+4.2 ± 0.3")
        late, early, nothing = (line_of(app, name) for name in ("189 again", "market", "dead drives"))
        assert late.count("█") > 3 * early.count("█") > 0
        assert "-█" in early
        assert "+0.0" in nothing

        await pilot.press("escape", "t")
        await see(pilot, "+6.8")
        assert len(played.asked) == 1, "it is not worked out again"


async def test_bars_that_came_while_the_record_was_being_read_stay(
    adopted: Path, played: type[Played], monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a busy machine a read that began before the answer ends after it."""
    ask, is_asked = TornadoScreen.ask, threading.Event()

    def slow(screen: TornadoScreen, snapshot: Snapshot) -> object:
        answer: object = ask(screen, snapshot)
        is_asked.set()
        time.sleep(1)
        return answer

    async def after_that(_: Played) -> Done:
        await asyncio.to_thread(is_asked.wait)
        return Done(0, json.dumps(TORNADO), "")

    monkeypatch.setattr(TornadoScreen, "ask", slow)
    monkeypatch.setattr(played, "done", after_that)

    async with at_the_risks(adopted) as (app, pilot):
        await pilot.press("t")
        await see(pilot, "+6.8")
        await read(app)
        await pilot.pause()
        assert "+6.8" in painted(app)


@pytest.mark.parametrize(
    ("done", "says"),
    [
        (Done(3, "", "10 of 70 causes\nclusterwright: the ledger is of a newer release\n"), "· the ledger is of a newer release; f"),
        (Done(0, "<html>", ""), "· its answer is not JSON"),
        (Done(130, "", "10 of 70 causes\nclusterwright: interrupted\n"), "· stopped; f works it out again"),
    ],
)  # fmt: skip
async def test_a_tornado_that_is_refused_or_stopped_says_so(
    adopted: Path, played: type[Played], done: Done, says: str
) -> None:
    """And not how far it was."""
    played.answer = done

    async with at_the_risks(adopted) as (_, pilot):
        await pilot.press("t")
        await see(pilot, says)
