"""A supervisor that is started before there is a run for it: its imports take longer than many playbooks."""

from __future__ import annotations

import atexit
import contextlib
import os
import subprocess
import sys
import threading
from pathlib import Path

from ledger.private import given_umask

PASSED_ON = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "SSH_AUTH_SOCK", "USER")

IDLE_S = 300.0
"""How long, in seconds, a spare one is kept where nothing is run: a buildout may wait for months."""

_lock = threading.Lock()
_spare: list[tuple[subprocess.Popen[bytes], threading.Timer]] = []


def supervisor() -> subprocess.Popen[bytes]:
    """Return a supervisor that waits for the terms of its run, and start the next one."""
    with _lock:
        ready = _kept() or _started()
        idle = threading.Timer(IDLE_S, _end_spare)
        idle.daemon = True
        idle.start()
        _spare.append((_started(), idle))
        return ready


def environment() -> dict[str, str]:
    """Return what a run may see of our environment: no secrets of Prefect, databases or the shell."""
    here = Path(sys.executable).parent
    kept = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    return kept | {"PATH": f"{here}:{kept.get('PATH', os.defpath)}:/usr/sbin:/sbin", "PYTHONUNBUFFERED": "1"}


def _kept() -> subprocess.Popen[bytes] | None:
    """Return the spare one. None where there is none, or it was ended while it waited."""
    if not _spare:
        return None
    process, idle = _spare.pop()
    idle.cancel()
    return process if process.poll() is None else None


def _started() -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "flows.runs.process.supervisor"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        umask=given_umask(),
        env=environment(),
    )


@atexit.register
def _end_spare() -> None:
    """End a supervisor that was not needed: it ends when its stdin is closed before any terms came."""
    with _lock:
        while _spare:
            process, idle = _spare.pop()
            idle.cancel()
            assert process.stdin
            with contextlib.suppress(OSError):
                process.stdin.close()
            process.wait()
