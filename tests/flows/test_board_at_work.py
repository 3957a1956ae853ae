"""A rehearsal and a localhost site at work: at random moments the dashboard shows what the ledger said.

On a machine that does nothing else that is within two seconds. Other tests run beside these.
"""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from flows.dashboard.login import login_of
from flows.dashboard.prefect_api import PrefectApi
from flows.dashboard.settings import api_url
from tests.conftest import Command
from tests.dashboard import give_dashboard
from tests.flows.conftest import row, until
from tests.flows.standing_watch import Watcher, is_whole
from tests.flows.test_engine import Up, machine, up, waive_and_go_on
from tests.once import Once
from tests.ports import free_port

__all__ = ["machine", "up"]

pytestmark = [pytest.mark.slow, pytest.mark.long]

MOMENTS = 15
BESIDE_OTHERS_S = 10.0


def test_a_rehearsals_phases_and_steps_are_the_ledgers(tmp_path: Path, command: Command, once: Once) -> None:
    site, port = tmp_path / "rehearsal", free_port()
    assert command("init", "--preset", "superpod-1su", site).returncode == 0
    give_dashboard(site, once)
    words = [sys.executable, "-m", "clusterwright", "rehearse", "--site", str(site), "--port", str(port)]
    rehearsal = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        until((site / ".clusterwright" / "dashboard-login").exists, seconds=60)
        api = PrefectApi(api_url(port), login_of(site))
        until(api.answers, seconds=60)
        until(lambda: is_whole(api, site), seconds=200)
        with Watcher(site, api, BESIDE_OTHERS_S) as watch:
            time.sleep(2)
            for _ in range(MOMENTS):
                time.sleep(random.random())
                watch.compare()
    finally:
        rehearsal.kill()
        rehearsal.wait()


def test_a_localhost_sites_phases_and_steps_are_the_ledgers(
    machine: Path,
    command: Command,
    up: Callable[..., Up],
) -> None:
    engine = up(machine).started()
    api = PrefectApi(api_url(engine.port), login_of(machine))
    until(lambda: is_whole(api, machine), seconds=200)
    with Watcher(machine, api, BESIDE_OTHERS_S) as watch:
        time.sleep(2)
        for moment in range(MOMENTS):
            time.sleep(random.random())
            watch.compare()
            if moment == 8:
                until(lambda: row(machine, "007@pod-001").state.value == "checked_not_met", seconds=60)
                waive_and_go_on(command, machine, "007@pod-001")
    engine.kill()

    again = up(machine).started()
    with Watcher(machine, PrefectApi(api_url(again.port), login_of(machine)), BESIDE_OTHERS_S) as watch:
        time.sleep(3)
        watch.compare()
    assert again.stop() == 0
