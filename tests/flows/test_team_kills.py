"""What is killed or stopped of a team in mid-run: nothing is lost, repeated, or touched by two runs, and no run is left as running."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from flows.dashboard.prefect_api import FINAL
from ledger.trust.audit import audit
from tests.flows.conftest import until
from tests.flows.team_site import TeamSite
from tests.flows.witness import at_once
from tests.needs import needs, needs_postgres
from tests.postgres_server import ON_POSTGRES, Server

pytestmark = [pytest.mark.slow, pytest.mark.long, needs("ssh-keygen"), needs_postgres, pytest.mark.timeout(600)]

PATIENCE_S = 240


@pytest.fixture
def team(tmp_path: Path, postgres: Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[TeamSite]:
    """A site in whose first run a worker is at work, and another worker that is not started."""
    monkeypatch.setenv(ON_POSTGRES, "yes")
    site = TeamSite(tmp_path, postgres, hosts=2, beats=60)
    try:
        site.serve()
        site.add_worker("worker-1")
        site.add_worker("worker-2")
        site.dispatch()
        site.work("worker-1")
        until(site.witness.stretches, seconds=PATIENCE_S)
        yield site
    finally:
        site.end()


def ends_well(team: TeamSite) -> None:
    """Wait for the second try, and see that it is the only one that counts."""
    until(lambda: team.states()["200@pod-001"] == "done", seconds=PATIENCE_S)
    first, second = team.runs()
    assert (first.status, second.status) == ("interrupted", "ok")
    stretches = team.witness.stretches()
    assert at_once(stretches) == []
    assert [(one.begun, one.ended) for one in stretches if second.id in one.run] == [(1, 1), (1, 1)]
    until(lambda: all(run["state"]["type"] in FINAL for run in team.slices()), seconds=30)
    until(
        lambda: not [path for path in team.exchange.rglob("*") if path.is_file() and path.parent.name != "workers"],
        seconds=30,
    )
    assert not audit(team.site)


def test_the_process_of_a_slice_is_killed(team: TeamSite) -> None:
    (pid,) = (team.folder / "worker-1" / "pids").iterdir()
    os.kill(int(pid.read_text().split()[0]), signal.SIGKILL)

    ends_well(team)


def test_a_worker_is_killed_and_started_again(team: TeamSite) -> None:
    worker = team.processes["worker-1"]
    worker.kill()
    worker.wait()
    until(lambda: not team.at_work(), seconds=30)
    team.work("worker-1")

    ends_well(team)


def test_a_worker_that_hangs_is_fenced_and_keeps_its_hosts_until_it_says_that_it_has_ended(team: TeamSite) -> None:
    worker = psutil.Process(team.processes["worker-1"].pid)
    hung = [worker, *worker.children(recursive=True)]
    for process in hung:
        process.suspend()
    team.work("worker-2")

    until(lambda: [run["state"]["name"] for run in team.slices()] == ["Worker lost"], seconds=90)
    assert team.states()["200@pod-001"] == "running", "its hosts are nobody else's"
    assert len(team.runs()) == 1
    for process in hung:
        process.resume()

    ends_well(team)


def test_a_dispatcher_is_killed_and_another_one_takes_over(team: TeamSite) -> None:
    team.dispatch("there")
    until(lambda: "another dispatcher leads" in team.said("dispatcher there"), seconds=60)
    first = team.processes.pop("dispatcher site")
    first.kill()
    first.wait()

    ends_well(team)
    assert "this dispatcher leads" in team.said("dispatcher there")


def test_a_server_that_does_not_answer_for_over_a_minute_stops_no_run(team: TeamSite) -> None:
    """A dispatcher that ended after a minute of it cut off 1,250 hosts, on a machine that had too much to do."""
    server = psutil.Process(team.processes["server"].pid)
    server.suspend()
    until(lambda: "Prefect's server does not answer" in team.said("dispatcher site"), seconds=60)
    time.sleep(70)
    server.resume()

    until(lambda: team.states()["200@pod-001"] == "done", seconds=PATIENCE_S)
    assert [run.status for run in team.runs()] == ["ok"]
    until(lambda: "Prefect's server answers again" in team.said("dispatcher site"), seconds=60)
    assert not audit(team.site)
