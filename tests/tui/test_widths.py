"""What is painted is as wide as its place, whatever is written in it, and what is cut says so."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from tests.tui.piloting import User, painted, see, type_in, until, using
from tui.acting.form import Form
from tui.app import ClusterwrightApp
from tui.lists.view import Head
from tui.looks import filled
from tui.screens.page_lines import PageLine, laid
from tui.screens.steps import StepsScreen

NARROW = (80, 24)
MIXED = st.text(alphabet="ab 機柜電é🚀", max_size=60)


@asynccontextmanager
async def at_the_steps(site: Path, person: str) -> AsyncIterator[tuple[ClusterwrightApp, User]]:
    """Yield a person's list of steps on a narrow screen."""
    async with using(site, person, "2", "030@pod-001", size=NARROW) as (app, pilot):
        yield app, pilot


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("王小明", "王小明    "),
        ("測試評論機柜", "測試評論 …"),
        ("a機柜已經到位", "a機柜已經…"),
        ("plain", "plain     "),
        ("└ H33@site#rack/12", "└ H33@…/12"),
        ("1 of 3 sent by 4/5", "1 of 3 se…"),
    ],
)
def test_a_wide_name_is_cut_with_a_sign_and_fills_its_cells(text: str, shown: str) -> None:
    assert filled(text, 10) == shown
    assert cell_len(filled(text, 10, right=True)) == 10


@given(MIXED, MIXED, st.integers(30, 90))
def test_the_lines_of_a_page_fit_and_leave_nothing_out(name: str, text: str, width: int) -> None:
    rows = laid([PageLine("", ((name[:4], "text"), (text, "text")), table="t"), PageLine("", ((text, "text"),))], width)

    assert all(cell_len("".join(piece for piece, _ in row.spans)) <= width for row in rows)
    said = "".join(piece for row in rows for piece, _ in row.spans)
    assert said.replace(" ", "") == (name[:4] + text + text).replace(" ", "")


async def test_why_a_filter_cannot_be_ends_with_a_sign_where_it_is_cut(ready: Path) -> None:
    async with at_the_steps(ready, "tech") as (app, pilot):
        await pilot.press("slash")
        await type_in(pilot, "nofield:x")
        await see(pilot, "no field 'nofield'")
        assert painted(app).splitlines()[1].endswith("…")


async def test_a_box_that_is_not_ticked_has_no_sign_in_it(ready: Path) -> None:
    """Both had an X, in two colours."""
    async with at_the_steps(ready, "lead") as (_, pilot):
        await pilot.press("l")
        await see(pilot, "--yes               ▐ ▌")
        await pilot.press("space")
        await see(pilot, "--yes               ▐X▌")


async def test_the_impact_of_a_delay_of_work_is_asked_with_its_days(ready: Path) -> None:
    """Of work nothing is promised: without days the command is always refused."""
    async with at_the_steps(ready, "tech") as (app, pilot):
        await pilot.press("I")
        await until(pilot, lambda: isinstance(app.screen, Form))
        await see(pilot, "--days", "$ clusterwright impact 001@site")


async def test_the_cursor_stays_on_the_head_of_a_group_when_rows_come_before_it(ready: Path) -> None:
    """It went to the row above, and the next key would have decided about that."""
    async with at_the_steps(ready, "tech") as (app, _):
        screen = app.screen
        assert isinstance(screen, StepsScreen)
        grid, rows = screen.grid, list(screen.view.rows)
        grid.group("state")
        heads = [line.name for line in grid.view.lines if isinstance(line, Head)]
        fewer = [row for row in rows if row is not next(row for row in rows if row.state.words in heads[0])]
        grid.show_rows(fewer)
        grid.follow(Head(heads[1], 0))

        grid.show_rows(rows)

        assert isinstance(grid.line, Head)
        assert grid.line.name == heads[1]
        assert screen.chosen == []


async def test_a_long_refusal_is_read_on_in_its_place_and_the_keys_stay_in_sight(ready: Path) -> None:
    """It went on below the screen, without a sign and out of reach, and took the keys with it."""
    async with at_the_steps(ready, "tech") as (app, pilot):
        await pilot.press("asterisk", "f")
        await see(pilot, "would be refused", "Esc goes back", "$ clusterwright finish")
        first = painted(app)
        await pilot.press("pagedown")
        await until(pilot, lambda: "would be refused" not in painted(app))
        await see(pilot, "Esc goes back", "and ")
        assert painted(app) != first
        await pilot.press("enter")
        await see(pilot, ": not finished", "Esc goes back", "$ clusterwright finish")


async def test_a_refusal_and_the_keys_of_a_form_are_seen_on_a_small_terminal_whatever_is_long(adopted: Path) -> None:
    """Enter did nothing that could be seen: the names, the fields and the command took all of the screen."""
    async with using(adopted, "", "4", "#", size=NARROW) as (_, pilot):
        await pilot.press("asterisk", "o")
        await see(pilot, "25 more", "--supplier")
        await pilot.press("enter")
        await see(pilot, "clusterwright: who delivers is missing", "say it with --supplier", "Enter does it")


async def test_a_form_says_which_values_are_known(ready: Path) -> None:
    async with using(ready, "tech", "2", "030@pod-001") as (_, pilot):
        await pilot.press("slash", *"030@pod-001", "enter", "m")
        await see(pilot, "What was read, as the criterion names it. Known: link.loss, link.up.")
        await pilot.press("tab", "tab")
        await see(pilot, "The unit it was read in. Known: dB, yes/no.")
