"""Loses files and folders of the shared file system, restores them in their place from the newest scheduled copy, and compares both.

What is lost is moved aside on the same file system, and put back at the end, whatever the copy was worth. What is as old as the copy must
come back bit for bit, with its owner, rights and time. Arguments: the file of restic's settings, the agreed hours of data that may be lost,
and what is lost. Prints what was seen; `failed` says in words why it did not come back.
"""

import json
import os
import re
import shutil
import stat
import sys
import time
from pathlib import Path
from typing import NamedTuple

from backup_restore import environment, newest, restic

BLOCK = 1 << 20
NAMED = 3


class Lost(NamedTuple):
    """A file or folder that is lost: where it was, and where it is kept meanwhile."""

    path: Path
    kept: Path


def main() -> None:
    """Lose, restore, report."""
    settings, hours, *paths = sys.argv[1:]
    print(json.dumps(lost_and_restored(Path(settings), float(hours), [Path(path) for path in paths])))


def lost_and_restored(settings: Path, hours: float, paths: list[Path]) -> dict:
    """Return what was seen."""
    for path in paths:
        put_back(path)  # of a drill that was interrupted
    if why := unfit(settings, paths):
        return {"failed": why}
    env = environment(settings)
    copy, age_h = newest(env)
    if not copy:
        return {"failed": "there is no scheduled copy, or the repository cannot be read"}
    seen = {"copy": copy[:8], "age_h": round(age_h, 4)}
    if age_h > hours:
        return seen | {"failed": f"copy {copy[:8]} is the newest, and {age_h:.1f} h old where {hours:g} h were agreed"}
    lost, newer = as_old_as(time.time() - age_h * 3600, paths)
    if not lost:
        return seen | {"failed": f"nothing of {listed(paths)} is as old as copy {copy[:8]}"}
    return seen | {"newer": newer} | restored(env, copy, paths, lost)


def unfit(settings: Path, paths: list[Path]) -> str:
    """Return why nothing is lost, or an empty text."""
    if missing := [path for path in (settings, *paths) if not path.exists()]:
        return f"{listed(missing)} is not there: step 138 makes it"
    if mounts := [path for path in paths if path.is_mount()]:
        return f"{listed(mounts)} is a mount: name what is in it"
    return ""


def listed(paths: list[Path]) -> str:
    """Return some paths by name, and how many there are besides."""
    more = f" and {len(paths) - NAMED} more" if len(paths) > NAMED else ""
    return ", ".join(str(path) for path in paths[:NAMED]) + more


def aside(path: Path) -> Path:
    """Return where something is kept while it is lost: outside of what is restored, on the same file system."""
    return path.with_name(f".{path.name}.before-drill")


def put_back(path: Path) -> None:
    """Put what was moved aside in its place, instead of what was restored there."""
    kept = aside(path)
    if not os.path.lexists(kept):
        return
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
    kept.rename(path)


def as_old_as(made: float, paths: list[Path]) -> tuple[list[Lost], int]:
    """Return what has not changed since a copy was made, and how much else there is."""
    lost, newer = [], 0
    for path in paths:
        for entry in (path, *sorted(path.rglob("*"))):
            # a drill before this one has moved the path itself, which changes no more than its ctime
            status = entry.lstat()
            if (status.st_mtime if entry == path else status.st_ctime) <= made:
                lost.append(Lost(entry, aside(path) / entry.relative_to(path)))
            else:
                newer += 1
    return lost, newer


def restored(env: dict, copy: str, paths: list[Path], lost: list[Lost]) -> dict:
    """Lose it and restore it. Return how long it took, and what of it came back."""
    # restic takes what is included for a pattern
    wanted = [word for path in paths for word in ("--include", re.sub(r"([*?\[\\])", r"\\\1", str(path)))]
    for path in paths:
        path.rename(aside(path))
    try:
        began = time.monotonic()
        ran = restic(env, "restore", copy, *wanted, "--target", "/")
        os.sync()
        seconds = time.monotonic() - began
        wrong = [f"{one.path} {how}" for one in lost if (how := difference(one))]
        files = [one.kept for one in lost if one.kept.is_file() and not one.kept.is_symlink()]
        seen = {
            "restore_s": round(seconds, 1),
            "files": len(files),
            "mb": round(sum(f.stat().st_size for f in files) / 1e6, 1),
        }
    finally:
        for path in paths:
            put_back(path)
    if wrong:
        complaint = "".join(f"; restic: {line[:200]}" for line in ran.stderr.strip().splitlines()[-1:])
        return seen | {
            "failed": f"{len(wrong)} of {len(lost)} did not come back: {', '.join(wrong[:NAMED])}{complaint}"
        }
    return seen


def difference(lost: Lost) -> str:
    """Return how what came back differs from what was lost, or an empty text."""
    if not os.path.lexists(lost.path):
        return "is not there"
    was, now = lost.kept.lstat(), lost.path.lstat()
    if stat.S_IFMT(was.st_mode) != stat.S_IFMT(now.st_mode):
        return "is of another kind"
    if lost.kept.is_symlink():
        return "" if lost.kept.readlink() == lost.path.readlink() else "leads elsewhere"
    if lost.kept.is_file() and not same_bytes(lost.kept, lost.path):
        return "has other bytes"
    told = [(s.st_mode, s.st_uid, s.st_gid, int(s.st_mtime)) for s in (was, now)]
    return "" if told[0] == told[1] else "has another owner, other rights or another time"


def same_bytes(one: Path, other: Path) -> bool:
    """Return whether two files have the same bytes."""
    with one.open("rb") as first, other.open("rb") as second:
        while (piece := first.read(BLOCK)) == second.read(BLOCK):
            if not piece:
                return True
    return False


if __name__ == "__main__":
    main()
