"""Prefect's settings for one site: its home is in the site's folder, it asks for a login, and nothing is sent anywhere.

They are put into the environment before Prefect is first imported. So this module imports nothing of it.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from flows.dashboard.login import login_of
from flows.engine.state_folder import state_folder

HOST = "127.0.0.1"
NAMES = (HOST, "localhost")
"""Names of this machine in a browser. A page on another name that resolves to 127.0.0.1 is not this dashboard's."""
HEARTBEAT_S = 30
"""Prefect's minimum, in seconds. A run without a heartbeat has ended."""

PREFIX = "PREFECT_"

NOT_NEEDED = (
    "CANCELLATION_CLEANUP",
    "CLEANUP_RECONCILER",
    "EVENT_LOGGER",
    "FOREMAN",
    "LATE_RUNS",
    "PAUSE_EXPIRATIONS",
    "REPOSSESSOR",
    "SCHEDULER",
    "TRIGGERS",
)
"""Services of Prefect's server that an engine does not need. TRIGGERS is what acts for automations and calls out."""


def page_url(port: int) -> str:
    """Return the address of the dashboard's page."""
    return f"http://{HOST}:{port}"


def api_url(port: int) -> str:
    """Return the address of the server's API."""
    return f"{page_url(port)}/api"


def own_origins(port: int) -> list[str]:
    """Return the origins of a dashboard's own pages."""
    return [f"http://{name}:{port}" for name in NAMES]


def prefect_home(site_dir: Path) -> Path:
    """Return the folder of Prefect's own files."""
    return site_dir / ".clusterwright" / "prefect"


def database_file(site_dir: Path) -> Path:
    """Return the file of Prefect's database: the dashboard's history."""
    return prefect_home(site_dir) / "prefect.db"


def client_settings(site_dir: Path, url: str, login: str) -> dict[str, str]:
    """Return the settings of an engine as the client of a server."""
    home = prefect_home(site_dir)
    return {
        "PREFECT_HOME": str(home),
        "PREFECT_PROFILES_PATH": str(home / "profiles.toml"),
        "PREFECT_API_URL": url,
        "PREFECT_API_AUTH_STRING": login,
        "PREFECT_SERVER_ALLOW_EPHEMERAL_MODE": "false",
        "PREFECT_CLOUD_ENABLE_ORCHESTRATION_TELEMETRY": "false",
        "PREFECT_FLOWS_HEARTBEAT_FREQUENCY": str(HEARTBEAT_S),
        # a busy database is worth some tries; with the default of 5, a server that has ended costs a minute
        "PREFECT_CLIENT_MAX_RETRIES": "3",
        # runs report to the dashboard, and errors go to engine.log: Prefect prints nothing on the terminal
        "PREFECT_LOGGING_LEVEL": "INFO",
        "PREFECT_LOGGING_HANDLERS_CONSOLE_LEVEL": "CRITICAL",
        "PREFECT_INTERNAL_LOGGING_LEVEL": "CRITICAL",
        "PREFECT_CLI_PROMPT": "false",
        "DO_NOT_TRACK": "1",
    }


def prefect_environment(site_dir: Path, port: int, login: str) -> dict[str, str]:
    """Return the settings of a server of the site's own, and of its client."""
    home = prefect_home(site_dir)
    return (
        client_settings(site_dir, api_url(port), login)
        | {
            "PREFECT_API_DATABASE_CONNECTION_URL": f"sqlite+aiosqlite:///{database_file(site_dir)}",
            "PREFECT_SERVER_API_HOST": HOST,
            "PREFECT_SERVER_API_PORT": str(port),
            "PREFECT_SERVER_API_AUTH_STRING": login,
            "PREFECT_SERVER_API_CORS_ALLOWED_ORIGINS": ",".join(own_origins(port)),
            "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
            "PREFECT_SERVER_METRICS_ENABLED": "false",
            "PREFECT_SERVER_REGISTER_BLOCKS_ON_START": "false",
            "PREFECT_SERVER_UI_API_URL": api_url(port),
            "PREFECT_SERVER_UI_SHOW_PROMOTIONAL_CONTENT": "false",
            "PREFECT_SERVER_UI_STATIC_DIRECTORY": str(home / "ui"),
            # states of task runs are written together: each by itself, the server would take ten times as long
            "PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_BATCH_SIZE": "100",
            "PREFECT_SERVER_SERVICES_EVENT_PERSISTER_BATCH_SIZE": "100",
            # whole seconds: Prefect cuts off the rest, and at 0 its loop would keep a core busy
            "PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_FLUSH_INTERVAL": "1",
            "PREFECT_SERVER_LOGGING_LEVEL": "WARNING",
        }
        | {f"PREFECT_SERVER_SERVICES_{service}_ENABLED": "false" for service in NOT_NEEDED}
    )


def apply(site_dir: Path, port: int) -> str:
    """Put the settings of a server of the site's own into this process's environment. Return its login."""
    login = login_of(site_dir)
    put_in_force(site_dir, prefect_environment(site_dir.resolve(), port, login))
    return login


def put_in_force(site_dir: Path, settings: dict[str, str]) -> None:
    """Put settings into this process's environment, and make the private home.

    Settings of another Prefect in the environment are put aside: a key or address of another server is not for this one.
    """
    (state_folder(site_dir) / "prefect").mkdir(mode=0o700, exist_ok=True)
    for name in others():
        del os.environ[name]
    os.environ.update(settings)
    if "prefect" in sys.modules:  # then it has read the environment already
        from prefect.context import refresh_global_settings_context

        refresh_global_settings_context()


def others() -> list[str]:
    """Return the names of all settings of Prefect in the environment."""
    return [name for name in os.environ if name.startswith(PREFIX)]
