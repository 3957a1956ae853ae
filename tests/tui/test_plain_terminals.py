"""Terminals without colours or Unicode, a person's own keys, screens for visitors, pages as files, saved views and themes."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from time import process_time

import pytest
from rich.cells import cell_len
from textual.strip import Strip

import tui
from tests.conftest import last_event
from tests.seldom import seldom
from tests.tui.piloting import SIZE, User, open_page, painted, read, screens, see, type_in, until, using
from tui.acting.actions import ACTIONS
from tui.acting.application import QUESTIONS, READ_ONLY
from tui.acting.form import Form
from tui.app import MAIN, ClusterwrightApp
from tui.keys import FILE
from tui.lists.grid import Grid
from tui.plain_glyphs import PLAIN
from tui.printing import FOLDER, Printed, as_text
from tui.screens.activity import ActivityScreen
from tui.screens.base import SiteScreen
from tui.screens.choose import Choose
from tui.screens.steps import StepsScreen

DARK = "#121212"
"""The background of the dark theme."""

SHARED = 2
"""How many colours two themes may share."""


async def shown(app: ClusterwrightApp, pilot: User, mode: str) -> SiteScreen:
    """Go to a main screen and wait until it is read."""
    await pilot.press(MAIN[mode])
    await until(pilot, lambda: app.current_mode == mode and isinstance(app.screen, SiteScreen))
    screen = app.screen
    assert isinstance(screen, SiteScreen)
    await until(pilot, lambda: not screen._is_reading and "reading the ledger" not in painted(app))
    await pilot.pause(0.2)
    await read(app)
    await pilot.pause()
    return screen


def colours(app: ClusterwrightApp) -> set[str]:
    """Return the colours of everything that is painted, as #rrggbb."""
    return colours_of(app.screen._compositor.render_strips())


def of_lists(app: ClusterwrightApp) -> set[str]:
    """Return the colours of the lists of the screen on top."""
    lists = app.screen.query(Grid)
    return colours_of([grid.render_line(y) for grid in lists for y in range(grid.size.height)])


def colours_of(strips: Sequence[Strip]) -> set[str]:
    """Return the colours of lines."""
    styles = [segment.style for strip in strips for segment in strip if segment.style]
    found = {colour for style in styles for colour in (style.color, style.bgcolor) if colour is not None}
    return {colour.get_truecolor().hex for colour in found if not colour.is_default}


@pytest.mark.parametrize("size", [SIZE, seldom((80, 24))])
async def test_a_linux_console_gets_ascii_only(
    halfway: Path, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]
) -> None:
    monkeypatch.setenv("TERM", "linux")
    async with using(halfway, "owner", size=size) as (app, pilot):
        for mode in MAIN:
            await shown(app, pilot, mode)
            assert not_ascii(app) == set(), mode
        app.open_activity("087@pod-001")
        await see(pilot, "What it waits for")
        assert not_ascii(app) == set()
        await pilot.press("escape", "2", "p")
        await until(pilot, lambda: isinstance(app.screen, Form))
        assert not_ascii(app) == set()


def test_every_sign_of_the_screens_has_one_in_ascii() -> None:
    texts = [path.read_text(encoding="utf-8") for path in Path(tui.__file__).parent.rglob("*.py")]
    signs = {sign for text in texts for sign in text if not sign.isascii()}
    assert {sign for sign in signs if ord(sign) not in PLAIN} == set()


def not_ascii(app: ClusterwrightApp) -> set[str]:
    """Return the signs that are painted and are not ASCII. Blanks are blanks in every terminal."""
    return {sign for sign in painted(app) if ord(sign) > 127}


async def test_without_colours_everything_is_grey_and_the_words_are_the_same(
    halfway: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts: dict[bool, list[str]] = {False: [], True: []}
    for is_grey, seen in texts.items():
        if is_grey:
            monkeypatch.setenv("NO_COLOR", "1")
        app = screens(halfway, "owner", read_only=True)
        async with app.run_test(size=SIZE) as pilot:
            for mode in MAIN:
                await shown(app, pilot, mode)
                seen.append(painted(app))
                coloured = {colour for colour in colours(app) if not colour[1:3] == colour[3:5] == colour[5:7]}
                assert bool(coloured) is not is_grey, f"{mode}: {coloured}"
    assert texts[True] == texts[False]


async def test_another_theme_repaints_what_is_shown_at_once(halfway: Path) -> None:
    async with using(halfway, "owner") as (app, pilot):
        for mode in ("steps", "morning", "gantt", "floor"):
            await repainted(app, pilot, mode)


async def repainted(app: ClusterwrightApp, pilot: User, mode: str) -> None:
    """Go to a main screen, and see it in a dark and a light theme. Only the colours differ."""
    screen = await shown(app, pilot, mode)
    app.theme = "textual-dark"
    await until(pilot, lambda: DARK in colours(app) and not screen._is_reading)
    dark, text = colours(app), painted(app)
    app.theme = "textual-light"
    await until(pilot, lambda: app.theme_variables["background"].lower() in colours(app))
    await until(pilot, lambda: DARK not in of_lists(app))
    await until(pilot, lambda: len(colours(app) & dark) <= SHARED)
    assert painted(app) == text, mode


# A person's own keys


@pytest.fixture
def keys_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return where this person's keys are."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    path = tmp_path / "config" / FILE
    path.parent.mkdir(parents=True)
    return path


async def test_an_own_key_does_it_and_is_shown_in_place_of_the_other(ready: Path, keys_file: Path) -> None:
    keys_file.write_text("activity.comment: f2\ngo.steps: f3\nlist.down: n\n", encoding="utf-8")
    async with using(ready, "tech", size=(200, 60)) as (app, pilot):
        await until(pilot, lambda: bool(app.site.rows))
        await pilot.press("f3")
        await see(pilot, "030@pod-001", "f2 Comment")
        assert "c Comment" not in painted(app)
        await pilot.press("n", "question_mark")
        await until(pilot, lambda: isinstance(app.screen, Choose))
        lines = painted(app).splitlines()
        assert any("f2" in line and "clusterwright comment" in line for line in lines)
        await pilot.press("escape", "c")
        await pilot.pause(0.2)
        assert isinstance(app.screen, StepsScreen), "the old key does nothing"
        assert app.screen.grid.cursor == 1
        await pilot.press("f2")
        await until(pilot, lambda: isinstance(app.screen, Form))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("activity.sing: f2", "nothing has the id 'activity.sing'"),
        ("activity.sign: [f2", "cannot be read"),
        ("- f2", "is no list of keys"),
        ("activity.sign: 2", "is no list of keys"),
    ],
)
async def test_a_file_of_keys_with_a_fault_is_named_and_the_keys_stay(
    ready: Path, keys_file: Path, text: str, says: str
) -> None:
    keys_file.write_text(text, encoding="utf-8")
    app = screens(ready, "tech")
    async with app.run_test(size=(200, 60), notifications=True) as pilot:
        await see(pilot, "keys.yaml")
        assert any(says in said.title for said in app._notifications)
        await pilot.press("2")
        await see(pilot, "s Sign")


# Looking only


async def offered(app: ClusterwrightApp, pilot: User) -> set[str]:
    """Wait for a list to choose from, and return the ids of what it offers."""
    await until(pilot, lambda: isinstance(app.screen, Choose))
    assert isinstance(app.screen, Choose)
    return {choice.id for choice in app.screen.grid.view.found}


async def test_screens_that_are_read_only_refuse_every_action_that_records(ready: Path) -> None:
    app, before = screens(ready, "pm", read_only=True), last_event(ready)
    async with app.run_test(size=SIZE) as pilot:
        screen = await shown(app, pilot, "steps")
        await see(pilot, "looking only", "030@pod-001")
        assert "Sign" not in painted(app).splitlines()[-1]
        for action in ACTIONS:
            if action.records and action.about in {"activity", "site"}:
                app.clear_notifications()
                screen.action_act(action.id)
                await pilot.pause()
                assert app.screen is screen, action.id
                assert [notice.message for notice in app._notifications] == [READ_ONLY], action.id
        await pilot.press("colon")
        assert await offered(app, pilot) == QUESTIONS | {f"{mode} screen" for mode in MAIN}
        assert {"preview", "forecast"}.isdisjoint(QUESTIONS), (
            "a preview runs on hosts; a forecast is kept for everybody"
        )
        await pilot.press("escape", "question_mark")
        assert not {action.id for action in ACTIONS if action.records} & await offered(app, pilot)
    assert last_event(ready) == before


async def test_screens_that_are_read_only_make_no_forecast_and_keep_no_scan(halfway: Path) -> None:
    app = screens(halfway, "pm", read_only=True)
    async with app.run_test(size=SIZE) as pilot:
        for mode, key in (("risk", "f"), ("orders", "y")):
            screen = await shown(app, pilot, mode)
            app.clear_notifications()
            await pilot.press(key)
            await pilot.pause()
            assert app.screen is screen
            assert [notice.message for notice in app._notifications] == [READ_ONLY], mode


# Pages as files, and views that are kept


async def test_a_page_is_written_as_text_csv_and_html_with_all_of_its_rows(halfway: Path) -> None:
    async with using(halfway, "owner", size=(80, 24)) as (app, pilot):
        screen = await shown(app, pilot, "steps")
        assert isinstance(screen, StepsScreen)
        for form in ("text", "CSV", "HTML"):
            await pilot.press("E")
            await until(pilot, lambda: isinstance(app.screen, Choose))
            await pilot.press(*form, "enter")
            await until(pilot, lambda: app.screen is screen)
        ids = [row.id for row in screen.view.found]
        copied = app.clipboard
    assert len(ids) > 200, "most of them are not on the screen"
    pages = {path.suffix: path.read_text(encoding="utf-8") for path in (halfway / FOLDER).iterdir()}
    rows = list(csv.DictReader(io.StringIO(pages[".csv"])))
    assert [row["activity"] for row in rows] == ids
    assert "Cord every power supply to both paths and relieve the strain" in [row["what"] for row in rows]
    for page in (pages[".txt"], pages[".html"], copied):
        assert all(name in page for name in ids)
    assert pages[".html"].startswith("<!DOCTYPE html>")


async def test_a_page_that_is_no_list_is_written_too(halfway: Path) -> None:
    async with using(halfway, "owner") as (app, pilot):
        await shown(app, pilot, "morning")
        await see(pilot, "GO-LIVE")
        await pilot.press("E")
        await until(pilot, lambda: isinstance(app.screen, Choose))
        await pilot.press("enter")
        await until(pilot, lambda: "GO-LIVE" in app.clipboard)
    (page,) = (halfway / FOLDER).iterdir()
    assert "DRIVES GO-LIVE" in page.read_text(encoding="utf-8")


def test_a_page_of_thousands_of_rows_takes_no_time_and_leaves_nothing_out() -> None:
    """Of 18,516 rows it took a minute in which no key was answered."""
    long = "one sentence that is much longer than its column, and goes on below it " * 4
    rows = [[f"{number:05}@site", long if number % 1000 else "電気工事の確認" * 30, "owner"] for number in range(8000)]
    began = process_time()
    text = as_text(Printed("Steps", "a site", ["activity", "what", "who"], rows))

    assert process_time() - began < 4
    assert text.count("電") == 8 * 30
    assert text.count("sentence") == (8000 - 8) * 4
    assert max(map(cell_len, text.splitlines())) <= 160
    assert [line.split() for line in text.splitlines()[:2]] == [["a", "site"], ["activity", "what", "who"]]


async def test_the_page_of_an_activity_is_written_line_by_line_with_its_headings(halfway: Path) -> None:
    """A line that is laid into several was written as often."""
    async with using(halfway, "owner", size=(80, 24)) as (app, pilot):
        await open_page(app, pilot, "087@pod-001", "owner")
        screen = app.screen
        assert isinstance(screen, ActivityScreen)
        text = as_text(screen.page())
    assert text.count("the cords of rack 07") == 1
    assert "\nDates and cost\n" in text


async def test_a_view_is_kept_and_is_there_the_next_time(halfway: Path) -> None:
    async with using(halfway, "owner") as (app, pilot):
        await shown(app, pilot, "steps")
        await pilot.press("slash")
        await type_in(pilot, "open later")
        await pilot.press("enter", "V", *"keep", "enter")
        await until(pilot, lambda: isinstance(app.screen, StepsScreen))
    again = screens(halfway, "owner")
    async with again.run_test(size=SIZE) as pilot:
        screen = await shown(again, pilot, "steps")
        assert isinstance(screen, StepsScreen)
        await pilot.press("V", *"open", "enter")
        await until(pilot, lambda: again.screen is screen)
        assert screen.view.query == "open later"
        assert {row.is_later for row in screen.view.found} == {True}
        await see(pilot, "/ open later")
