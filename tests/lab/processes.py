"""Processes by pid and start time, so that a pid that was given to another is never stopped; and their control groups."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Recorded:
    """A process as it was when it was recorded."""

    pid: int
    start: int

    @property
    def alive(self) -> bool:
        """Say whether this very process runs."""
        return start_time(self.pid) == self.start


def start_time(pid: int) -> int | None:
    """Return a process's start in clock ticks since boot, or None if there is no such process or it has ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return None if fields[0] == "Z" else int(fields[19])


def record(pid: int, path: Path) -> None:
    """Write down which process this is."""
    path.write_text(f"{pid} {start_time(pid)}\n", encoding="utf-8")


def recorded(path: Path) -> Recorded | None:
    """Return the process that was recorded, or None if there is none."""
    if not path.exists():
        return None
    pid, start = path.read_text(encoding="utf-8").split()
    return Recorded(int(pid), int(start))


def stop(process: Recorded, patience_s: float) -> None:
    """End a process: asked first, then killed."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        if process.alive:
            os.kill(process.pid, number)
        until = time.monotonic() + patience_s
        while process.alive and time.monotonic() < until:
            time.sleep(0.02)


def run(*command: object, text: str | None = None) -> str:
    """Run a tool to its end and give what it said; its own words are the error if it fails."""
    result = subprocess.run([str(c) for c in command], input=text, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise SystemExit(f"`{' '.join(map(str, command))}` failed: {(result.stderr or result.stdout).strip()}")
    return result.stdout
