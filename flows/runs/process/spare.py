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

_lock = threading.Lock()
_spare: list[subprocess.Popen[bytes]] = []


def supervisor() -> subprocess.Popen[bytes]:
    """Return a supervisor that waits for the terms of its run, and start the next one."""
    with _lock:
        ready = _spare.pop() if _spare else _started()
        if ready.poll() is not None:  # it was ended while it waited
            ready = _started()
        _spare.append(_started())
        return ready


def environment() -> dict[str, str]:
    """Return what a run may see of our environment: no secrets of Prefect, databases or the shell."""
    here = Path(sys.executable).parent
    kept = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    return kept | {"PATH": f"{here}:{kept.get('PATH', os.defpath)}:/usr/sbin:/sbin", "PYTHONUNBUFFERED": "1"}


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
    for process in _spare:
        assert process.stdin
        with contextlib.suppress(OSError):
            process.stdin.close()
        process.wait()
