"""Makes the pictures of the dashboard: `python -m docs.dashboard_pictures FOLDER PORT`.

The site of `examples/dashboard_site.py` is made anew in the folder, and its engine serves the dashboard on the port. Pages become PNG
through headless Chromium, after somebody has logged in.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from docs.browser import Browser, browser
from flows.dashboard.login import login_of
from flows.dashboard.prefect_api import PrefectApi, Shown
from flows.dashboard.settings import api_url

sys.path.append(str(Path(__file__).parents[1] / "examples"))
from dashboard_site import failed_and_asked, mid_build

HERE = Path(__file__).parent / "pictures"
WIDTH, HEIGHT = 1400, 1000
GRAPH_S = 15.0
"""How long, in seconds, a graph has to be laid out and drawn without a graphics card."""

TALL = 1620
"""High enough for the nine phases on one picture."""


def first_page(page: Browser, address: str) -> None:
    """Take the first page: the nine phases."""
    page.go(f"{address}/", "9 Flow runs")
    page.photograph(HERE / "dashboard-home.png")


def pages(page: Browser, address: str, api: PrefectApi) -> None:
    """Take the graph of a phase, the causes of a failed run, a requested sign-off, and the deployments."""
    failed = _standing(api, "procurement")
    ended = {"tags": {"all_": ["real", "procurement"]}, "state": {"type": {"any_": ["FAILED"]}}}
    (advance,) = api.some("flow_runs", {"flow_runs": ended})
    waits = _standing(api, "cooling")
    for name, where, words in (
        ("phase-run", f"v2/runs/flow-run/{failed['id']}", "Procurement"),
        ("causes", f"v2/artifacts/artifact/{_artifact(api, advance, 'not-done')}", "unreachable"),
        ("sign-off", f"v2/artifacts/artifact/{_artifact(api, waits, 'standing')}", "sign-off"),
        ("deployments", "v2/deployments", "9 Deployments"),
    ):
        page.go(f"{address}/{where}", words)
        if "flow-run" in where:
            time.sleep(GRAPH_S)
        page.photograph(HERE / f"dashboard-{name}.png")


def _standing(api: PrefectApi, phase: str) -> Shown:
    (found,) = api.some("flow_runs", {"flow_runs": {"tags": {"all_": ["standing", phase]}}})
    return found


def _artifact(api: PrefectApi, run: Shown, begins: str) -> str:
    """Return the id of a run's artifact by the beginning of its key."""
    found = api.some("artifacts", {"artifacts": {"flow_run_id": {"any_": [run["id"]]}}})
    return next(str(one["id"]) for one in found if (one["key"] or "").startswith(begins))


def main(folder: Path, port: int) -> None:
    """Make the site, run its engine, and take the pictures."""
    with failed_and_asked(mid_build(folder), port):
        login, address = login_of(folder), f"http://127.0.0.1:{port}"
        for height, take in (
            (TALL, lambda page: first_page(page, address)),
            (HEIGHT, lambda page: pages(page, address, PrefectApi(api_url(port), login))),
        ):
            with browser(WIDTH, height) as page:
                page.log_in(address, login)
                take(page)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
