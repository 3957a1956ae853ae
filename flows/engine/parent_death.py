"""A child process that the kernel ends when its parent has ended, even by `kill -9`."""

from __future__ import annotations

import ctypes
import os
import signal
from collections.abc import Callable

PR_SET_PDEATHSIG = 1


def dying_with_parent() -> Callable[[], None]:
    """Return what a child does before exec. The child ends with the thread of the parent that starts it."""
    parent = os.getpid()
    libc = ctypes.CDLL(None, use_errno=True)  # loaded before the fork: between fork and exec little is safe

    def arm() -> None:
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # it ended before the kernel knew
            os._exit(1)

    return arm


def end_with_parent() -> None:
    """Let the kernel end this process with the thread of its parent that started it."""
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() == 1:  # it has ended already
        os.kill(os.getpid(), signal.SIGKILL)
