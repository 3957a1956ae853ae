"""A dashboard whose database is there already. Prefect's server takes half of its first start to make it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from unittest.mock import patch

from flows.dashboard.server import PrefectServer
from flows.engine.state_folder import state_folder
from tests.once import Once
from tests.ports import free_port

HOME = "prefect"


def give_dashboard(site: Path, once: Once) -> Path:
    """Let a site have a dashboard that was started before and shows nothing. Return the site."""
    home = state_folder(site) / HOME
    shutil.copytree(state_folder(once("dashboard", _started)) / HOME, home, dirs_exist_ok=True)
    return site


def _started(folder: Path) -> None:
    """Start a server in a folder and stop it. This process's own settings of Prefect stay as they are."""
    folder.mkdir()
    with patch.dict(os.environ), PrefectServer(folder, free_port(), lambda _: None):
        pass
