"""Makes the pictures of the docs but for those of the dashboard: `python -m docs.pictures SITE`.

SITE is in mid-build, as `clusterwright tour` or `examples/screens_day.py` leaves it. Screens become SVG through Textual, pages become PNG
through headless Chromium.
"""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from textual.pilot import Pilot

from clusterwright.design_page import write_page
from clusterwright.forms import command_line
from docs.browser import browser
from ledger.acting import people_here
from ledger.questions.waiting import waiting
from ledger.reading import open_snapshot
from steps.design.design import design_of_preset
from steps.design.dossier import dossier_of
from tui.app import MAIN, ClusterwrightApp

HERE = Path(__file__).parent / "pictures"
SIZE = (140, 42)
SCREENS = {"morning": "", "steps": "", "inbox": "", "orders": "", "gantt": "later:>10", "floor": "", "risk": ""}
"""The screens, each with the filter of its list."""

ACTIVITY = "034@pod-001"
"""The activity whose page is shown where nothing waits for anybody."""

KEYS = {":": "colon", ">": "greater_than_sign"}
GROUND = "#121212"
CELLS = re.compile(rf'<rect fill="{GROUND}"[^>]*/>')
"""What is behind each text; most of it has the colour of the ground."""

INSIDE = re.compile(r'<g transform="translate[^>]*clip-terminal[^>]*>')
NAMES = re.compile(r"terminal-\d+")
FONTS = re.compile(r"\s*@font-face \{.*?\}\n", re.DOTALL)
"""Where a picture would fetch its font from the network. Those after the first are on every machine."""


async def settle(pilot: Pilot[None]) -> None:
    """Let the screen read and paint."""
    for _ in range(25):
        await pilot.pause(0.1)


def keep(app: ClusterwrightApp, name: str) -> None:
    """Write the screen as a picture, made small: no font from the network, short names, one ground behind all texts."""
    picture = NAMES.sub("screen", FONTS.sub("\n", app.export_screenshot()))
    picture = INSIDE.sub(rf'\g<0><rect fill="{GROUND}" width="100%" height="100%"/>', CELLS.sub("", picture), count=1)
    (HERE / f"{name}.svg").write_text(picture, encoding="utf-8")


def who_signs(site: Path) -> str | None:
    """Return the person of this account for whom most sign-offs wait. None where the account is nobody's, as in a rehearsal."""
    with open_snapshot(site) as snapshot:
        signs = {
            person: sum(item.action == "sign" for item in waiting(snapshot, person)) for person in people_here(snapshot)
        }
    return max(signs, key=lambda person: signs[person], default=None)


def waits_first(site: Path, person: str | None) -> str | None:
    """Return the activity that waits first for a person."""
    with open_snapshot(site) as snapshot:
        return next((item.activity for item in waiting(snapshot, person)), None) if person else None


async def screens(site: Path) -> None:
    """Take the terminal screens."""
    app = ClusterwrightApp(site, command_line())
    app.site.person = who_signs(site)
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        for name, words in SCREENS.items():
            await pilot.press(MAIN[name])
            await settle(pilot)
            if words:
                await pilot.press("slash", *(KEYS.get(character, character) for character in words), "enter")
                await settle(pilot)
            keep(app, name)
        app.open_activity(waits_first(site, app.site.person) or ACTIVITY)
        await settle(pilot)
        keep(app, "activity")


def design() -> None:
    """Take the page of a preset's design."""
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "design.html"
        write_page(dossier_of(design_of_preset("h100-10k")), page)
        with browser(1300, 1330) as shown:
            shown.go(page.as_uri())
            shown.photograph(HERE / "design.png")


def reports(site: Path) -> None:
    """Take the page of the week, and the first page of the portal."""
    with tempfile.TemporaryDirectory() as folder:
        page, portal = Path(folder) / "week.html", Path(folder) / "portal"
        for words in (("week", "--out", str(page)), ("site", "--html", str(portal))):
            subprocess.run([sys.executable, "-m", "clusterwright", "report", *words, "--site", str(site)], check=True)
        with browser(860, 1140) as shown:
            shown.go(page.as_uri())
            shown.photograph(HERE / "report-week.png")
        with browser(1280, 1000) as shown:
            shown.go((portal / "index.html").as_uri())
            shown.photograph(HERE / "portal.png")


if __name__ == "__main__":
    HERE.mkdir(exist_ok=True)
    asyncio.run(screens(Path(sys.argv[1])))
    design()
    reports(Path(sys.argv[1]))
