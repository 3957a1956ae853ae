"""Keys that come at once, as over a slow line: what is typed behind a key goes where that key leads."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from pathlib import Path
from timeit import repeat

import pytest
from textual.events import Key
from textual.widgets import Input

from ledger.questions.records import comments
from ledger.reading import open_snapshot
from tests.tui.piloting import screens, see, until, using
from tui.acting.form import Form
from tui.app import ClusterwrightApp
from tui.screens.listing import ListScreen


def burst(app: ClusterwrightApp, *keys: str) -> None:
    """Let keys come at once."""
    for key in keys:
        app.post_message(Key(key, key if len(key) == 1 else {"slash": "/"}.get(key)))


def notes(site: Path) -> list[str]:
    """Return what was written on the first activity."""
    with open_snapshot(site) as snapshot:
        return [comment.text for comment in comments(snapshot, "001@site")]


async def test_a_filter_that_is_typed_at_once_is_a_filter_and_acts_on_nothing(ready: Path) -> None:
    async with using(ready, "tech", "2", "030@pod-001") as (app, pilot):
        burst(app, "slash", *"pods", "slash", "2")
        screen = app.screen
        assert isinstance(screen, ListScreen)
        await until(pilot, lambda: screen.prompt.text == "pods/2")
        assert app.screen is screen


async def test_tab_leads_what_is_typed_behind_it_to_the_next_field(ready: Path) -> None:
    async with using(ready, "tech", "2", "030@pod-001") as (app, pilot):
        await pilot.press("m")
        await until(pilot, lambda: isinstance(app.screen, Form))
        first = app.focused
        assert isinstance(first, Input)
        burst(app, "a", "tab", "b")
        await until(pilot, lambda: isinstance(app.focused, Input) and app.focused.value == "b")
        assert first.value == "a"


async def test_what_is_typed_before_a_form_is_there_waits_for_it(ready: Path) -> None:
    async with using(ready, "tech", "2", "030@pod-001") as (app, pilot):
        assert isinstance(app.screen, ListScreen)
        app.screen.action_act("activity.comment")
        burst(app, *"seen", "enter")
        await until(pilot, lambda: notes(ready) == ["seen"])
        await until(pilot, lambda: not isinstance(app.screen, Form))


@pytest.mark.parametrize(
    ("key", "title"),
    [
        ("question_mark", "What can be done about"),
        ("colon", "clusterwright …"),
        ("full_stop", "Sort by"),
        ("V", "Saved views"),
    ],
)
async def test_what_is_typed_behind_the_key_of_a_choice_is_searched_there(ready: Path, key: str, title: str) -> None:
    """It went to the list: there `s` signs, `h` holds, and Enter would have recorded it."""
    async with using(ready, "tech", "2", "030@pod-001") as (app, pilot):
        below = app.screen
        burst(app, key, *"show")
        await see(pilot, title, "/ show")
        assert app.screen_stack[:-1] == [below]


async def test_what_is_typed_behind_the_key_of_a_decision_is_typed_into_its_form(ready: Path) -> None:
    """The letters opened the forms of other decisions above it: `h` that of hold, `l` that of release."""
    async with using(ready, "tech", "2", "030@pod-001") as (app, pilot):
        burst(app, "c", *"hello2", "enter")
        await until(pilot, lambda: notes(ready) == ["hello2"])
        await until(pilot, lambda: len(app.screen_stack) == 1)


async def test_a_filter_behind_the_key_of_a_screen_is_that_screens(ready: Path) -> None:
    async with using(ready, "tech") as (app, pilot):
        await see(pilot, "MINE")
        burst(app, "2", "slash", *"030")
        await see(pilot, "/ 030", "030@pod-001")
        assert app.current_mode == "steps"


def quickest(look: Callable[[], object]) -> float:
    """Return how long the quickest of a few looks takes a processor, in seconds."""
    return min(repeat(look, number=1, repeat=5, timer=time.thread_time))


def test_no_look_counts_what_is_left_out_of_the_search_for_garbage(ready: Path) -> None:
    """Keys wait meanwhile: of a large site it is millions of objects."""
    site, rows = screens(ready, "tech").site, [[row] for row in range(1_000_000)]
    with open_snapshot(ready) as snapshot:
        site.read(snapshot)
        gc.freeze()

        assert quickest(lambda: site.read(snapshot)) < quickest(gc.get_freeze_count) / 2

    assert rows
