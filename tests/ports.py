"""Ports for the programs that tests start."""

from __future__ import annotations

import os
import socket
from itertools import count

FIRST, LAST = 10_000, 32_767
"""Below the ports that systems lend to outgoing connections, so that none of those takes one before its program does."""
APART = 101
"""Ports between the beginnings of two processes whose ids follow each other, such as workers of one pass."""

_tries = count(os.getpid() * APART)


def free_port() -> int:
    """Return a port on which no program listens, and which this process has not chosen lately."""
    return next(port for tried in _tries if _is_free(port := FIRST + tried % (LAST - FIRST + 1)))


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # a connection that ended lately holds nothing
        try:
            probe.bind(("", port))
        except OSError:
            return False
    return True
