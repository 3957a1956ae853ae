"""The server of a site: its port, its lock, its settings, and that it never outlives its engine."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from unittest.mock import patch

import psutil
import pytest

from flows.dashboard.prefect_api import FINAL
from flows.dashboard.server import PrefectServer, StoppedEarlyError
from flows.dashboard.settings import apply, prefect_environment
from flows.dashboard.site_lock import Holder, holder, locked
from schedule.errors import UnreachableError
from tests.flows.conftest import until
from tests.ports import free_port

CHILD = """
import subprocess, sys, time
from flows.engine.parent_death import dying_with_parent
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(300)"], preexec_fn=dying_with_parent())
print(child.pid, flush=True)
time.sleep(300)
"""


def test_a_second_engine_on_one_site_is_refused(tmp_path: Path) -> None:
    with locked(tmp_path, 4300, "engine 1"):
        second = PrefectServer(tmp_path, free_port(), lambda _: None)
        with pytest.raises(UnreachableError, match="another engine or dashboard of this site runs"), second:
            pass

        assert holder(tmp_path, 4200) == Holder(4300, os.getpid(), "engine 1")

    assert holder(tmp_path, 4200) is None


def test_a_server_that_is_stopped_while_it_starts_is_not_waited_for(tmp_path: Path) -> None:
    stop = threading.Event()
    stop.set()
    server = PrefectServer(tmp_path, free_port(), lambda _: None, stop=stop)

    with patch.dict(os.environ), pytest.raises(StoppedEarlyError), server:
        pass

    assert not server.is_alive
    assert holder(tmp_path, 4200) is None


def test_a_child_dies_with_a_parent_that_is_killed() -> None:
    parent = subprocess.Popen([sys.executable, "-c", CHILD], stdout=subprocess.PIPE, text=True)
    assert parent.stdout
    child = int(parent.stdout.readline())

    parent.kill()
    parent.wait()

    until(lambda: not psutil.pid_exists(child) or psutil.Process(child).status() == psutil.STATUS_ZOMBIE, seconds=5)


def test_nothing_is_sent_anywhere_and_everything_lies_in_the_sites_folder(tmp_path: Path) -> None:
    given = prefect_environment(tmp_path, 4200, "name:password")

    assert given["PREFECT_SERVER_ANALYTICS_ENABLED"] == "false"
    assert given["DO_NOT_TRACK"] == "1"
    assert given["PREFECT_SERVER_UI_SHOW_PROMOTIONAL_CONTENT"] == "false"
    for key in ("PREFECT_HOME", "PREFECT_SERVER_UI_STATIC_DIRECTORY", "PREFECT_API_DATABASE_CONNECTION_URL"):
        assert str(tmp_path / ".clusterwright") in given[key]


def test_settings_of_another_prefect_are_put_aside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody works with a Prefect server elsewhere in the same shell: its address and its key are not for ours."""
    with patch.dict(os.environ):
        for name in ("PREFECT_API_KEY", "PREFECT_PROFILE", "PREFECT_SERVER_API_BASE_PATH"):
            monkeypatch.setenv(name, "of another")
        monkeypatch.setenv("PREFECT_API_URL", "https://prefect.example/api")
        monkeypatch.setenv("PREFECT_API_AUTH_STRING", "of:another")

        login = apply(tmp_path, 4300)

        assert os.environ["PREFECT_API_URL"] == "http://127.0.0.1:4300/api"
        assert os.environ["PREFECT_API_AUTH_STRING"] == os.environ["PREFECT_SERVER_API_AUTH_STRING"] == login
        assert "of another" not in os.environ.values()


@pytest.mark.slow
def test_the_server_shows_the_dashboard_and_writes_its_log(server: PrefectServer) -> None:
    import urllib.request

    request = urllib.request.Request(f"http://127.0.0.1:{server.port}/", headers={"Accept": "text/html"})
    with urllib.request.urlopen(request, timeout=10) as answer:
        page = answer.read().decode()

    assert "<title>" in page
    assert server.log.exists()
    assert server.is_alive
    from flows.dashboard.catching_up import DRAIN_S, drain

    began = time.monotonic()
    assert drain(server, "engine that never was", FINAL, 0, DRAIN_S) == 0
    assert time.monotonic() - began < 5
