"""What takes long to work out and is the same each time, kept from one command to the next beside the byte code, and trusted as that is.

Each value belongs to a state of what it comes from, and to the sources of this package. It is worked out anew for any other, and where its
file is damaged or cannot be written.
"""

from __future__ import annotations

import hashlib
import pickle
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TypeVar

SOURCES = Path(__file__).parents[1]
FOLDER = SOURCES / "__pycache__" / "kept"

T = TypeVar("T")


def kept(name: str, state: Iterable[object], make: Callable[[], T], folder: Path = FOLDER) -> T:
    """Return a value that was kept by this name for this state, or make it and keep it instead of an earlier one."""
    key = hashlib.sha256(repr((sys.version, _sources(), *state)).encode()).digest()
    file = folder / f"{name}.pickle"
    with suppress(OSError):
        content = file.read_bytes()
        value = content[2 * len(key) :]
        if content.startswith(key + hashlib.sha256(value).digest()):
            return pickle.loads(value)  # type: ignore[no-any-return]  # noqa: S301  who can write there can write code
    made = make()
    value = pickle.dumps(made, protocol=pickle.HIGHEST_PROTOCOL)
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        file.write_bytes(key + hashlib.sha256(value).digest() + value)  # what was written in part has another digest
    return made


@cache
def _sources() -> str:
    """Return what tells this state of the package's sources from any other: their names, sizes and times of change."""
    found = hashlib.sha256(str(SOURCES).encode())
    for path in sorted(SOURCES.rglob("*.py")):
        seen = path.stat()
        found.update(f"{path.relative_to(SOURCES)} {seen.st_size} {seen.st_mtime_ns}\n".encode())
    return found.hexdigest()
