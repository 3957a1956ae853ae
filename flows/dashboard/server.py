"""The Prefect server of a site: a child process that listens on this machine only and ends with its parent.

Its history is only shown, never used. What it had not written when it stopped is lost, so a clean stop waits until it has
written the task runs that this engine ended. A site has one server at a time, since its folder is locked.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO, Self

from flows.dashboard.board import following
from flows.dashboard.prefect_api import LOST, PrefectApi
from flows.dashboard.settings import api_url, apply, database_file, others, page_url, prefect_home
from flows.dashboard.shared_server import SharedServer
from flows.dashboard.site_lock import hang_up, held_port, locked, release_port
from flows.engine.parent_death import dying_with_parent
from flows.engine.state_folder import log_folder
from schedule.errors import UnreachableError

START_S = 120
TELL_S = 4
LOOK_S = 0.2
LOG = "prefect-server.log"


class StoppedEarlyError(Exception):
    """It was stopped before anything could run."""


class PrefectServer:
    """A running server. Use it in a with statement, in a thread that lives as long as the server should."""

    api: PrefectApi
    """Its interface, once it was started."""

    def __init__(
        self,
        site_dir: Path,
        port: int,
        on_message: Callable[[str], None],
        role: str = "dashboard",
        stop: threading.Event | None = None,
    ) -> None:
        """Take the site. Where `stop` is set while the server starts, it is not waited for any longer."""
        self.site_dir = site_dir
        self.port = port
        self.say = on_message
        self.role = role
        self._stop_asked = stop or threading.Event()
        self.log = site_dir / ".clusterwright" / "log" / LOG
        """The file that holds what it printed."""
        self.process: subprocess.Popen[bytes] | None = None
        self._lock: IO[str] | None = None
        self._port: socket.socket | None = None
        self._has_hung_up = False
        self._database: os.stat_result | None = None

    def __enter__(self) -> Self:
        """Start it, and wait until it answers.

        Raise where the port is taken, another engine has the folder, the server ends, or `stop` is set meanwhile.
        """
        self._port = held_port(self.port)
        try:
            self._lock = locked(self.site_dir, self.port, self.role)
            self.api = PrefectApi(api_url(self.port), apply(self.site_dir, self.port))
            self.process = self._spawned(self._port)
            self._await_answer()
        except BaseException:
            self._end(patience_s=0)
            raise
        with suppress(FileNotFoundError):  # it was deleted already, which is a fault
            self._database = database_file(self.site_dir).stat()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Stop it. After an interrupt, stop it at once."""
        self._end(patience_s=0 if kind is KeyboardInterrupt else 10)

    @property
    def is_alive(self) -> bool:
        """Whether it runs."""
        return self.process is not None and self.process.poll() is None

    def _spawned(self, port: socket.socket) -> subprocess.Popen[bytes]:
        log_folder(self.site_dir)
        site, descriptor = self.site_dir.resolve(), port.fileno()
        ours = others()
        with self.log.open("ab") as out:
            return subprocess.Popen(
                [sys.executable, "-P", "-m", "flows.dashboard.app", str(site), str(self.port), str(descriptor)],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                cwd=prefect_home(site),  # Prefect reads settings from files of the folder that it is started in
                env={name: value for name, value in os.environ.items() if name not in ours},
                pass_fds=[descriptor],
                umask=0o077,
                start_new_session=True,  # Ctrl-C is handled here: the server must outlive the runs
                preexec_fn=dying_with_parent(),  # noqa: PLW1509  before exec, two system calls
            )

    def fault(self) -> UnreachableError | None:
        """Return what ended the server's work. None while it works. Clients of a server that has ended are cut off."""
        if not self.is_alive:
            if self._port is not None and not self._has_hung_up:
                self._has_hung_up = True
                hang_up(self._port)
            return UnreachableError("Prefect's server ended by itself", hint=f"what it printed: {self.log}")
        if self._database is not None and _is_whole(self._database, database_file(self.site_dir)):
            return None
        return UnreachableError("the dashboard's database was deleted or emptied while its server ran", hint=LOST)

    def _await_answer(self) -> None:
        began = told = time.monotonic()
        while not self.api.answers():
            now = time.monotonic()
            if not self.is_alive:
                raise UnreachableError("Prefect's server ended while starting", hint=f"what it printed: {self.log}")
            if now - began > START_S:
                raise UnreachableError(f"Prefect's server did not answer within {START_S} s", hint=f"see {self.log}")
            if now - told > TELL_S:
                told = now
                self.say(f"the dashboard is starting, {now - began:.0f} s")
            if self._stop_asked.wait(0.1):
                raise StoppedEarlyError
        took = time.monotonic() - began
        self.say(
            f"dashboard on {page_url(self.port)} after {took:.0f} s; `clusterwright dashboard --login` shows its login"
        )

    def _end(self, *, patience_s: float) -> None:
        """Ask the server to end, and kill it if it has not ended after `patience_s` seconds. Then release port and lock."""
        if self.process is not None:
            self.process.terminate()
            try:
                self.process.wait(patience_s)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        if self._port is not None:
            release_port(self._port)
        if self._lock is not None:
            self._lock.close()
        self._port = self._lock = None


Server = PrefectServer | SharedServer
"""The Prefect server of an engine: a child of it, or one that a team shares."""


def _is_whole(before: os.stat_result, path: Path) -> bool:
    """Return whether a database is still the same file, and not shorter. SQLite's never gets shorter by itself."""
    with suppress(FileNotFoundError):
        now = path.stat()
        return (now.st_dev, now.st_ino) == (before.st_dev, before.st_ino) and now.st_size >= before.st_size
    return False


def serve_dashboard(
    site_dir: Path,
    *,
    port: int,
    on_message: Callable[[str], None],
    stop: threading.Event,
) -> None:
    """Serve a site's dashboard without running anything, until `stop` is set. Raise where its server fails before."""
    with (
        suppress(StoppedEarlyError),
        PrefectServer(site_dir, port, on_message, stop=stop) as server,
        following(server.api, site_dir),
    ):
        on_message("nothing runs; Ctrl-C ends the dashboard")
        while not stop.wait(LOOK_S):
            if fault := server.fault():
                raise fault
