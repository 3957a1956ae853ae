"""Makes the pictures of the docs from a finished rehearsal: `pictures.py SITE PORT`.

The dashboard of the site must be running on the port (`clusterwright dashboard`). Screens become SVG through Textual,
dashboard pages become PNG through headless Chromium.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

from textual.pilot import Pilot

from clusterwright.design_page import write_page
from steps.design.design import design_of_preset
from steps.design.dossier import dossier_of
from tui.app import ClusterwrightApp

HERE = Path(__file__).parent / "pictures"
SCREENS = {"overview": "1", "steps": "2", "orders": "4"}
CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
PHASE = "Cooling"


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


def dashboard(port: str) -> None:
    """Take the list of runs and the graph of one phase run."""
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/api/flow_runs/filter",
        data=b'{"limit": 50}',
        headers={"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=30) as answer:
        runs = json.load(answer)
    phase = next(run["id"] for run in runs if run["name"].startswith(PHASE))
    for name, page in {"flows": "flows", "runs": "runs", "phase-run": f"runs/flow-run/{phase}"}.items():
        photograph(f"http://127.0.0.1:{port}/{page}", f"dashboard-{name}.png", "1600,1000")


def design() -> None:
    """Take the page of a preset's design."""
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "design.html"
        write_page(dossier_of(design_of_preset("h100-10k")), page)
        photograph(page.as_uri(), "design.png", "1300,1330")


def photograph(address: str, name: str, size: str) -> None:
    """Take one page in headless Chromium."""
    browser = next(path for name in CHROMIUM if (path := shutil.which(name)))
    with tempfile.TemporaryDirectory() as profile:
        subprocess.run(
            [
                browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
                "--disable-background-networking", "--disable-component-update", "--disable-sync",
                f"--user-data-dir={profile}", f"--window-size={size}", "--force-device-scale-factor=1.5", "--virtual-time-budget=20000",
                f"--screenshot={HERE / name}", address,
            ],
            check=True, capture_output=True, timeout=120,
        )  # fmt: skip


if __name__ == "__main__":
    HERE.mkdir(exist_ok=True)
    asyncio.run(screens(Path(sys.argv[1])))
    dashboard(sys.argv[2])
    design()
