"""Where a site's dashboard is, and what its page asks for."""

from pathlib import Path
from typing import NamedTuple

from flows.dashboard.login import AUTH, AUTH_FILE, login_file, login_of
from flows.dashboard.settings import page_url
from flows.dashboard.site_lock import holder
from flows.runs.inventory.sources import site_in
from schedule.errors import NotSatisfiedError


class DashboardPage(NamedTuple):
    """The address of a dashboard and its login. `login_file` is where the login is kept."""

    address: str
    login: str
    login_file: Path
    is_running: bool


def address(site_dir: Path, port: int) -> str:
    """Return where people open a site's dashboard: at its team's server, or at a port of this machine."""
    team = site_in(site_dir).team
    return team.prefect.removesuffix("/api") if team else page_url(port)


def dashboard_page(site_dir: Path, port: int) -> DashboardPage:
    """Return the page of the server that runs. Where none runs, return that of a server on `port`.

    Raise NotSatisfiedError for a team's site: its server has a login that is not the site's.
    """
    if site_in(site_dir).team:
        raise NotSatisfiedError(
            f"this site's team has a dashboard: {address(site_dir, port)}",
            hint=f"its login is in {AUTH}, or in the file of {AUTH_FILE}",
        )
    running = holder(site_dir, port)
    return DashboardPage(
        address=page_url(running.port if running else port),
        login=login_of(site_dir),
        login_file=login_file(site_dir),
        is_running=running is not None,
    )
