"""The Prefect server of a site: a child on loopback that dies with its parent.

Its history is for looking at. What it had not written when it stopped is lost, so a clean stop waits until
it has caught up with the task runs that this engine ended.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from flows.prefect_settings import HOST, api_url, apply
from steps.errors import UnreachableError

START_S = 120
DRAIN_S = 60
PR_SET_PDEATHSIG = 1
FINAL = ["COMPLETED", "FAILED", "CRASHED", "CANCELLED"]


class PrefectServer:
    """A running server; use it in a with statement."""

    def __init__(self, site_dir: Path, port: int, on_message: Callable[[str], None]) -> None:
        """Keep where and how; `start` starts it."""
        self.site_dir = site_dir
        self.port = port
        self.say = on_message
        self.process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        """Start, and wait until it answers."""
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        """Stop it."""
        self.stop()

    def start(self) -> None:
        """Start the server; a taken port and a server that dies are said in clear words."""
        refuse_taken_port(self.port)
        apply(self.site_dir, self.port)
        log = self.site_dir / ".clusterwright" / "prefect-server.log"
        with log.open("ab") as out:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "prefect", "server", "start", "--host", HOST, "--port", str(self.port)],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # Ctrl-C is ours to handle: the server outlives the drain
                preexec_fn=_die_with_parent,  # noqa: PLW1509  before exec, one libc call
            )
        began = time.monotonic()
        while not self._answers():
            if self.process.poll() is not None:
                raise UnreachableError("Prefect's server ended while starting", hint=f"its last words are in {log}")
            if time.monotonic() - began > START_S:
                self.stop()
                raise UnreachableError(f"Prefect's server did not answer within {START_S} s", hint=f"see {log}")
            time.sleep(0.2)
        self.say(f"dashboard on http://{HOST}:{self.port} after {time.monotonic() - began:.0f} s")

    def _answers(self) -> bool:
        try:
            with urllib.request.urlopen(f"{api_url(self.port)}/health", timeout=2) as answer:
                return bool(answer.status == 200)
        except (urllib.error.URLError, OSError):
            return False

    def post(self, path: str, body: dict[str, Any]) -> Any:
        """Send one request to the API and give what it answers."""
        request = urllib.request.Request(
            api_url(self.port) + path,
            data=json.dumps(body).encode(),
            headers={"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.loads(answer.read() or b"null")

    def drain(self, tag: str, expected: int) -> int:
        """Wait until the server shows `expected` ended task runs of an engine; give how many it shows."""
        body = {
            "flow_runs": {"tags": {"all_": [tag]}},
            "task_runs": {"state": {"type": {"any_": FINAL}}, "name": {"like_": "·"}},
        }
        began = time.monotonic()
        seen = 0
        while time.monotonic() - began < DRAIN_S:
            seen = int(self.post("/task_runs/count", body))
            if seen >= expected:
                break
            time.sleep(0.5)
        return seen

    def stop(self) -> None:
        """End the server: politely, then for certain."""
        if self.process is None or self.process.poll() is not None:
            return
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def refuse_taken_port(port: int) -> None:
    """Refuse a port that someone listens on."""
    with socket.socket() as probe:
        if probe.connect_ex((HOST, port)) == 0:
            raise UnreachableError(
                f"port {port} on {HOST} is taken",
                hint="another engine or dashboard may run; give another port with --port",
            )


def _die_with_parent() -> None:
    """Let the kernel end the server when the engine is gone, even by kill -9."""
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() == 1:
        os._exit(1)


def serve_dashboard(site_dir: Path, *, port: int, on_message: Callable[[str], None], stop: threading.Event) -> None:
    """Serve a site's dashboard without running anything, until told to stop."""
    with PrefectServer(site_dir, port, on_message):
        on_message("nothing runs; Ctrl-C ends the dashboard")
        stop.wait()
