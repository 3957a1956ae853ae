"""What a site's server holds while it runs: a port of this machine, and the lock of the site's folder, which says who has it.

The port is held from before the server starts until it is stopped. So nobody else can answer there, and be sent the login.
"""

from __future__ import annotations

import fcntl
import os
import socket
import threading
from contextlib import suppress
from pathlib import Path
from typing import IO, NamedTuple

from flows.dashboard.settings import HOST
from flows.engine.state_folder import state_folder
from schedule.errors import UnreachableError

LOCK = "engine.lock"
ENGINE_ROLE = "engine "
"""How the role of an engine begins. Its id follows, as in the tag of its runs."""


class Holder(NamedTuple):
    """Who has a site's lock: the port of its server, its process, and its role. An engine's role is the tag of its runs."""

    port: int
    pid: int
    role: str

    @property
    def is_engine(self) -> bool:
        """Whether it is an engine, and not a dashboard alone or a rehearsal."""
        return self.role.startswith(ENGINE_ROLE)


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


def locked(site_dir: Path, port: int, role: str) -> IO[str]:
    """Take the site's lock, and note in it who has it. The kernel releases it when the process has ended, in whatever way."""
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
    lock.write(f"{port} {os.getpid()} {role}\n")
    lock.flush()
    return lock


def lock_file(site_dir: Path) -> Path:
    """Return the file of a site's lock."""
    return site_dir / ".clusterwright" / LOCK


def noted_holder(site_dir: Path) -> Holder | None:
    """Return who took the site's lock last, whether they still have it or not. None where nobody has noted that."""
    try:
        noted = lock_file(site_dir).read_text(encoding="ascii").strip().split(" ", 2)
        port, pid, role = (*noted, "0", "server")[:3]  # one of an earlier release notes its port alone
        return Holder(int(port), int(pid), role)
    except (FileNotFoundError, ValueError):  # nobody took it yet, or is just about to write
        return None


def holder(site_dir: Path, default: int) -> Holder | None:
    """Return who has the site's lock now, with the port `default` where they have not said so yet. None where nobody has it."""
    try:
        lock = lock_file(site_dir).open(encoding="ascii")
    except FileNotFoundError:
        return None
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            return noted_holder(site_dir) or Holder(default, 0, "server")
    return None
