"""What the tests of the screens do as a user does: press keys, wait, and read what is painted."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from textual.app import App
from textual.pilot import Pilot

from clusterwright.forms import command_line
from ledger.questions.case import require_activity
from ledger.reading import open_snapshot
from tui.acting.form import Form
from tui.app import ClusterwrightApp

SIZE = (120, 40)
TALL = (160, 140)
"""Room for a whole page of an activity."""

User = Pilot[None]
WAIT_S = 20.0
STEP_S = 0.02


def screens(site: Path, person: str = "", *, read_only: bool = False) -> ClusterwrightApp:
    """Return the application at a site, acting as a person or as the first of the account."""
    app = ClusterwrightApp(site, command_line(), read_only=read_only)
    app.site.person = person or None
    return app


@asynccontextmanager
async def using(
    site: Path, person: str = "", key: str = "", *texts: str, size: tuple[int, int] = SIZE
) -> AsyncIterator[tuple[ClusterwrightApp, User]]:
    """Open the screens at a site as a person, press a key, and wait until the texts are painted."""
    app = screens(site, person)
    async with app.run_test(size=size) as pilot:
        if key:
            await pilot.press(key)
        await see(pilot, *texts)
        yield app, pilot


async def until(pilot: User, true: Callable[[], bool]) -> None:
    """Wait until something is so; reads come from worker threads, decisions from other processes."""
    for _ in range(int(WAIT_S / STEP_S)):
        if true():
            return
        await pilot.pause(STEP_S)
    raise AssertionError(f"it did not happen in time; painted is:\n{painted(pilot.app)}")


async def see(pilot: User, *texts: str) -> None:
    """Wait until all of the texts are painted."""
    await until(pilot, lambda: all(text in painted(pilot.app) for text in texts))


async def read(app: ClusterwrightApp) -> None:
    """Wait until the workers have read what they were started for. The one that follows the record never ends."""
    at_work = [worker for worker in app.workers if worker.group != "watch"]
    if at_work:
        await app.workers.wait_for_complete(at_work)


async def type_in(pilot: User, text: str) -> None:
    """Type a text, a key a character."""
    for character in text:
        await pilot.press("space" if character == " " else character)


async def open_page(app: ClusterwrightApp, pilot: User, activity: str, person: str = "") -> None:
    """Open the page of an activity, acting as a person or as the first of the account, and wait until it is read."""
    await until(pilot, lambda: bool(app.site.rows))
    app.site.person = person or app.site.person
    app.open_activity(activity)
    await see(pilot, f"{activity}  ", "What it waits for")


async def form_of(app: ClusterwrightApp, pilot: User, command: str) -> Form:
    """Open the form of a command by its name."""
    await pilot.press("colon", *("space" if letter == " " else letter for letter in command), "enter")
    await until(pilot, lambda: isinstance(app.screen, Form) and app.screen.focused is not None)
    assert isinstance(app.screen, Form)
    return app.screen


def painted(app: App[None]) -> str:
    """Return the screen on top as a person sees it, line by line."""
    strips = app.screen._compositor.render_strips()
    return "\n".join(strip.text.rstrip() for strip in strips).replace("\N{NO-BREAK SPACE}", " ")


def state(site: Path, activity: str) -> str:
    """Return the state of an activity as it is now."""
    with open_snapshot(site) as snapshot:
        return require_activity(snapshot, activity).state.value
