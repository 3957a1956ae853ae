"""Makes the pictures of the docs: `python -m docs.pictures SITE` those of the screens, with PORT behind it all of them.

SITE is in mid-build, as `clusterwright tour` leaves it; its dashboard must be running on the port (`clusterwright dashboard`).
Screens become SVG through Textual, dashboard pages become PNG through headless Chromium.
"""

from __future__ import annotations

import asyncio
import re
import sys
import tempfile
from pathlib import Path

from textual.pilot import Pilot

from clusterwright.design_page import write_page
from clusterwright.forms import command_line
from docs.browser import browser
from flows.dashboard_login import login_of
from flows.prefect_api import PrefectApi
from steps.design.design import design_of_preset
from steps.design.dossier import dossier_of
from tui.app import MAIN, ClusterwrightApp

HERE = Path(__file__).parent / "pictures"
SIZE = (140, 42)
SCREENS = ("morning", "steps", "inbox", "orders", "gantt", "floor", "risk")
BUSY = "owner"
"""Who acts in the pictures: somebody for whom something waits, with this in the id."""

ACTIVITY = "034@pod-001"
PHASE = "server_assembly"
FONTS = re.compile(r"\s*@font-face \{.*?\}\n", re.DOTALL)
"""Where a picture would fetch its font from the network. Those after the first are on every machine."""


async def settle(pilot: Pilot[None]) -> None:
    """Let the screen read and paint."""
    for _ in range(25):
        await pilot.pause(0.1)


def keep(app: ClusterwrightApp, name: str) -> None:
    """Write the screen as a picture."""
    (HERE / f"{name}.svg").write_text(FONTS.sub("\n", app.export_screenshot()), encoding="utf-8")


async def screens(site: Path) -> None:
    """Take the terminal screens."""
    app = ClusterwrightApp(site, command_line())
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        app.site.person = next((person for person in app.site.people if BUSY in person), app.site.person)
        app.refresh_screen()
        await settle(pilot)
        for name in SCREENS:
            await pilot.press(MAIN[name])
            await settle(pilot)
            keep(app, name)
        app.open_activity(ACTIVITY)
        await settle(pilot)
        keep(app, "activity")


def dashboard(site: Path, port: int) -> None:
    """Take the list of runs and the graph of one phase run."""
    login = login_of(site)
    (standing,) = PrefectApi(port, login).some("flow_runs", {"flow_runs": {"tags": {"all_": ["standing", PHASE]}}})
    phase = standing["id"]
    address = f"http://127.0.0.1:{port}"
    with browser(1600, 1000) as page:
        page.log_in(address, login)
        for name, where in {"flows": "flows", "runs": "runs", "phase-run": f"runs/flow-run/{phase}"}.items():
            page.go(f"{address}/{where}")
            page.photograph(HERE / f"dashboard-{name}.png")


def design() -> None:
    """Take the page of a preset's design."""
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "design.html"
        write_page(dossier_of(design_of_preset("h100-10k")), page)
        with browser(1300, 1330) as shown:
            shown.go(page.as_uri())
            shown.photograph(HERE / "design.png")


if __name__ == "__main__":
    HERE.mkdir(exist_ok=True)
    asyncio.run(screens(Path(sys.argv[1])))
    if len(sys.argv) > 2:
        dashboard(Path(sys.argv[1]), int(sys.argv[2]))
        design()
