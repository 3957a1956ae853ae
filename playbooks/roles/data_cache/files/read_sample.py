"""Reads a sample through the cache, and prints what was found as one JSON document. Arguments begin with a verb.

`read PATH SOURCE SECONDS FOLDER`         read SOURCE's files at PATH as they come, again with nothing of them in memory, and again to compare
                                          them with the digests on the standard input; the cache is in FOLDER
`change FILE DIGEST SECONDS FOLDER LIMIT` read FILE until it has this digest, and wait until the cache takes no more than its limit

Each waits for so many seconds.
"""

import hashlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

PAST = Path("/run/data-cache/past")
PIECE = 1 << 20
CLEANED_S = 30
CONTROL_GROUPS = Path("/sys/fs/cgroup")


def pieces(file: Path) -> "Iterator[memoryview]":
    """Yield a file's bytes."""
    piece = memoryview(bytearray(PIECE))
    with file.open("rb", buffering=0) as opened:
        while length := opened.readinto(piece):
            yield piece[:length]


def digest(file: Path) -> str:
    """Return a file's digest."""
    found = hashlib.sha256()
    for piece in pieces(file):
        found.update(piece)
    return found.hexdigest()


def length(file: Path) -> int:
    """Read a file, and return its length."""
    return sum(map(len, pieces(file)))


def forget(file: Path) -> None:
    """Have the kernel keep nothing of a file in memory."""
    with file.open("rb") as opened:
        os.fsync(opened.fileno())
        os.posix_fadvise(opened.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def from_drives() -> int:
    """Return the bytes that drives have read for the cache's processes."""
    show = ["systemctl", "show", "--property=ControlGroup", "--value", "data-cache"]
    group = subprocess.run(show, capture_output=True, text=True, check=True).stdout.strip()
    total = 0
    for process in (CONTROL_GROUPS / group.strip("/") / "cgroup.procs").read_text().split():
        counts = dict(line.split(": ") for line in Path(f"/proc/{process}/io").read_text().splitlines())
        total += int(counts["read_bytes"])
    return total


def received() -> int:
    """Return the bytes that have come in by this host's ports."""
    total = 0
    for line in Path("/proc/net/dev").read_text().splitlines()[2:]:
        port, _, counts = line.partition(":")
        if port.strip() != "lo":
            total += int(counts.split()[0])
    for count in Path("/sys/class/infiniband").glob("*/ports/*/counters/port_rcv_data"):
        # it counts words of four bytes
        total += 4 * int(count.read_text())
    return total


def kept(folder: Path) -> int:
    """Return the bytes that the cache takes on its drive."""
    return int(subprocess.run(["du", "-s", "-B1", folder], capture_output=True, check=False).stdout.split()[0])


def same(one: Path, other: Path) -> bool:
    """Return whether two files are there, with the same size and time."""
    try:
        a, b = one.stat(), other.stat()
    except OSError:
        return False
    return (a.st_size, a.st_mtime_ns) == (b.st_size, b.st_mtime_ns)


def read(path: Path, source: Path, seconds: float, folder: Path) -> dict:
    """Read a sample three times."""
    sums = {name: one for one, name in (line.split() for line in sys.stdin.read().splitlines())}
    end = time.monotonic() + seconds
    while unknown := [name for name in sums if not same(path / name, source / name)]:
        if time.monotonic() > end:
            return {
                "error": f"{unknown[0]}, {seconds:.0f} s after it was written, is not in {path} as it is in {source}"
            }
        time.sleep(0.5)
    mounted = [path / name for name in sums]
    with ThreadPoolExecutor(len(sums)) as pool:
        began, came = time.monotonic(), received()
        first = list(pool.map(digest, mounted))
        found = {"first_s": time.monotonic() - began, "first_received": received() - came}
        copies = [file for name in sums for file in folder.rglob(name)]
        for file in (*copies, *mounted, *(source / name for name in sums)):
            forget(file)
        began, came, drives = time.monotonic(), received(), from_drives()
        found["bytes"] = sum(pool.map(length, mounted))
        found |= {"seconds": time.monotonic() - began, "received": received() - came, "drives": from_drives() - drives}
        again = list(pool.map(digest, mounted))
    sides = zip(sums, first, again)  # noqa: B905  # hosts with Python 3.9
    found["wrong"] = [name for name, *both in sides if {*both} != {sums[name]}]
    return found | {"past": PAST.read_text().strip() if PAST.exists() else ""}


def change(file: Path, now: str, seconds: float, folder: Path, limit: int) -> dict:
    """Wait for a change, then for the cache's limit."""
    began = time.monotonic()
    while not (seen := digest(file) == now) and time.monotonic() < began + seconds:
        time.sleep(0.5)
    after_s = time.monotonic() - began
    while kept(folder) > limit and time.monotonic() < began + after_s + CLEANED_S:
        time.sleep(1)
    return {"seen": seen, "after_s": after_s, "kept": kept(folder)}


def main() -> None:
    """Do what the first word says."""
    verb, first, second, seconds, folder, *limit = sys.argv[1:]
    if verb == "read":
        found = read(Path(first), Path(second), float(seconds), Path(folder))
    else:
        found = change(Path(first), second, float(seconds), Path(folder), int(limit[0]))
    print(json.dumps(found))


if __name__ == "__main__":
    main()
