"""A control group for each run: a process cannot leave it, whatever it does with its environment, session and parents.

It needs control groups of version 2 and the right to make one below our own. Root has it, and so has a user in a unit of systemd
with `Delegate=yes`. Without it a run's processes are found by its folder, group and session alone.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

MOUNTS = Path("/proc/self/mounts")
PREFIX = "clusterwright-"
PATIENCE_S = 3.0
LOOK_S = 0.02
MARK_CHARACTERS = 12


def group_name(work_dir: Path) -> str:
    """Return the name of a run's group. It has a mark of the whole path: two sites may have runs of one name."""
    mark = hashlib.sha256(os.fsencode(work_dir.resolve())).hexdigest()[:MARK_CHARACTERS]
    return f"{PREFIX}{work_dir.name}-{mark}"


@contextlib.contextmanager
def own_group(work_dir: Path) -> Iterator[Path | None]:
    """Make a run's group, and end and remove it after the run. None where the kernel does not let us."""
    group = _made(group_name(work_dir))
    try:
        yield group
    finally:
        if group is not None:
            end(group)


def join(group: Path | None, pid: int) -> None:
    """Put a process into a group, before it starts others. Nothing happens where there is no group, or the process has ended."""
    if group is not None:
        with contextlib.suppress(OSError):
            (group / "cgroup.procs").write_text(str(pid), encoding="ascii")


def group_of(work_dir: Path) -> Path | None:
    """Return the group of a run wherever an engine made it. None where there is none."""
    top, name = _mounted(), group_name(work_dir)
    if top is None:
        return None
    return next((Path(here) / name for here, inside, _ in os.walk(top) if name in inside), None)


def processes(group: Path) -> set[int]:
    """Return the processes of a group and of those below it."""
    found: set[int] = set()
    for one in _with_those_below(group):
        with contextlib.suppress(OSError):
            found.update(map(int, (one / "cgroup.procs").read_text(encoding="ascii").split()))
    return found


def end(group: Path) -> bool:
    """Kill every process of a group, and remove it. Return whether nothing of it is left."""
    until = time.monotonic() + PATIENCE_S
    while not _removed(group) and time.monotonic() < until:
        _kill(group)
        time.sleep(LOOK_S)
    return _removed(group)


def _removed(group: Path) -> bool:
    """Remove a group, and return whether it is gone. One with a process is kept, and so is one whose last process is still ending."""
    with contextlib.suppress(OSError):
        for one in _with_those_below(group):
            one.rmdir()
    return not group.exists()


def why_none() -> str:
    """Return why runs here have no groups of their own. Empty where they have: a process was put into one, and ended by it."""
    own = _own()
    if own is None:
        return "no control groups of version 2 are mounted here"
    group = _made(f"{PREFIX}trial-{os.getpid()}")
    if group is None:
        return f"this user may make no control group in {own}"
    sleeper = subprocess.Popen(["sleep", "60"])
    try:
        join(group, sleeper.pid)
        is_in = sleeper.pid in processes(group)
    finally:
        end(group)
        sleeper.kill()
        sleeper.wait()
    return "" if is_in else f"this user may move no process into a control group of {own}"


def _made(name: str) -> Path | None:
    own = _own()
    if own is None:
        return None
    group = own / name
    try:
        group.mkdir()
    except OSError:
        return None
    return group


def _own() -> Path | None:
    """Return the folder of the group in which this process is. None where it is not to be seen."""
    top = _mounted()
    lines = Path("/proc/self/cgroup").read_text(encoding="utf-8").splitlines()
    ours = next((line.removeprefix("0::") for line in lines if line.startswith("0::")), None)
    if top is None or ours is None:
        return None
    own = top / ours.strip("/")
    return own if (own / "cgroup.procs").exists() else None


def _mounted() -> Path | None:
    for line in MOUNTS.read_text(encoding="utf-8").splitlines():
        _, where, kind, *_ = line.split()
        if kind == "cgroup2":
            return Path(where)
    return None


def _kill(group: Path) -> None:
    """Kill all at once, so that nobody can start another one meanwhile; one by one where the kernel is older than 5.14."""
    switch = group / "cgroup.kill"
    if switch.exists():
        with contextlib.suppress(OSError):
            switch.write_text("1", encoding="ascii")
        return
    for pid in processes(group):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)


def _with_those_below(group: Path) -> list[Path]:
    """Return a group and those below it, the lowest first."""
    return [Path(here) for here, _, _ in os.walk(group, topdown=False)]
