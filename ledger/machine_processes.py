"""Processes of this machine: which boot this is, and whether the engine that holds a claim has certainly ended."""

from __future__ import annotations

import platform
from pathlib import Path

from ledger.entries import Claim, Reservation


def boot_id() -> str:
    """Return the id of this boot of this machine. A process of another boot cannot be alive."""
    return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()


def is_alive(pid: int) -> bool:
    """Return whether a process has not ended. One that has keeps its number until its parent has asked for its exit code."""
    import psutil  # no command needs it while nothing runs

    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def has_ended(held: Claim | Reservation) -> bool:
    """Return whether the engine that holds something has certainly ended: it ran on this machine and boot, and is no process any more.

    Of a process of another machine nobody can tell that from here, and two machines may have one name.
    """
    is_here = held.host == platform.node() and held.boot_id in {"", boot_id()}
    return is_here and not is_alive(held.pid)
