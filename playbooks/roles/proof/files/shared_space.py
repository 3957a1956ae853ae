"""Proves the room of the shared file system, and that a folder with a limit is refused more.

Arguments: where it is mounted, and a folder in it whose limit is the number of bytes that follows. What is written is removed.
"""

import errno
import json
import os
import sys
import time
from pathlib import Path

PIECE = 1 << 20
BEYOND = 4
"""How many times its limit is written at most."""


def capacity(path: Path) -> tuple:
    """Return the capacity in PB."""
    if path.stat().st_dev == Path("/").stat().st_dev:
        return None, f"{path} is a folder of this host's own disk"
    found = os.statvfs(path)
    size = found.f_blocks * found.f_frsize
    return size / 1e15, f"{size / 1e9:,.2f} GB in {path}"


def refused(folder: Path, limit: int) -> tuple:
    """Write until it is refused. Return whether it was for the limit."""
    written = 0
    try:
        while written < limit * BEYOND:
            with (folder / f"{written:012}").open("wb") as file:
                file.write(bytes(PIECE))
                file.flush()
                os.fsync(file.fileno())
            written += PIECE
            # limits are looked at every few seconds
            time.sleep(0.2)
    except OSError as error:
        note = f"refused after {written / 1e6:.0f} MB of {limit / 1e6:.0f}: {error.strerror}"
        return True if error.errno == errno.EDQUOT else None, note
    finally:
        for path in folder.iterdir():
            path.unlink()
    return False, f"{written / 1e6:.0f} MB were written to a folder of {limit / 1e6:.0f}"


def main() -> None:
    """Look and try."""
    path, folder, limit = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
    found = {"filesystem.capacity_pb": capacity(path), "filesystem.quota_enforced": refused(folder, limit)}
    print(json.dumps({name: {"value": value, "note": note} for name, (value, note) in found.items()}))


if __name__ == "__main__":
    main()
