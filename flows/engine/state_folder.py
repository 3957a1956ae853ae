"""The folder beside the ledger where the engine keeps what may be lost, and its logs. Only its user may read them."""

from __future__ import annotations

from pathlib import Path

PRIVATE = 0o700
STATE = ".clusterwright"


def state_folder(site_dir: Path) -> Path:
    """Return the folder of what may be lost. Make it, and make it private where it is not."""
    folder = site_dir / STATE
    folder.mkdir(mode=PRIVATE, exist_ok=True)
    if folder.stat().st_mode & 0o077:
        folder.chmod(PRIVATE)
    return folder


def log_folder(site_dir: Path) -> Path:
    """Return the folder of the server's and the engine's log."""
    folder = state_folder(site_dir) / "log"
    folder.mkdir(mode=PRIVATE, exist_ok=True)
    return folder
