"""Puts what a failing disk would do into one copy of a file, behind GlusterFS's back; or takes that copy away, and waits for a good one.

Arguments: damage BRICK FOLDER SECONDS, or repair BRICK PATH SECONDS VOLUME SUMS; SUMS are lines of sha256sum. Prints one JSON document.
"""

import hashlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path

SIGNATURE = "trusted.bit-rot.signature"


def unsigned(folder: Path) -> "list[str]":
    """Return the files without a signature."""
    return [file.name for file in sorted(folder.iterdir()) if SIGNATURE not in os.listxattr(file)]


def damage(brick: Path, name: str, seconds: float) -> dict:
    """Wait until all files are signed, or no longer; then write other bytes into the first."""
    folder, end = brick / name, time.monotonic() + seconds
    while (left := unsigned(folder)) and time.monotonic() < end:
        time.sleep(1)
    file = min(folder.iterdir())
    subprocess.run(
        ["dd", "if=/dev/urandom", f"of={file}", "bs=512", "seek=8", "count=1", "conv=notrunc", "status=none"],
        check=True,
    )
    return {"brick": str(brick), "path": f"/{name}/{file.name}", "unsigned": len(left)}


def repair(brick: Path, path: str, seconds: float, volume: str, sums: str) -> dict:
    """Take the copy and its second name away. Say whether a copy with the right bytes came back in time."""
    file = brick / path.lstrip("/")
    known = dict(reversed(line.split()) for line in sums.splitlines())
    number = os.getxattr(file, "trusted.gfid").hex()
    second = "-".join((number[:8], number[8:12], number[12:16], number[16:20], number[20:]))
    file.unlink()
    (brick / ".glusterfs" / number[:2] / number[2:4] / second).unlink()
    subprocess.run(["gluster", "--mode=script", "volume", "heal", volume, "full"], capture_output=True, check=False)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        time.sleep(1)
        if file.exists() and hashlib.sha256(file.read_bytes()).hexdigest() == known[file.name]:
            return {"repaired": True}
    return {"repaired": False}


def main() -> None:
    """Damage, or repair."""
    verb, brick, *rest = sys.argv[1:]
    if verb == "damage":
        print(json.dumps(damage(Path(brick), rest[0], float(rest[1]))))
    else:
        print(json.dumps(repair(Path(brick), rest[0], float(rest[1]), *rest[2:])))


if __name__ == "__main__":
    main()
