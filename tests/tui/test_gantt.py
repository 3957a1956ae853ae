"""The Gantt chart as a person uses it: bars beside the list, the driving chain, jumps along the links, zoom and pan."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from ledger.rules.activity import OVER
from tests.tui.piloting import SIZE, User, painted, see, until, using
from tui.app import ClusterwrightApp
from tui.screens.gantt import GanttScreen


@asynccontextmanager
async def at_the_chart(site: Path, size: tuple[int, int] = SIZE) -> AsyncIterator[tuple[ClusterwrightApp, User]]:
    """Open the chart of a site."""
    async with using(site, size=size) as (app, pilot):
        await pilot.press("6")
        await until(pilot, lambda: isinstance(app.screen, GanttScreen) and bool(app.screen.grid.view.lines))
        yield app, pilot


def chart(app: ClusterwrightApp) -> GanttScreen:
    """Return the screen."""
    assert isinstance(app.screen, GanttScreen)
    return app.screen


def line_of(app: ClusterwrightApp, activity: str) -> str:
    """Return the painted line of an activity."""
    return next(line for line in painted(app).splitlines()[3:] if activity in line)


async def test_the_whole_project_is_seen_at_first_with_bars_that_say_what_is_critical(adopted: Path) -> None:
    async with at_the_chart(adopted) as (app, pilot):
        await see(pilot, "│Q1 2027", "│Q4 2027", "by quarter")

        assert "┄" in line_of(app, "141@site")  # float
        starts = [row.planned_start for row in chart(app).view.found if row.planned_start]
        assert starts == sorted(starts)
        await pilot.press("d", "plus")
        assert "▓" in painted(app)  # critical


async def test_the_driving_chain_is_shown_alone_and_all_again(adopted: Path) -> None:
    async with at_the_chart(adopted) as (app, pilot):
        every = len(chart(app).view.lines)
        await pilot.press("d")
        driving = len(chart(app).view.lines)
        assert 0 < driving < every
        assert "141@site" not in painted(app)

        await pilot.press("d")
        assert len(chart(app).view.lines) == every


async def test_keys_go_along_the_links_and_the_neighbours_are_marked(adopted: Path) -> None:
    async with at_the_chart(adopted) as (app, pilot):
        await pilot.press("d")
        first = chart(app).grid.key
        await until(pilot, lambda: bool(chart(app).around.after))
        assert "→" in painted(app)

        await pilot.press("right_square_bracket")
        await until(pilot, lambda: chart(app).grid.key != first)
        await until(pilot, lambda: chart(app).around.driving == first)
        assert "◀" in painted(app)

        await pilot.press("left_square_bracket")
        await until(pilot, lambda: chart(app).grid.key == first)


async def test_zoom_keeps_the_bar_that_is_chosen_and_pan_moves_the_axis(adopted: Path) -> None:
    async with at_the_chart(adopted) as (app, pilot):
        grid, row = chart(app).chart, chart(app).grid.row
        assert row is not None
        await pilot.press("plus", "plus")
        await see(pilot, "by week")
        assert "▏" in line_of(app, row.id) or "▒" in line_of(app, row.id) or "▓" in line_of(app, row.id)

        before = grid.scale
        await pilot.press("right")
        assert grid.scale.origin > before.origin
        await pilot.press("a")
        await see(pilot, "by quarter", "│Q4 2027")


async def test_a_bar_that_is_off_the_axis_is_brought_into_view(adopted: Path) -> None:
    async with at_the_chart(adopted) as (app, pilot):
        await pilot.press("slash", *"195", "enter", "plus", "plus", "plus", "right", "right", "right", "right", "right")
        assert "◂" in line_of(app, "195@site")

        await pilot.press("o")
        await until(pilot, lambda: "◂" not in line_of(app, "195@site"))


async def test_the_filter_has_the_words_and_fields_of_the_list_of_steps(adopted: Path) -> None:
    async with at_the_chart(adopted) as (app, pilot):
        chart(app).prompt.action_set("critical role:=buyer")
        await see(pilot, "/ critical role:=buyer")
        await pilot.pause()
        rows = chart(app).view.found

        assert rows
        assert all(row.is_critical and row.role == "buyer" for row in rows)


async def test_a_narrow_screen_keeps_the_bars(adopted: Path) -> None:
    async with at_the_chart(adopted, size=(80, 24)) as (app, pilot):
        await see(pilot, "│H1 2027", "141@site")
        assert "┄" in line_of(app, "141@site")


async def test_what_was_done_is_shown_when_it_was_done(ready: Path) -> None:
    """The small site has no planned dates, and its recorded ones are bars all the same."""
    async with at_the_chart(ready) as (app, pilot):
        assert "Jan 2000" not in painted(app)
        await pilot.press("slash", *"020@pod-001", "enter", "o", "plus")
        assert any(block in line_of(app, "020@pod-001") for block in "▏▎▍▌▋▊▉█")


async def test_it_begins_at_the_first_work_that_is_not_over(ready: Path) -> None:
    async with at_the_chart(ready) as (app, pilot):
        await until(pilot, lambda: chart(app).row is not None)
        row = chart(app).row

        assert row is not None
        assert row.state not in OVER
        before = chart(app).view.found[: chart(app).view.found.index(row)]
        assert before
        assert all(one.state in OVER for one in before)
