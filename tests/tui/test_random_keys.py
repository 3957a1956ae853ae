"""Keys at random on every screen and form: nothing crashes, and nothing is recorded that nobody confirmed in a form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import pytest
from textual.binding import Binding

from tests.conftest import last_event
from tests.seldom import seldom
from tests.tui.piloting import SIZE, User, screens, until
from tui.acting.actions import ACTIONS
from tui.acting.form import Form
from tui.acting.running import Done
from tui.app import MAIN, ClusterwrightApp
from tui.lists.grid import Grid
from tui.screens.base import SiteScreen
from tui.screens.listing import ListScreen
from tui.site import OpenSite

BOUND = [*ClusterwrightApp.BINDINGS, *SiteScreen.BINDINGS, *ListScreen.BINDINGS, *Grid.BINDINGS, *Form.BINDINGS]
KEYS = sorted(
    {key for binding in BOUND if isinstance(binding, Binding) for key in binding.key.split(",")}
    | set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
    | {"tab", "shift+tab", "backspace", "space", "ctrl+p", "ctrl+u", "ctrl+w", "left_square_bracket", "plus", "at"}
)
OFTEN = ("enter", "escape", "escape", "down", "up", "tab", "slash", "question_mark", "space", *MAIN.values())
"""Keys that are pressed more often than others, so that many screens and forms are reached."""

SIZES = (SIZE, (80, 24), (200, 60), (40, 10))
CONFIRM = {"enter", "ctrl+s"}
RECORDING = {action.command for action in ACTIONS if action.records}


@dataclass
class AtOnce:
    """A command that does nothing. It is done at once; where a screen would read what it says, it says that it failed."""

    words: Sequence[str]
    columns: int = 80

    async def done(self) -> Done:
        return Done(1, "", "refused") if "--json" in self.words else Done(0, "done\n", "")

    def stop(self) -> None:
        pass


@dataclass
class Pressed:
    """The keys that were pressed, and the commands that would have run, each with the key and whether a form was open."""

    keys: list[str] = field(default_factory=list)
    ran: list[tuple[str, str, bool]] = field(default_factory=list)


@pytest.fixture
def pressed(monkeypatch: pytest.MonkeyPatch) -> Pressed:
    """Return what is pressed. No command runs, the screens are not left, and no picture is written."""
    found = Pressed()

    def running(site: OpenSite, words: Sequence[str], _heard: object = None) -> AtOnce:
        name = next(name for name in sorted(site.commands.abouts, key=len, reverse=True) if begins(words, name))
        found.ran.append((name, found.keys[-1], bool(forms)))
        return AtOnce(words)

    forms: list[Form] = []
    run_it = Form.run_it

    def confirmed(form: Form) -> object:
        forms.append(form)
        return run_it(form)

    monkeypatch.setattr(OpenSite, "running", running)
    monkeypatch.setattr(Form, "run_it", confirmed)
    for left_out in ("action_quit", "action_help_quit", "action_suspend_process", "deliver_screenshot"):
        monkeypatch.setattr(ClusterwrightApp, left_out, _nothing)
    return found


def begins(words: Sequence[str], name: str) -> bool:
    """Return whether a command is the one of a name."""
    return list(words[: len(name.split())]) == name.split()


async def _nothing(*_: object, **__: object) -> None:
    """Do nothing."""


async def press_at_random(site: Path, pressed: Pressed, seed: int, count: int) -> None:
    """Press keys, and fail with those that led there if anything crashes or is recorded."""
    draw, before = Random(seed), last_event(site)
    app = screens(site, "owner")
    size = SIZES[seed % len(SIZES)]
    async with app.run_test(size=size) as pilot:
        await until(pilot, lambda: bool(app.site.rows))
        for number in range(count):
            key = draw.choice(OFTEN if draw.random() < 0.5 else KEYS)
            pressed.keys.append(key)
            await pilot.press(key)
            assert app._exception is None, f"seed {seed} at {size}: {pressed.keys[-25:]}"
            if number % 50 == 49:
                await settled(app, pilot)
        await settled(app, pilot)
        assert app._exception is None, f"seed {seed} at {size}: {pressed.keys[-25:]}"
    assert last_event(site) == before
    for name, key, in_form in pressed.ran:
        if name in RECORDING:
            assert key in CONFIRM, f"{name} by {key}"
            assert in_form, f"{name} without a form"


async def settled(app: ClusterwrightApp, pilot: User) -> None:
    """Wait until everything that was asked for is read."""
    await until(pilot, lambda: not any(worker.is_running for worker in app.workers if worker.group == "load"))


@pytest.mark.parametrize("seed", [1, seldom(2)])
async def test_random_keys_crash_nothing_and_record_nothing(halfway: Path, pressed: Pressed, seed: int) -> None:
    await press_at_random(halfway, pressed, seed, 200)


@pytest.mark.long
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("seed", range(100, 120))
async def test_many_random_keys_crash_nothing_and_record_nothing(halfway: Path, pressed: Pressed, seed: int) -> None:
    await press_at_random(halfway, pressed, seed, 500)
