"""Where a site's dashboard is, and what its page asks for."""

from pathlib import Path
from typing import NamedTuple

from flows.dashboard.login import login_file, login_of
from flows.dashboard.settings import page_url
from flows.dashboard.site_lock import holder


class DashboardPage(NamedTuple):
    """The address of a dashboard and its login. `login_file` is where the login is kept."""

    address: str
    login: str
    login_file: Path
    is_running: bool


def dashboard_page(site_dir: Path, port: int) -> DashboardPage:
    """Return the page of the server that runs. Where none runs, return that of a server on `port`."""
    running = holder(site_dir, port)
    return DashboardPage(
        address=page_url(running.port if running else port),
        login=login_of(site_dir),
        login_file=login_file(site_dir),
        is_running=running is not None,
    )
