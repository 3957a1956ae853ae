"""numba, with a place for the machine code that it keeps: one for each state of the sources.

numba looks whether the file of a kept function has changed, and not whether what it calls has. After an upgrade it would run
old code, or fail where a module is gone. So all that it keeps belongs to the whole of the sources, and goes with them.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

import numba
from numba import config

__all__ = ["numba"]

SOURCES = Path(__file__).parent
NAME = "machine-code-"


def state_of(sources: Path) -> str:
    """Return what tells this state of some sources from any other: their names, sizes and times of change."""
    found = hashlib.sha256()
    for path in sorted(sources.rglob("*.py")):
        seen = path.stat()
        found.update(f"{path.relative_to(sources)} {seen.st_size} {seen.st_mtime_ns}\n".encode())
    return found.hexdigest()[:16]


def place_for(sources: Path, places: Iterable[Path]) -> Path | None:
    """Make the folder for the code of this state of the sources in the first place that can be written; None if none can.

    What was kept there of earlier states is removed.
    """
    name = f"{NAME}{state_of(sources)}"
    for place in places:
        with suppress(OSError):
            (place / name).mkdir(parents=True, exist_ok=True)
            for old in place.glob(f"{NAME}*"):
                if old.name != name:
                    shutil.rmtree(old, ignore_errors=True)
            return place / name
    return None


def _places() -> Iterator[Path]:
    """Yield where the code may be kept: beside the sources, or where those cannot be written, with the user's own files."""
    yield SOURCES / "__pycache__"
    with suppress(RuntimeError):  # an account without a home
        yield Path.home() / ".cache" / "clusterwright"


def is_kept() -> bool:
    """Return whether the machine code of levelling is kept yet: without, the first plan on a machine takes about a minute longer."""
    return _place is not None and any(_place.rglob("serial.serial-*.nbi"))


_place = place_for(SOURCES, _places())
if _place is not None:
    vars(config)["CACHE_DIR"] = str(_place)  # numba sets its configuration so itself
