"""Prefect's settings for one site: its home in the site's folder, nothing sent anywhere.

Applied to the environment before Prefect is first imported; that is why this module imports nothing of it.
"""

from __future__ import annotations

import os
from pathlib import Path

HOST = "127.0.0.1"
HEARTBEAT_S = 30
"""Prefect's minimum: a run without a heartbeat can be told from one that goes on."""


def api_url(port: int) -> str:
    """Give the address of the server's API."""
    return f"http://{HOST}:{port}/api"


def state_folder(site_dir: Path) -> Path:
    """Give the folder beside the ledger where the engine keeps what can be lost: private to its user."""
    folder = site_dir / ".clusterwright"
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder


def log_folder(site_dir: Path) -> Path:
    """Give the folder of the server's and the engine's log."""
    folder = state_folder(site_dir) / "log"
    folder.mkdir(exist_ok=True)
    return folder


def prefect_environment(site_dir: Path, port: int) -> dict[str, str]:
    """Give the settings of server and client."""
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
        # a busy database is worth some tries; a server that is gone would keep us for a minute with the default of 5
        "PREFECT_CLIENT_MAX_RETRIES": "3",
        # what a run says goes to the dashboard, what goes wrong to engine.log; the terminal is ours
        "PREFECT_LOGGING_LEVEL": "INFO",
        "PREFECT_LOGGING_HANDLERS_CONSOLE_LEVEL": "CRITICAL",
        "PREFECT_INTERNAL_LOGGING_LEVEL": "CRITICAL",
        "PREFECT_SERVER_LOGGING_LEVEL": "WARNING",
        "PREFECT_CLI_PROMPT": "false",
        "DO_NOT_TRACK": "1",
    }


def apply(site_dir: Path, port: int) -> None:
    """Put the settings into this process's environment, and make the private home."""
    (state_folder(site_dir) / "prefect").mkdir(exist_ok=True)
    os.environ.update(prefect_environment(site_dir.resolve(), port))
