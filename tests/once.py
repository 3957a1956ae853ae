"""Folders that are slow to make: made once in a run of the tests, by whichever worker asks first, and copied by each test."""

from __future__ import annotations

import fcntl
from collections.abc import Callable
from pathlib import Path

Make = Callable[[Path], object]
Once = Callable[[str, Make], Path]


def made_once(shared: Path, name: str, make: Make) -> Path:
    """Return the folder of this name. `make` gets its path if no worker has made it yet.

    `shared` is the temporary folder of all workers that share it. The folder that is returned is only to be read or copied.
    """
    folder = shared / f"once-{name}"
    with (shared / f"once-{name}.lock").open("w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            making = shared / f"once-{name}.making"
            make(making)
            making.rename(folder)
    return folder
