"""Looks after the copies of a folder's files on the bricks of this server, behind GlusterFS's back. Prints one JSON document.

signed VOLUME FOLDER SECONDS MOST waits until all of them have a signature. It says which bricks are `left`, on which some have none, and whether
the daemon that signs is `at_work`. The daemon takes files in their turn, at a hundred kilobytes a second: a file may wait long behind others.
damage VOLUME FOLDER writes other bytes into one of them on each brick, as a failing disk would, and lists these.
take HARM takes damaged copies away, with their second names; HARM is what `damage` printed.
back HARM SECONDS SUMS waits for good copies, and lists those that did not come back; SUMS are lines of sha256sum.
"""

import hashlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path

SIGNATURE = "trusted.bit-rot.signature"
SIGNER = Path("/run/gluster/bitd/bitd.pid")
REST_S, LITTLE = 20, 1 << 16
"""The daemon that signs rests if it reads no more than so many bytes in so many seconds. While it signs it reads thirty times as much."""


def bricks(volume: str) -> "list[Path]":
    """Return the bricks that hold data; the names alone that other bricks keep are never signed."""
    return sorted(Path("/srv/bricks").glob(f"*/{volume}-*"))


def unsigned(brick: Path, folder: str) -> bool:
    """Say whether a brick has a file without a signature in this folder, or no file at all."""
    files = list((brick / folder).glob("*"))
    return not files or any(SIGNATURE not in os.listxattr(file) for file in files)


def signed(volume: str, folder: str, seconds: str, most: str) -> dict:
    """Wait for signatures on every brick. After some seconds only a daemon that is at work is waited for, and that until the most."""
    began = at_work = time.monotonic()
    left, read = bricks(volume), bytes_read()
    while left := [brick for brick in left if unsigned(brick, folder)]:
        now, now_read = time.monotonic(), bytes_read()
        # one that was started again meanwhile counts from zero
        if abs(now_read - read) > LITTLE:
            at_work, read = now, now_read
        rests = now - at_work > REST_S
        if now - began > float(seconds if rests else most):
            break
        time.sleep(1)
    return {"left": [str(brick) for brick in left], "at_work": time.monotonic() - at_work <= REST_S}


def bytes_read() -> int:
    """Return how many bytes the daemon that signs has read, 0 if it does not run."""
    try:
        return int(Path(f"/proc/{int(SIGNER.read_text())}/io").read_text().split()[1])
    except (OSError, ValueError):
        return 0


def damage(volume: str, folder: str) -> "list[dict]":
    """Write other bytes into one copy on each brick. Bricks that hold the same files get another one of them, so that one copy stays whole."""
    harm = []
    for brick in bricks(volume):
        choose = min if brick.name.endswith("-data") else max
        file = choose((brick / folder).iterdir())
        write = ["dd", "if=/dev/urandom", f"of={file}", "bs=512", "seek=8", "count=1", "conv=notrunc", "status=none"]
        subprocess.run(write, check=True)
        harm.append({"brick": str(brick), "path": f"/{folder}/{file.name}"})
    return harm


def copies(harm: str) -> "list[Path]":
    """Return where the damaged copies are."""
    return [Path(one["brick"] + one["path"]) for one in json.loads(harm)]


def take(harm: str) -> "list[str]":
    """Take copies away. As long as the second name of one is there, GlusterFS keeps it."""
    for one in json.loads(harm):
        file = Path(one["brick"] + one["path"])
        number = os.getxattr(file, "trusted.gfid").hex()
        second = "-".join((number[:8], number[8:12], number[12:16], number[16:20], number[20:]))
        file.unlink()
        (Path(one["brick"]) / ".glusterfs" / number[:2] / number[2:4] / second).unlink()
    return [str(file) for file in copies(harm)]


def back(harm: str, seconds: str, sums: str) -> "list[str]":
    """Wait until all have the right bytes again, or no longer."""
    known = dict(reversed(line.split()) for line in sums.splitlines())
    end, left = time.monotonic() + float(seconds), copies(harm)
    while (left := [file for file in left if not good(file, known)]) and time.monotonic() < end:
        time.sleep(1)
    return [str(file) for file in left]


def good(file: Path, known: "dict[str, str]") -> bool:
    """Say whether a copy is there and has the right bytes."""
    return file.exists() and hashlib.sha256(file.read_bytes()).hexdigest() == known[file.name]


def main() -> None:
    """Do what the first word says."""
    verb, *rest = sys.argv[1:]
    print(json.dumps({"signed": signed, "damage": damage, "take": take, "back": back}[verb](*rest)))


if __name__ == "__main__":
    main()
