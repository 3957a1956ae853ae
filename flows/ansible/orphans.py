"""Processes that an engine left behind: seen to be dead, or ended."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import psutil

PATIENCE_S = 3.0


def boot_id() -> str:
    """Give this boot of this machine: a process of another boot cannot be alive."""
    return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()


def members(pgid: int, run: str) -> list[psutil.Process]:
    """Give the living processes of a run: those that name or are in its folder, and all of their groups and sessions.

    A group's number may have been given to another since; ours works in the run's folder, or names it in its command
    line or environment: Ansible's workers leave group and session, and what they started may outlive them all.
    """
    alive = [p for p in psutil.process_iter() if _is_alive(p)]
    marked = [p for p in alive if any(f"/runs/{run}{end}" in _words(p) for end in (" ", "/"))]
    groups = {_ids(p) for p in marked} - {None}
    sessions = {ids[1] for ids in groups if ids} - {os.getsid(0)}
    numbers = {ids[0] for ids in groups if ids} & {pgid}
    return [p for p in alive if (ids := _ids(p)) and (ids[0] in numbers or ids[1] in sessions or p in marked)]


def end_group(pgid: int, run: str) -> bool:
    """End what is left of a run; give whether anything was."""
    left = members(pgid, run)
    if not left:
        return False
    for process in left:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.terminate()
    _, stubborn = psutil.wait_procs(left, PATIENCE_S)
    for process in stubborn:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()
    psutil.wait_procs(stubborn, PATIENCE_S)
    return True


def _is_alive(process: psutil.Process) -> bool:
    try:
        return bool(process.pid != os.getpid() and process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def _ids(process: psutil.Process) -> tuple[int, int] | None:
    try:
        return os.getpgid(process.pid), os.getsid(process.pid)
    except ProcessLookupError:
        return None


def _words(process: psutil.Process) -> str:
    """Give command line, environment and folder; those of another person's process are not ours to read."""
    words: list[str] = []
    for read in (process.cmdline, lambda: process.environ().values(), lambda: [process.cwd()]):
        with contextlib.suppress(psutil.NoSuchProcess, psutil.AccessDenied):
            words += read()
    return " ".join(words) + " "
