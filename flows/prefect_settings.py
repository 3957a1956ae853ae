"""Prefect's settings for one site: its home is in the site's folder, and nothing is sent anywhere.

They are put into the environment before Prefect is first imported. So this module imports nothing of it.
"""

from __future__ import annotations

import os
from pathlib import Path

HOST = "127.0.0.1"
HEARTBEAT_S = 30
"""Prefect's minimum, in seconds. A run without a heartbeat has ended."""


def api_url(port: int) -> str:
    """Return the address of the server's API."""
    return f"http://{HOST}:{port}/api"


def state_folder(site_dir: Path) -> Path:
    """Return the folder beside the ledger where the engine keeps what may be lost. Only its user may read it."""
    folder = site_dir / ".clusterwright"
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder


def log_folder(site_dir: Path) -> Path:
    """Return the folder of the server's and the engine's log."""
    folder = state_folder(site_dir) / "log"
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder


def prefect_environment(site_dir: Path, port: int) -> dict[str, str]:
    """Return the settings of server and client."""
    home = site_dir / ".clusterwright" / "prefect"
    return {
        "PREFECT_HOME": str(home),
        "PREFECT_PROFILES_PATH": str(home / "profiles.toml"),
        "PREFECT_API_URL": api_url(port),
        "PREFECT_API_DATABASE_CONNECTION_URL": f"sqlite+aiosqlite:///{home / 'prefect.db'}",
        "PREFECT_SERVER_API_HOST": HOST,
        "PREFECT_SERVER_API_PORT": str(port),
        "PREFECT_SERVER_ALLOW_EPHEMERAL_MODE": "false",
        "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
        "PREFECT_SERVER_UI_SHOW_PROMOTIONAL_CONTENT": "false",
        "PREFECT_SERVER_UI_STATIC_DIRECTORY": str(home / "ui"),
        "PREFECT_FLOWS_HEARTBEAT_FREQUENCY": str(HEARTBEAT_S),
        # a busy database is worth some tries; with the default of 5, a server that has ended costs a minute
        "PREFECT_CLIENT_MAX_RETRIES": "3",
        # runs report to the dashboard, and errors go to engine.log: Prefect prints nothing on the terminal
        "PREFECT_LOGGING_LEVEL": "INFO",
        "PREFECT_LOGGING_HANDLERS_CONSOLE_LEVEL": "CRITICAL",
        "PREFECT_INTERNAL_LOGGING_LEVEL": "CRITICAL",
        "PREFECT_SERVER_LOGGING_LEVEL": "WARNING",
        "PREFECT_CLI_PROMPT": "false",
        "DO_NOT_TRACK": "1",
    }


def apply(site_dir: Path, port: int) -> None:
    """Put the settings into this process's environment, and make the private home."""
    (state_folder(site_dir) / "prefect").mkdir(mode=0o700, exist_ok=True)
    os.environ.update(prefect_environment(site_dir.resolve(), port))
