"""Where this account keeps what it knows of sites by itself. Who writes a site's folder cannot change it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path


def account_state(environment: Mapping[str, str] = os.environ) -> Path:
    """Return the folder of this account's own state."""
    home = Path(environment.get("HOME", "~")).expanduser()
    states = Path(environment.get("XDG_STATE_HOME") or home / ".local" / "state")
    return states / "clusterwright"
