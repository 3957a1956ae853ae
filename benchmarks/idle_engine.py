"""What an engine costs that has nothing to do, on a site's folder, and its dashboard's server beside one that nobody uses.

    python -m benchmarks.idle_engine SITE SECONDS

The site is copied. The engine is measured once it has shown the whole site, and its processor time stands still but for its looks.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from flows.dashboard.prefect_api import PrefectApi
from tests.flows.conftest import until
from tests.ports import free_port

SETTLED = 0.02
"""The share of a core under which a process counts as settled, over ten seconds."""

PATIENCE_S = 900


def used(process: psutil.Process, seconds: float) -> float:
    """Return the share of a core that a process used for so many seconds."""
    before = process.cpu_times()
    time.sleep(seconds)
    after = process.cpu_times()
    return float(after.user + after.system - before.user - before.system) / seconds


@contextmanager
def started(words: list[str], own: dict[str, str]) -> Iterator[psutil.Process]:
    """Start a process, and end it with the block."""
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT, env=os.environ | own) as process:
        try:
            yield psutil.Process(process.pid)
        finally:
            process.terminate()


def line(name: str, process: psutil.Process, seconds: float) -> None:
    """Measure a process, and print it."""
    share = used(process, seconds)
    print(f"{name:22} {100 * share:5.2f} % of a core, {process.memory_info().rss / 2**20:4.0f} MB", flush=True)


def main() -> None:
    """Print a line for each process."""
    site, seconds = Path(sys.argv[1]), float(sys.argv[2])
    python = [sys.executable, "-m"]
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch) / "site"
        shutil.copytree(site, copy)
        with started([*python, "clusterwright", "up", "--port", str(free_port()), "--site", str(copy)], {}) as engine:
            until(engine.children, seconds=PATIENCE_S)
            (server,) = engine.children()
            until(lambda: used(server, 10) < SETTLED > used(engine, 10), seconds=PATIENCE_S)
            line("engine", engine, seconds)
            line("its server", server, seconds)
        port, home = free_port(), str(Path(scratch) / "bare")
        words = [*python, "prefect", "server", "start", "--host", "127.0.0.1", "--port", str(port)]
        with started(words, {"PREFECT_HOME": home, "PREFECT_SERVER_ANALYTICS_ENABLED": "false"}) as bare:
            until(PrefectApi(f"http://127.0.0.1:{port}/api", "").answers, seconds=PATIENCE_S)
            until(lambda: used(bare, 10) < SETTLED, seconds=PATIENCE_S)
            line("a server nobody uses", bare, seconds)


if __name__ == "__main__":
    main()
