"""What each screen looks like: painted at several sizes, as SVG files that `make snapshots` writes anew."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from textual.screen import Screen

from ledger.reading import open_snapshot
from tests.tui.piloting import User, read, screens, see, until
from tui.app import MAIN, ClusterwrightApp
from tui.screens.base import SiteScreen

FOLDER = Path(__file__).parent / "snapshots"
ANEW = "CLUSTERWRIGHT_SNAPSHOTS"
"""Set where the files are to be written, and not compared."""

RESTING_S = 0.3
"""How long nothing changes when a screen has read what follows its cursor."""

SMALL, USUAL, LARGE = (80, 24), (120, 40), (200, 60)
ACTIVITY, ORDER = "087@pod-001", "045@site#server-cable"


class Look(NamedTuple):
    """A picture: its name, and how a user comes to what is on it from the morning."""

    name: str
    keys: tuple[str, ...]
    sees: str = ""
    filtered: str = ""


LOOKS = (
    *(Look(name, (key,)) for name, key in MAIN.items()),
    Look("activity", ("2",), "What it waits for", ACTIVITY),
    Look("order", ("4",), "Deliveries", ORDER),
    Look("form", ("2", "p"), "$ clusterwright progress"),
    Look("menu", ("2", "question_mark"), "What can be done about"),
)


class Size(NamedTuple):
    """A terminal with a theme, and which of the pictures are taken in it."""

    cells: tuple[int, int]
    theme: str
    looks: tuple[Look, ...]

    @property
    def name(self) -> str:
        """As it stands in the name of a file."""
        return f"{self.cells[0]}x{self.cells[1]}-{'light' if 'light' in self.theme else 'dark'}"


WIDE = tuple(look for look in LOOKS if look.name in {"steps", "morning", "gantt"})
SIZES = (
    Size(SMALL, "textual-dark", LOOKS),
    Size(USUAL, "textual-dark", LOOKS),
    Size(LARGE, "textual-dark", WIDE),
    Size(LARGE, "textual-light", WIDE),
)


@pytest.mark.parametrize("size", SIZES, ids=lambda size: size.name)
async def test_screens_look_as_they_did(halfway: Path, size: Size, tmp_path: Path) -> None:
    app, changed = screens(halfway, "owner"), []
    async with app.run_test(size=size.cells) as pilot:
        app.theme = size.theme
        for look in size.looks:
            await show(app, pilot, look)
            if not await becomes_kept(app, pilot, f"{look.name}-{size.name}", halfway, tmp_path):
                changed.append(look.name)
            await back_to_morning(app, pilot)
    assert not changed, f"another picture at {size.name} of {', '.join(changed)}: compare {tmp_path} with {FOLDER}"


async def show(app: ClusterwrightApp, pilot: User, look: Look) -> None:
    """Come to what is on a picture, and wait until nothing changes any more."""
    await pilot.press(*look.keys[:1])
    await rested(app, pilot)
    if look.filtered:
        await pilot.press("slash", *look.filtered)
        await rested(app, pilot)
        await pilot.press("enter", "enter")
    else:
        await pilot.press(*look.keys[1:])
    await see(pilot, look.sees)
    await rested(app, pilot)


async def becomes_kept(app: ClusterwrightApp, pilot: User, name: str, site: Path, seen: Path) -> bool:
    """Return whether the picture is the one that is kept. On a busy machine something may still come after a while."""
    try:
        await until(pilot, lambda: is_kept(name, picture(app, site), seen))
    except AssertionError:
        return False
    return True


async def rested(app: ClusterwrightApp, pilot: User) -> None:
    """Wait until everything is read that follows the screen and its cursor."""
    screen: Screen[Any] = app.screen
    await until(pilot, lambda: not isinstance(screen, SiteScreen) or not screen._is_reading)
    await pilot.pause(RESTING_S)
    await read(app)
    await pilot.pause()


async def back_to_morning(app: ClusterwrightApp, pilot: User) -> None:
    """Leave everything that is open."""
    for _ in range(4):
        await pilot.press("escape")
    assert len(app.screen_stack) == 1
    assert app.current_mode == app.DEFAULT_MODE


def picture(app: ClusterwrightApp, site: Path) -> str:
    """Return what is painted as SVG, without what is another one for each site and machine."""
    with open_snapshot(site) as snapshot:
        (uuid,) = snapshot.first("SELECT uuid FROM site")
    svg = app.export_screenshot(title="Clusterwright", simplify=True)
    svg = svg.replace(f"{uuid[:14]}…", "a name of its …")
    svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)
    return re.sub(r"terminal-\d+-", "terminal-", svg)


def is_kept(name: str, svg: str, seen: Path) -> bool:
    """Return whether a picture is the one that is kept. It is kept from now on where the files are to be written."""
    kept = FOLDER / f"{name}.svg"
    if ANEW in os.environ:
        FOLDER.mkdir(exist_ok=True)
        kept.write_text(svg, encoding="utf-8")
    if kept.is_file() and kept.read_text(encoding="utf-8") == svg:
        return True
    (seen / kept.name).write_text(svg, encoding="utf-8")
    return False
