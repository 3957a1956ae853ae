"""Process groups that an engine left behind: seen to be dead, or ended."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import psutil

PATIENCE_S = 3.0


def boot_id() -> str:
    """Give this boot of this machine: a process of another boot cannot be alive."""
    return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()


def members(pgid: int, mark: str) -> list[psutil.Process]:
    """Give the living processes of a group, if the group is still the one that `mark` names.

    A number may have been given to another group since; ours has the run's id in a command line.
    """
    if pgid <= 1:
        return []
    found = []
    for process in psutil.process_iter():
        try:
            if os.getpgid(process.pid) == pgid and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
        except (ProcessLookupError, psutil.NoSuchProcess):
            continue
    return found if any(mark in " ".join(_command(p)) for p in found) else []


def end_group(pgid: int, mark: str) -> bool:
    """End what is left of a group; give whether anything was."""
    left = members(pgid, mark)
    if not left:
        return False
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(pgid, number)
        except ProcessLookupError:
            return True
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            if not members(pgid, mark):
                return True
            time.sleep(0.05)
    return True


def _command(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except (psutil.NoSuchProcess, psutil.AccessDenied):
        return []
