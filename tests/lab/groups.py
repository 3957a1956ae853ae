"""Control groups: what a host's processes are counted in, so that all of them are paused, or ended, at once."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

ROOT = "clusterwright-lab"
PATIENCE_S = 60
"""A database that is ended gives back its memory first, which took half a minute on a busy machine."""


def _mounted(kind: str, option: str = "") -> Path | None:
    for line in Path("/proc/self/mounts").read_text(encoding="utf-8").splitlines():
        _, where, fstype, options, *_ = line.split()
        if fstype == kind and option in options:
            return Path(where)
    return None


def has_groups() -> bool:
    """Say whether the kernel has control groups of version 2, with or without controllers."""
    return _mounted("cgroup2") is not None


def controllers() -> set[str]:
    """Return the resources that control groups of version 2 can limit on this machine."""
    root = _mounted("cgroup2")
    return set((root / "cgroup.controllers").read_text(encoding="utf-8").split()) if root else set()


def group(*names: str) -> Path:
    """Return a control group's folder. It is made if it is not there."""
    root = _mounted("cgroup2")
    assert root, "no cgroup2 file system is mounted"
    path = root.joinpath(ROOT, *names)
    path.mkdir(parents=True, exist_ok=True)
    return path


def is_populated(path: Path) -> bool:
    """Say whether a group or one below it has processes."""
    return "populated 1" in (path / "cgroup.events").read_text(encoding="utf-8")


def freeze(path: Path, *, frozen: bool) -> None:
    """Stop every process of a group where it stands, or let all go on; come back when it is so."""
    (path / "cgroup.freeze").write_text("1" if frozen else "0", encoding="utf-8")
    _wait(lambda: is_frozen(path) == frozen, f"processes of {path} do not stop or go on")


def is_frozen(path: Path) -> bool:
    """Say whether a group is stopped."""
    return "frozen 1" in (path / "cgroup.events").read_text(encoding="utf-8")


def kill(path: Path) -> None:
    """End every process of a group, as a power cut would."""
    (path / "cgroup.kill").write_text("1", encoding="utf-8")
    _wait(lambda: not is_populated(path), f"processes of {path} do not end")


def _wait(is_so: Callable[[], bool], complaint: str) -> None:
    until = time.monotonic() + PATIENCE_S
    while not is_so():
        if time.monotonic() > until:
            raise SystemExit(complaint)
        time.sleep(0.02)


def folders() -> list[str]:
    """Return every control group of every lab, and its copies in other hierarchies."""
    roots = [root / ROOT for root in (_mounted("cgroup2"), _mounted("cgroup", "name=systemd")) if root]
    return sorted(str(path) for root in roots if root.exists() for path in (root, *root.rglob("*")) if path.is_dir())


def remove(*names: str) -> None:
    """Take a group away with all below it, and what systemd-nspawn mirrored of it in a version 1 tree."""
    for root in (_mounted("cgroup2"), _mounted("cgroup", "name=systemd")):
        path = root.joinpath(ROOT, *names) if root else None
        if path and path.exists():
            for folder in sorted((p for p in path.rglob("*") if p.is_dir()), reverse=True):
                folder.rmdir()
            path.rmdir()
            if not any(p.is_dir() for p in path.parent.iterdir()) and path.parent.name == ROOT:
                path.parent.rmdir()
