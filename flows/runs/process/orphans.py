"""Processes that an engine left behind: whether there are any, and ending them."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import NamedTuple

import psutil

from flows.runs.bundle.copy import remove
from flows.runs.process.control_groups import end, group_of, processes
from ledger.machine_processes import is_alive

PATIENCE_S = 3.0


class _Ids(NamedTuple):
    group: int
    session: int


def members(pgid: int, work_dir: Path) -> list[psutil.Process]:
    """Return the living processes of a run. `pgid` is its process group, `work_dir` its folder.

    Every process of the run's control group belongs to it, where the kernel let us make one. A process that works in the run's
    folder, or names it in its command line or environment, belongs to the run. So does every process of its session, and of its
    group where that group is `pgid`. The group's number alone proves nothing: the system may have given it to another process
    since. Ansible's workers leave their group and session, and what they started may outlive them all.
    """
    alive = [process for process in psutil.process_iter() if process.pid != os.getpid() and is_alive(process.pid)]
    group = group_of(work_dir)
    inside = processes(group) if group else set()
    marked = [process for process in alive if process.pid in inside or _names(process, work_dir.name)]
    theirs = [ids for ids in map(_ids, marked) if ids is not None]
    groups = {ids.group for ids in theirs} & {pgid}
    sessions = {ids.session for ids in theirs} - {os.getsid(0)}

    def belongs(process: psutil.Process) -> bool:
        ids = _ids(process)
        if ids is None:  # it has ended since
            return False
        return process in marked or ids.group in groups or ids.session in sessions

    return [process for process in alive if belongs(process)]


def end_group(pgid: int, work_dir: Path) -> bool:
    """End what is left of a run, and remove its control group and its folder. Return whether a process was left."""
    left = members(pgid, work_dir)
    _end(left)
    group = group_of(work_dir)
    if group is not None:
        end(group)
    remove(work_dir)
    return bool(left)


def _end(left: list[psutil.Process]) -> None:
    """Ask processes to end, and kill those that do not. Those of another account are left."""
    for process in left:
        with contextlib.suppress(psutil.Error):
            process.terminate()
    _, stubborn = psutil.wait_procs(left, PATIENCE_S)
    for process in stubborn:
        with contextlib.suppress(psutil.Error):
            process.kill()
    psutil.wait_procs(stubborn, PATIENCE_S)


def _ids(process: psutil.Process) -> _Ids | None:
    """Return a process's group and session. None where it has ended."""
    try:
        return _Ids(os.getpgid(process.pid), os.getsid(process.pid))
    except ProcessLookupError:
        return None


def _names(process: psutil.Process, run: str) -> bool:
    """Return whether a process names a run's folder. What another user's process names cannot be read."""
    try:
        seen = process.as_dict(["cmdline", "environ", "cwd"])
    except psutil.NoSuchProcess:
        return False
    words = (*(seen["cmdline"] or ()), *(seen["environ"] or {}).values(), seen["cwd"] or "")
    text = " ".join(words) + " "
    return any(f"/runs/{run}{end}" in text for end in (" ", "/"))
