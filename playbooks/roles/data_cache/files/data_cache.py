#!/usr/bin/python3
"""Mounts data sets that are cached on this host's own drive: `data-cache FOLDER PATH COMMAND...`. COMMAND mounts PATH, with a cache in FOLDER.

Once the drive does not take what is written, PATH is mounted anew without the cache: readers go on, past the drive, and PAST says why. Files that
are open keep the earlier mount. The cache is used again when the service is restarted. Where it did not end well, as in a loss of power, it begins
empty: what is known of a file may have reached the drive before the file did.
"""

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

PAST = Path("/run/data-cache/past")
USED = "used"
"""While a cache is used, a file of this name is in its folder."""
PIECE = 1 << 20
LOOK_S = 5
END_S = 30
SILENT_S = 20


def write(folder: Path) -> None:
    """Write a file to the drive, and remove it."""
    file = folder / ".look"
    try:
        with file.open("wb") as opened:
            opened.write(bytes(PIECE))
            opened.flush()
            os.fsync(opened.fileno())
    finally:
        with suppress(OSError):
            file.unlink()


def trouble(folder: Path) -> str:
    """Return why the drive does not take a file, or nothing."""
    found = [f"{folder}: no answer in {SILENT_S} s"]

    def look() -> None:
        try:
            write(folder)
            found[0] = ""
        except OSError as error:
            found[0] = f"{folder}: {error.strerror}"

    # a drive that hangs holds up this thread alone
    looking = threading.Thread(target=look, daemon=True)
    looking.start()
    looking.join(SILENT_S)
    return found[0]


def mount(command: "list[str]", path: Path, past: str) -> "subprocess.Popen[bytes]":
    """Return the process that mounts it, once it is mounted or has ended."""
    settings = {**os.environ, "RCLONE_VFS_CACHE_MODE": "off" if past else "full"}
    # an earlier mount that ends would say to systemd that the service stops
    settings.pop("NOTIFY_SOCKET", None)
    process = subprocess.Popen(command, env=settings)
    while process.poll() is None and not path.is_mount():
        time.sleep(0.1)
    if past:
        PAST.write_text(f"{past}\n")
        print(f"reads past the cache: {past}", file=sys.stderr, flush=True)
    return process


def begin(folder: Path) -> None:
    """Empty the cache, unless its last use ended well."""
    with suppress(OSError):
        if (folder / USED).exists():
            for part in ("vfs", "vfsMeta"):
                shutil.rmtree(folder / part, ignore_errors=True)
        (folder / USED).touch()


def end(folder: Path, path: Path, process: "subprocess.Popen[bytes]", past: str) -> None:
    """Unmount it. Unless the drive was passed by, what was cached is on it then."""
    leave(path)
    process.terminate()
    with suppress(OSError, subprocess.SubprocessError):
        process.wait(END_S)
        if not past:
            subprocess.run(["sync", "--file-system", folder], check=True)
            (folder / USED).unlink()


def leave(path: Path) -> None:
    """Take the mount away. Files that are open keep it."""
    subprocess.run(["fusermount3", "-uz", path], check=False)


def main() -> None:
    """Mount it, and look at the drive again and again."""
    folder, path, command = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    past = trouble(folder)
    begin(folder)
    process = mount(command, path, past)
    try:
        subprocess.run(["systemd-notify", "--ready"], check=False)
        while process.poll() is None:
            time.sleep(LOOK_S)
            if not past and (past := trouble(folder)):
                leave(path)
                process = mount(command, path, past)
        sys.exit(f"{command[0]} ended with {process.returncode}")
    finally:
        end(folder, path, process, past)


if __name__ == "__main__":
    main()
