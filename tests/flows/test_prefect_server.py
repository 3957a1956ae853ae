"""The server of a site: its port, its lock, its settings, and that it never outlives its engine."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from flows.prefect_server import PrefectServer, refuse_taken_port
from flows.prefect_settings import prefect_environment, state_folder
from steps.errors import UnreachableError
from tests.dashboard import free_port
from tests.flows.conftest import until

CHILD = """
import subprocess, sys, time
from flows.lifeline import dying_with_parent
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(300)"], preexec_fn=dying_with_parent())
print(child.pid, flush=True)
time.sleep(300)
"""


def test_a_taken_port_is_named_with_the_option_that_gives_another() -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]

        with pytest.raises(UnreachableError, match=rf"port {port} .* is taken(.|\n)*--port"):
            refuse_taken_port(port)


def test_a_second_engine_on_one_site_is_refused(tmp_path: Path) -> None:
    import fcntl

    with (state_folder(tmp_path) / "engine.lock").open("a") as held:
        fcntl.flock(held, fcntl.LOCK_EX)

        with pytest.raises(UnreachableError, match="another engine or dashboard of this site runs"):
            PrefectServer(tmp_path, free_port(), lambda _: None).start()


def test_a_child_dies_with_a_parent_that_is_killed() -> None:
    parent = subprocess.Popen([sys.executable, "-c", CHILD], stdout=subprocess.PIPE, text=True)
    assert parent.stdout
    child = int(parent.stdout.readline())

    parent.kill()
    parent.wait()

    until(lambda: not psutil.pid_exists(child) or psutil.Process(child).status() == psutil.STATUS_ZOMBIE, seconds=5)


def test_nothing_is_sent_anywhere_and_everything_lies_in_the_sites_folder(tmp_path: Path) -> None:
    given = prefect_environment(tmp_path, 4200)

    assert given["PREFECT_SERVER_ANALYTICS_ENABLED"] == "false"
    assert given["DO_NOT_TRACK"] == "1"
    assert given["PREFECT_SERVER_UI_SHOW_PROMOTIONAL_CONTENT"] == "false"
    for key in ("PREFECT_HOME", "PREFECT_SERVER_UI_STATIC_DIRECTORY", "PREFECT_API_DATABASE_CONNECTION_URL"):
        assert str(tmp_path / ".clusterwright") in given[key]


def test_the_state_folder_is_private(tmp_path: Path) -> None:
    assert state_folder(tmp_path).stat().st_mode & 0o077 == 0


@pytest.mark.slow
def test_the_server_shows_the_dashboard_and_writes_its_log(server: PrefectServer) -> None:
    import urllib.request

    request = urllib.request.Request(f"http://127.0.0.1:{server.port}/", headers={"Accept": "text/html"})
    with urllib.request.urlopen(request, timeout=10) as answer:
        page = answer.read().decode()

    assert "<title>" in page
    assert server.log.exists()
    assert server.is_alive
    began = time.monotonic()
    assert server.drain("engine that never was", 0) == 0
    assert time.monotonic() - began < 5
