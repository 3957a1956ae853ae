"""A child that the kernel ends when its parent is gone, even by kill -9."""

from __future__ import annotations

import ctypes
import os
import signal
from collections.abc import Callable

PR_SET_PDEATHSIG = 1


def dying_with_parent() -> Callable[[], None]:
    """Give what a child does before exec. The parent's thread that starts it must live as long as the child should."""
    parent = os.getpid()
    libc = ctypes.CDLL(None, use_errno=True)  # loaded here: between fork and exec as little as can be

    def arm() -> None:
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # it died before the kernel was told
            os._exit(1)

    return arm
