"""Work in a process of its own that is copied from a warm one: no start of Python, and a bound on memory and time."""

from __future__ import annotations

import os
import resource
import signal
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

MEMORY = 1_000_000_000
CPU_SECONDS = 20
WALL_SECONDS = 60
WHOLE, RESIDENT = 0, 1
"""Columns of /proc/self/statm."""
FAULTLESS = frozenset({0, 1, 2, 3, 4, 130})
"""The exit codes of what was foreseen. 5 is a fault of ours."""


class Outcome(NamedTuple):
    """How work ended: its exit code (negative: the signal that ended it), what it printed, and what it took.

    Megabytes are those beyond what it shares with the process that it is copied from.
    """

    code: int
    said: str
    seconds: float
    megabytes: float

    @property
    def fault(self) -> str:
        """What is wrong with it. Empty if it ended with a message, within its bounds."""
        if self.code < 0:
            return f"ended by {signal.Signals(-self.code).name}"
        if "Traceback (most recent call last)" in self.said:
            return "a traceback"
        if self.code not in FAULTLESS:
            return f"exit code {self.code}"
        if self.seconds > CPU_SECONDS:
            return f"{self.seconds:.0f} seconds of processor time"
        return f"{self.megabytes:.0f} MB of memory" if self.megabytes * 1e6 > MEMORY else ""


def bounded(work: Callable[[], int], folder: Path) -> Outcome:
    """Do work in a copy of this process, with `folder` as its current one, and return how it ended."""
    with tempfile.TemporaryFile() as printed:
        sys.stdout.flush()
        shared = _pages(RESIDENT)
        pid = os.fork()
        if pid == 0:
            _child(work, folder, printed.fileno())
        _, status, used = os.wait4(pid, 0)
        _end_group(pid)
        printed.seek(0)
        said = printed.read().decode(errors="replace")
    return Outcome(
        code=os.waitstatus_to_exitcode(status),
        said=said,
        seconds=used.ru_utime + used.ru_stime,
        megabytes=max(0, used.ru_maxrss * 1024 - shared) / 1e6,
    )


def _child(work: Callable[[], int], folder: Path, out: int) -> None:
    code = 70
    try:
        os.setpgid(0, 0)
        os.chdir(folder)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(out, 1)
        os.dup2(out, 2)
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115  open until the process ends
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115  the same
        sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", buffering=1, closefd=False)  # noqa: SIM115
        room = _pages(WHOLE) + MEMORY  # what this process shares with the one that it is copied from is not its own
        resource.setrlimit(resource.RLIMIT_AS, (room, room))
        resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS + 1, CPU_SECONDS + 1))
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(WALL_SECONDS)
        code = work()
        sys.stdout.flush()
        sys.stderr.flush()
    except BaseException:  # noqa: BLE001  the copy ends here, whatever happens: it must not go on as the first one does
        import traceback

        traceback.print_exc()
        sys.stderr.flush()
    os._exit(code)


def _pages(column: int) -> int:
    """Return the bytes of this process's memory, whole or resident."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[column])
    return pages * resource.getpagesize()


def _end_group(pid: int) -> None:
    """End what the work left running."""
    try:
        os.killpg(pid, signal.SIGKILL)
    except ProcessLookupError:
        return
