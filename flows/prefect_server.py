"""The Prefect server of a site: a child process that listens on this machine only and ends with its parent.

Its history is only shown, never used. What it had not written when it stopped is lost, so a clean stop waits until it has
written the task runs that this engine ended. A site has one server at a time, since its folder is locked.
"""

from __future__ import annotations

import fcntl
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO, Self

from flows.lifeline import dying_with_parent
from flows.prefect_api import FINAL, PrefectApi
from flows.prefect_settings import HOST, apply, log_folder, state_folder
from steps.errors import UnreachableError

START_S = 120
DRAIN_S = 60
TELL_S = 4
LOG = "prefect-server.log"


class PrefectServer:
    """A running server. Use it in a with statement, in a thread that lives as long as the server should."""

    def __init__(
        self,
        site_dir: Path,
        port: int,
        on_message: Callable[[str], None],
    ) -> None:
        """Take the site's folder, the port, and what shows messages on the terminal. `start` starts the server."""
        self.site_dir = site_dir
        self.port = port
        self.say = on_message
        self.api = PrefectApi(port)
        self.process: subprocess.Popen[bytes] | None = None
        self._lock: IO[str] | None = None

    def __enter__(self) -> Self:
        """Start it, and wait until it answers."""
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Stop it. After an interrupt, stop it at once."""
        self.stop(patience_s=0 if kind is KeyboardInterrupt else 10)

    @property
    def log(self) -> Path:
        """The file that holds what it printed."""
        return self.site_dir / ".clusterwright" / "log" / LOG

    @property
    def is_alive(self) -> bool:
        """Whether it runs."""
        return self.process is not None and self.process.poll() is None

    def start(self) -> None:
        """Start the server. Raise where the port is taken, another engine has the folder, or the server ends."""
        refuse_taken_port(self.port)
        self._lock = _locked(state_folder(self.site_dir) / "engine.lock")
        apply(self.site_dir, self.port)
        log_folder(self.site_dir)
        with self.log.open("ab") as out:
            command = [sys.executable, "-P", "-m", "prefect", "server", "start"]
            self.process = subprocess.Popen(
                [*command, "--host", HOST, "--port", str(self.port)],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # Ctrl-C is handled here: the server must outlive the runs
                preexec_fn=dying_with_parent(),  # noqa: PLW1509  before exec, two system calls
            )
        try:
            self._await_answer()
        except BaseException:
            self.stop(patience_s=0)
            raise

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
            time.sleep(0.1)
        self.say(f"dashboard on http://{HOST}:{self.port} after {time.monotonic() - began:.0f} s")

    def drain(self, tag: str, expected: int) -> int:
        """Wait until the server shows `expected` ended task runs of an engine. Return how many it shows."""
        wanted = {
            "flow_runs": {"tags": {"all_": [tag]}},
            "task_runs": {"state": {"type": {"any_": FINAL}}, "name": {"like_": "·"}},
        }
        began = time.monotonic()
        seen = 0
        while self.is_alive and time.monotonic() - began < DRAIN_S:
            seen = self.api.count("task_runs", wanted)
            if seen >= expected:
                break
            time.sleep(0.25)
        return seen

    def stop(self, *, patience_s: float = 10) -> None:
        """Ask the server to end, and kill it if it has not ended after `patience_s` seconds."""
        if self.process is not None and self.is_alive:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(patience_s)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        if self._lock is not None:
            self._lock.close()
            self._lock = None


def refuse_taken_port(port: int) -> None:
    """Raise where another program listens on a port."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # a port just left is free; one in use is not
        try:
            probe.bind((HOST, port))
        except OSError as error:
            raise UnreachableError(
                f"port {port} on {HOST} is taken: {error.strerror}",
                hint="another engine or dashboard may run; name another port with --port",
            ) from None


def _locked(path: Path) -> IO[str]:
    """Take the site's lock. The kernel releases it when the process has ended, in whatever way."""
    lock = path.open("a")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        lock.close()
        raise UnreachableError(
            f"another engine or dashboard of this site runs: {path} is locked",
            hint="stop it first; two would write one dashboard's history",
        ) from None
    return lock


def serve_dashboard(
    site_dir: Path,
    *,
    port: int,
    on_message: Callable[[str], None],
    stop: threading.Event,
) -> None:
    """Serve a site's dashboard without running anything, until `stop` is set."""
    with PrefectServer(site_dir, port, on_message):
        on_message("nothing runs; Ctrl-C ends the dashboard")
        stop.wait()
