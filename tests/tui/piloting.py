"""What the tests of the screens do as a user does: wait, read what is painted, open a page, answer a question."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from rich.console import Console
from textual.pilot import Pilot
from textual.widgets import Input, Static

from ledger.questions.case import require_activity
from ledger.reading import open_snapshot
from tui.app import ClusterwrightApp

SIZE = (160, 50)
User = Pilot[None]
WAIT_S = 10.0
STEP_S = 0.05


async def until(pilot: User, true: Callable[[], bool]) -> None:
    """Wait until something is so; reads come from worker threads."""
    for _ in range(int(WAIT_S / STEP_S)):
        if true():
            return
        await pilot.pause(STEP_S)
    raise AssertionError("it did not happen in time")


async def open_page(app: ClusterwrightApp, pilot: User, activity: str, person: str = "") -> None:
    """Open the page of an activity, acting as a person or as the first of the account, and wait until it is read."""
    await until(pilot, lambda: app.site.person is not None)
    app.site.person = person or app.site.person
    app.open_activity(activity)
    await until(pilot, lambda: activity in text_of(app, "head"))


async def answer(app: ClusterwrightApp, pilot: User, key: str, text: str) -> None:
    """Press a key that asks a question, and answer it."""
    await pilot.press(key)
    await until(pilot, lambda: bool(app.screen.query("#answer")))
    app.screen.query_one("#answer", Input).value = text
    await pilot.press("enter")


def text_of(app: ClusterwrightApp, part: str) -> str:
    """Return a part of the screen as it is painted; empty where there is no such part or nothing is shown in it."""
    found = app.screen.query(f"#{part}")
    static = found.only_one(Static) if found else None
    if static is None or not static.display:
        return ""
    console = Console(width=200, color_system=None, markup=False)
    with console.capture() as painted:
        console.print(static.content)
    return painted.get()


def state(site: Path, activity: str) -> str:
    """Return the state of an activity as it is now."""
    with open_snapshot(site) as snapshot:
        return require_activity(snapshot, activity).state.value
