"""Every action of the table: its key opens its form or its answer, the menu of `?` shows it, and the palette has it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import cast, get_args

import pytest
from textual.screen import Screen

from tests.seldom import seldom
from tests.tui.piloting import TALL, User, painted, see, until, using
from tui.acting.actions import ACTIONS, About, Action, actions_about
from tui.acting.command import as_typed
from tui.acting.form import Form
from tui.app import ClusterwrightApp
from tui.screens.acting import ActingScreen
from tui.screens.menu import Menu
from tui.screens.output import OutputScreen
from tui.screens.steps import StepsScreen

SUBJECTS: dict[About, str] = {
    "activity": "030@pod-001",
    "order": "001@site#gpu-server",
    "delivery": "001@site#gpu-server/1",
    "ncr": "NCR-0001",
    "change": "CO-0001",
    "action": "A-0001",
    "site": "",
}


class OneThing(StepsScreen):
    """A screen on which one thing is chosen."""

    def __init__(self, about: About) -> None:
        """Take the kind of thing."""
        super().__init__()
        self.kind = about

    @property
    def about(self) -> About:
        """What its actions are about."""
        return self.kind

    @property
    def chosen(self) -> Sequence[str]:
        """The id of the thing."""
        return [SUBJECTS[self.kind]] if SUBJECTS[self.kind] else []


@pytest.fixture
def nothing_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let questions be asked and not answered."""
    monkeypatch.setattr(OutputScreen, "run_it", lambda _: None)


async def opened(app: ClusterwrightApp, pilot: User, about: About) -> ActingScreen:
    """Open a screen about one kind of thing and wait until it is read."""
    await until(pilot, lambda: bool(app.site.rows))
    screen = OneThing(about)
    await app.push_screen(screen)
    await until(pilot, lambda: bool(screen.view.rows))
    return screen


def line_of(screen: Screen[object]) -> str:
    """Return the command that is shown or asked. Empty before there is one."""
    if isinstance(screen, Form):
        return as_typed(screen.words)
    return as_typed(screen.words) if isinstance(screen, OutputScreen) else ""


def wanted(action: Action) -> str:
    """Return the command that an action is about what is chosen."""
    return as_typed([*action.command.split(), *filter(None, [SUBJECTS[action.about]])])


@pytest.mark.usefixtures("nothing_runs")
@pytest.mark.parametrize("each", [6, seldom(1)])
async def test_keys_open_the_form_or_the_answer_of_their_command(ready: Path, each: int) -> None:
    """In the normal run every sixth of them, for each kind of thing its first."""
    for about in get_args(About):
        await _try_keys(ready, about, [action for action in ACTIONS if action.about == about and action.key][::each])


async def _try_keys(ready: Path, about: About, keys: Sequence[Action]) -> None:
    assert keys
    async with using(ready, "pm") as (app, pilot):
        screen = await opened(app, pilot, about)
        for action in keys:
            await pilot.press(action.key)
            await until(pilot, lambda: isinstance(app.screen, Form | OutputScreen) and app.screen.is_mounted)
            assert line_of(app.screen) == wanted(action)
            assert isinstance(app.screen, Form) or not action.records, action.id
            if isinstance(app.screen, Form):
                await see(pilot, f"$ {wanted(action)}")
            await pilot.press("escape")
            await until(pilot, lambda: app.screen is screen)


@pytest.mark.usefixtures("nothing_runs")
async def test_what_changes_something_is_confirmed_in_a_form_though_one_only_reads_its_answer(ready: Path) -> None:
    """A preview plays a playbook on hosts, and a forecast takes the place of the one before."""
    await _try_keys(ready, "activity", [action for action in ACTIONS if action.command == "preview"])
    async with using(ready, "pm") as (app, pilot):
        await until(pilot, lambda: bool(app.site.rows))
        await pilot.press("8", "f")
        await until(pilot, lambda: isinstance(app.screen, Form))
        assert line_of(app.screen) == "clusterwright forecast"


@pytest.mark.parametrize("about", get_args(About))
async def test_the_menu_and_the_palette_have_every_action(ready: Path, about: About) -> None:
    async with using(ready, "pm", size=TALL) as (app, pilot):
        screen = await opened(app, pilot, about)
        await pilot.press("question_mark")
        await until(pilot, lambda: isinstance(app.screen, Menu))
        lines = painted(app).splitlines()
        for action in actions_about(about):
            assert any(action.label in line and action.key in line for line in lines), action.id
        in_palette = {
            command.title: command.help for command in app.get_system_commands(cast("Screen[object]", screen))
        }
        for action in actions_about(about):
            assert in_palette[action.label] == f"clusterwright {action.command}"


async def test_the_menu_has_every_key_of_the_screen_and_does_what_is_chosen(ready: Path) -> None:
    async with using(ready, "pm", size=TALL) as (app, pilot):
        screen = await opened(app, pilot, "activity")
        await pilot.press("question_mark")
        await see(pilot, "Filter", "Saved views", "Go to gantt", "Mail this page", "Type a command", "Quit")
        await pilot.press(*"comment")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, Form))
        assert line_of(app.screen) == "clusterwright comment 030@pod-001"
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is screen)


@pytest.mark.parametrize(("typed", "mode"), [("gantt", "gantt"), ("inbox", "inbox")])
async def test_a_key_that_is_chosen_in_the_menu_is_pressed(ready: Path, typed: str, mode: str) -> None:
    async with using(ready, "pm") as (app, pilot):
        await until(pilot, lambda: bool(app.site.rows))
        await pilot.press("question_mark")
        await until(pilot, lambda: isinstance(app.screen, Menu))
        await pilot.press(*typed, "enter")
        await until(pilot, lambda: app.current_mode == mode)
