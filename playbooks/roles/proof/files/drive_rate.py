"""Measures how fast this host writes to and reads from each folder in a folder, past every cache, and prints the slower of the two in GB/s.

Argument: the folder. What is written is removed. Of several tries the fastest counts: the drive is measured, not who shares it.
"""

import json
import mmap
import os
import sys
import time
from pathlib import Path

PIECE = 4 << 20
PIECES = 32
TRIES = 3


def write(path: Path, piece: mmap.mmap) -> None:
    """Write a file past the cache."""
    handle = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_DIRECT, 0o600)
    try:
        for _ in range(PIECES):
            os.write(handle, piece)
        os.fsync(handle)
    finally:
        os.close(handle)


def read(path: Path, piece: mmap.mmap) -> None:
    """Read a file past the cache."""
    handle = os.open(path, os.O_RDONLY | os.O_DIRECT)
    try:
        while os.readv(handle, [piece]):
            pass
    finally:
        os.close(handle)


def rate(folder: Path) -> float:
    """Return the GB/s of a folder: of writing or of reading, whichever is slower."""
    path, piece = folder / ".drive-rate", mmap.mmap(-1, PIECE)
    piece.write(os.urandom(PIECE))
    seconds: dict = {write: [], read: []}
    try:
        for _ in range(TRIES):
            for way, taken in seconds.items():
                began = time.monotonic()
                way(path, piece)
                taken.append(time.monotonic() - began)
    finally:
        path.unlink(missing_ok=True)
    return PIECE * PIECES / max(min(taken) for taken in seconds.values()) / 1e9


def main() -> None:
    """Measure every folder, one after the other."""
    print(json.dumps({folder.name: round(rate(folder), 4) for folder in sorted(Path(sys.argv[1]).iterdir())}))


if __name__ == "__main__":
    main()
