"""What a site's server holds while it runs: a port of this machine, and the lock of the site's folder.

The port is held from before the server starts until it is stopped. So nobody else can answer there, and be sent the login.
"""

from __future__ import annotations

import fcntl
import socket
import threading
from contextlib import suppress
from pathlib import Path
from typing import IO

from flows.dashboard.settings import HOST
from flows.engine.state_folder import state_folder
from schedule.errors import UnreachableError

LOCK = "engine.lock"


def held_port(port: int) -> socket.socket:
    """Return a socket that holds a port: clients may connect, and wait for the server. Raise where another program has it."""
    held = socket.socket()
    held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # a port just left is free; one in use is not
    try:
        held.bind((HOST, port))
        held.listen()  # before that, another program may take the port beside ours
    except OSError as error:
        held.close()
        raise UnreachableError(
            f"port {port} on {HOST} is taken: {error.strerror}",
            hint="another engine or dashboard may run; name another port with --port",
        ) from None
    return held


def hang_up(port: socket.socket) -> None:
    """Close at once whatever connects to a port whose server has ended. A client would wait a minute for an answer."""

    def closing() -> None:
        with suppress(OSError):  # the port is released
            while True:
                port.accept()[0].close()

    threading.Thread(target=closing, name="hang up", daemon=True).start()


def release_port(port: socket.socket) -> None:
    """Let others have a port."""
    port.shutdown(socket.SHUT_RDWR)  # wakes a thread that waits for a connection, and would keep the port
    port.close()


def locked(site_dir: Path, port: int) -> IO[str]:
    """Take the site's lock, and note the port in it. The kernel releases it when the process has ended, in whatever way."""
    lock = (state_folder(site_dir) / LOCK).open("a+", encoding="ascii")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        lock.close()
        raise UnreachableError(
            f"another engine or dashboard of this site runs: {lock.name} is locked",
            hint="stop it first, or look at its dashboard: `clusterwright dashboard --login` shows where that is",
        ) from None
    lock.truncate(0)
    lock.write(f"{port}\n")
    lock.flush()
    return lock


def running_port(site_dir: Path, default: int) -> int | None:
    """Return the port of the site's server that runs, `default` where it has not said so yet. None where none runs."""
    try:
        lock = (site_dir / ".clusterwright" / LOCK).open(encoding="ascii")
    except FileNotFoundError:
        return None
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            return int(lock.read() or default)
    return None
