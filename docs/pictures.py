"""Makes the pictures of the docs from a finished rehearsal: `python -m docs.pictures SITE PORT`.

The dashboard of the site must be running on the port (`clusterwright dashboard`). Screens become SVG through Textual,
dashboard pages become PNG through headless Chromium.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path

from textual.pilot import Pilot

from clusterwright.design_page import write_page
from docs.browser import browser
from flows.dashboard_login import login_of
from flows.prefect_api import PrefectApi
from steps.design.design import design_of_preset
from steps.design.dossier import dossier_of
from tui.app import ClusterwrightApp

HERE = Path(__file__).parent / "pictures"
SCREENS = {"overview": "1", "steps": "2", "orders": "4"}
PHASE = "server_assembly"


async def settle(pilot: Pilot[None]) -> None:
    """Let the screen read and paint."""
    for _ in range(20):
        await pilot.pause(0.1)


async def screens(site: Path) -> None:
    """Take the terminal screens."""
    app = ClusterwrightApp(site)
    async with app.run_test(size=(150, 42)) as pilot:
        for name, key in SCREENS.items():
            await pilot.press(key)
            await settle(pilot)
            app.save_screenshot(f"{name}.svg", str(HERE))
        app.open_activity("034@pod-001")
        await settle(pilot)
        app.save_screenshot("activity.svg", str(HERE))


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
    dashboard(Path(sys.argv[1]), int(sys.argv[2]))
    design()
