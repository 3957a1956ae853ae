"""Crews by week as a person uses it: where work waits, one week chosen, and the work of a trade in it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from ledger.questions.crew_weeks import CrewWeek, TradeWeeks
from tests.tui.piloting import SIZE, User, painted, see, type_in, until, using
from tui.app import ClusterwrightApp
from tui.lists.timescale import ZOOMS, Timescale
from tui.screens.crews import CrewsScreen, painted_weeks
from tui.screens.steps import StepsScreen


@asynccontextmanager
async def at_the_crews(site: Path, size: tuple[int, int] = SIZE) -> AsyncIterator[tuple[ClusterwrightApp, User]]:
    """Open the crews of a site. The week of 30 November 2026 is chosen."""
    async with using(site, size=size) as (app, pilot):
        await pilot.press("7")
        await until(pilot, lambda: isinstance(app.screen, CrewsScreen) and bool(app.screen.grid.view.lines))
        crews(app).chart.choose(date(2026, 11, 30))
        await see(pilot, "2026-W49")
        yield app, pilot


def crews(app: ClusterwrightApp) -> CrewsScreen:
    """Return the screen."""
    assert isinstance(app.screen, CrewsScreen)
    return app.screen


def line_of(app: ClusterwrightApp, trade: str) -> str:
    """Return the painted line of a trade."""
    return next(line for line in painted(app).splitlines()[2:] if trade in line)


async def test_trades_that_hold_work_up_come_first_and_are_marked(adopted: Path) -> None:
    async with at_the_crews(adopted) as (app, pilot):
        short = [row.short for row in crews(app).view.found]
        assert short[0] > 0
        assert short == sorted(short, reverse=True)

        first = painted(app).splitlines()[3]
        assert f"{short[0]} w" in first
        assert "▲" in first
        await pilot.press("slash")
        await type_in(pilot, "short")
        assert len(crews(app).view.lines) == sum(number > 0 for number in short)


async def test_the_chosen_week_says_how_many_of_how_many_are_at_work(adopted: Path) -> None:
    async with at_the_crews(adopted) as (app, pilot):
        assert "1/1" in line_of(app, "Site developer")

        await pilot.press("shift+right", "shift+right", "shift+right", "shift+right")
        await see(pilot, "2027-W12", "▼")
        assert "1/1" not in line_of(app, "Site developer")


async def test_enter_lists_what_a_trade_does_in_the_chosen_week(adopted: Path) -> None:
    async with at_the_crews(adopted) as (app, pilot):
        await pilot.press("slash", *"developer", "enter", "enter")
        await until(pilot, lambda: isinstance(app.screen, StepsScreen))
        await see(pilot, "role:=site-developer week:2026-W49", "site-developer")

        assert isinstance(app.screen, StepsScreen)
        rows = app.screen.view.found
        assert rows
        assert {row.role for row in rows} == {"site-developer"}
        await pilot.press("escape", "escape")
        assert isinstance(app.screen, CrewsScreen)


async def test_a_resource_lists_the_work_that_holds_it(adopted: Path) -> None:
    async with at_the_crews(adopted) as (app, pilot):
        await pilot.press("slash")
        await type_in(pilot, "receiving")
        row = crews(app).view.found[-1]
        weeks = [week.monday for week in row.weeks if week.crews]
        crews(app).chart.choose(weeks[0])
        await pilot.press("enter", "end", "enter")
        await until(pilot, lambda: isinstance(app.screen, StepsScreen))
        await see(pilot, "H06@pod-001")


async def test_a_narrow_screen_keeps_the_trade_its_week_and_the_bars(adopted: Path) -> None:
    async with at_the_crews(adopted, size=(80, 40)) as (app, _):
        assert "1/1" in line_of(app, "Site developer")
        assert "█" in line_of(app, "Site developer")


def test_a_cell_of_several_weeks_shows_the_fullest_and_first_those_where_work_waits() -> None:
    monday = date(2027, 1, 4)
    numbers = [(4, 4), (4, 4), (1, 1), (0, 0), (8, 8), (2, 9), (0, 0), (3, 3)]
    weeks = tuple(CrewWeek(monday + timedelta(days=7 * n), *pair) for n, pair in enumerate(numbers))
    row = TradeWeeks("rigger", "Rigger", True, 8, weeks, 0, ())
    two_weeks = Timescale("UTC", datetime(2026, 12, 21, tzinfo=UTC), 1)

    def text(scale: Timescale, cells: int) -> str:
        return "".join(piece for piece, _ in painted_weeks(row, scale, cells))

    half_days = text(two_weeks, 14 * 11)
    assert half_days[::14] == "  ▄▄▁ █▲ ▃ "
    assert half_days[13::14] == half_days[::14]
    by_36_days = text(Timescale("UTC", datetime(2026, 12, 21, tzinfo=UTC), len(ZOOMS) - 1), 3)
    assert by_36_days == "▄▲ "


async def test_a_trade_may_be_called_what_markup_looks_like(adopted: Path) -> None:
    """A site's own catalog names trades. What looked like the end of a style ended the screens."""
    async with at_the_crews(adopted) as (app, pilot):
        crews(app).chart.choose(date(2040, 1, 2))
        row = crews(app).view.found[0]._replace(title="Riggers [/x] [red]")

        crews(app).open(row)

        await until(pilot, lambda: bool(app._notifications))
        (notice,) = app._notifications
        assert (notice.message, notice.markup) == ("Riggers [/x] [red]: no work in that week", False)


async def test_a_plan_without_crews_says_so(ready: Path) -> None:
    async with using(ready) as (_, pilot):
        await pilot.press("7")
        await see(pilot, "the plan has no crews")
