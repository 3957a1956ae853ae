"""Prefect's settings for one site: its home in the site's folder, nothing sent anywhere.

Applied to the environment before Prefect is first imported; that is why this module imports nothing of it.
"""

from __future__ import annotations

import os
from pathlib import Path

HOST = "127.0.0.1"


def api_url(port: int) -> str:
    """Give the address of the server's API."""
    return f"http://{HOST}:{port}/api"


def prefect_environment(site_dir: Path, port: int) -> dict[str, str]:
    """Give the settings of server and client."""
    home = site_dir / ".clusterwright" / "prefect"
    return {
        "PREFECT_HOME": str(home),
        "PREFECT_API_URL": api_url(port),
        "PREFECT_SERVER_API_HOST": HOST,
        "PREFECT_SERVER_API_PORT": str(port),
        "PREFECT_SERVER_ALLOW_EPHEMERAL_MODE": "false",
        "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
        "PREFECT_SERVER_UI_SHOW_PROMOTIONAL_CONTENT": "false",
        "PREFECT_SERVER_UI_STATIC_DIRECTORY": str(home / "ui"),
        "PREFECT_LOGGING_LEVEL": "WARNING",
        "PREFECT_CLI_PROMPT": "false",
        "DO_NOT_TRACK": "1",
    }


def apply(site_dir: Path, port: int) -> None:
    """Put the settings into this process's environment, and make the private home."""
    home = site_dir / ".clusterwright" / "prefect"
    home.mkdir(parents=True, exist_ok=True)
    (site_dir / ".clusterwright").chmod(0o700)
    os.environ.update(prefect_environment(site_dir, port))
