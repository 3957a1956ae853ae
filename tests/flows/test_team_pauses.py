"""A team in a buildout that waits: a pause costs no process, and the buildout goes on after it."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import psutil
import pytest

from ledger.machine_time import machine_time
from ledger.subjects.sign_off.kinds.signed import sign
from ledger.subjects.work.decisions import finish, start
from ledger.trust.audit import audit
from ledger.writing import Ledger
from tests.commands import called
from tests.flows.conftest import until
from tests.flows.team_site import TeamSite
from tests.ledger.conftest import Clock, recorded_by
from tests.needs import needs, needs_postgres
from tests.postgres_server import ON_POSTGRES, Server

pytestmark = [pytest.mark.slow, pytest.mark.long, needs("ssh-keygen"), needs_postgres, pytest.mark.timeout(600)]

PAUSE = timedelta(days=360)


def test_a_pause_of_a_year_costs_no_process_and_ends_with_a_signature(
    tmp_path: Path, postgres: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """People began a year ago. What waits for their signature costs the dispatcher and the worker, and nothing else."""
    monkeypatch.setenv(ON_POSTGRES, "yes")
    then = Clock()
    then.now = machine_time() - PAUSE
    with recorded_by(then):
        team = TeamSite(tmp_path, None, hosts=2, signed=True, clock=then)
        with Ledger.open(team.site, clock=then) as ledger:
            start(ledger, "tech", "100@pod-001")
            finish(ledger, "tech", "100@pod-001")
    team.share(postgres)
    moved = called(["database", "load", "--role", "admin", "--site", team.site])
    assert moved.returncode == 0, moved.stderr
    try:
        team.serve()
        team.add_worker("worker-1")
        team.dispatch()
        team.work("worker-1")
        until(lambda: "this dispatcher leads" in team.said("dispatcher site"), seconds=120)
        until(lambda: children(team, "worker-1") == ["prefect"], seconds=60)
        assert children(team, "dispatcher site") == []
        assert team.at_work() == []

        with Ledger.open(team.site) as ledger:
            sign(ledger, "lead", "100@pod-001")

        until(lambda: team.states()["200@pod-001"] == "done", seconds=240)
        assert not audit(team.site)
    finally:
        team.end()


def children(team: TeamSite, name: str) -> list[str]:
    """Return what the processes are that a process of the team has started."""
    found = psutil.Process(team.processes[name].pid).children(recursive=True)
    return ["prefect" if "prefect" in process.cmdline() else " ".join(process.cmdline()) for process in found]
