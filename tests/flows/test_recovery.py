"""What an engine finds of engines that are gone: runs, processes, the dashboard's history."""

from __future__ import annotations

import platform
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from flows.dashboard.server import PrefectServer
from flows.engine.recovery import recover
from flows.engine.state import Engine
from flows.performers.real import RealPerformer
from flows.runs.process.leftovers import remote_temp
from ledger.evidence.plans import read_plan
from ledger.machine_processes import boot_id
from ledger.machine_time import machine_time
from ledger.project_time import project_now
from ledger.questions.records import claims
from ledger.questions.snapshot import Snapshot
from ledger.reading import open_snapshot
from ledger.rules.access import ENGINE
from ledger.subjects.plan.decisions import adopt_plan
from ledger.subjects.runs.decisions import claim, renew
from ledger.subjects.runs.payloads import RequestMade
from ledger.subjects.runs.request_decisions import answer_request, request_cancel
from ledger.trust.audit import audit
from ledger.writing import Ledger
from tests.flows.conftest import Start, engine_plan, row, runs, state, until
from tests.ledger.conftest import Clock, begun, earlier_rules, elsewhere, recorded_by, share
from tests.ledger.journey import bought, passed, racked
from tests.postgres_server import EVERYBODY, ON_POSTGRES, Server

NO_PROCESS = 2**22 - 1


@pytest.fixture
def left_behind() -> Iterator[Callable[[str], subprocess.Popen[bytes]]]:
    """Return a function that starts a process group with a run's folder in its command line, as a killed engine leaves it."""
    started: list[subprocess.Popen[bytes]] = []

    def begin(folder: str) -> subprocess.Popen[bytes]:
        words = [sys.executable, "-c", "import time; time.sleep(300)", f"/a/site/.clusterwright/runs/{folder}/"]
        started.append(subprocess.Popen(words, start_new_session=True))
        return started[-1]

    yield begin
    for process in started:
        process.kill()
        process.wait()


def take(site: Path, name: str, *, lease_s: float = 60, **machine: object) -> None:
    facts: dict[str, Any] = {"host": platform.node(), "boot_id": boot_id(), "pid": NO_PROCESS, "pgid": 0} | machine
    with Ledger.open(site) as ledger:
        held = claim(ledger, "gone:1", name, lease_s=lease_s, machine_now=machine_time(), **facts)
    assert held is not None


@pytest.mark.slow
def test_a_dead_engines_run_is_ended_settled_and_run_again(
    both_passed: Path, start: Start, left_behind: Callable[[str], subprocess.Popen[bytes]]
) -> None:
    orphan = left_behind("gone-run-0001")
    another_sites = left_behind("alive-run-0001")
    take(both_passed, "030@pod-001", pgid=orphan.pid)

    running = start(both_passed)
    until(lambda: len(runs(both_passed, "030@pod-001")) == 2, seconds=20)

    orphan.wait(5)
    assert another_sites.poll() is None, "every ledger numbers its runs anew"
    assert [r.status for r in runs(both_passed, "030@pod-001") if r.settled_at][-1] == "interrupted"
    assert row(both_passed, "030@pod-001").attempt == 2
    assert any("its processes were ended; it runs again" in sentence for sentence in running.said)
    running.stop()
    assert not audit(both_passed)


@pytest.mark.slow
def test_what_a_dead_engines_run_was_sending_is_removed_from_its_hosts(
    both_passed: Path, start: Start, inventory: Path, tmp_path: Path
) -> None:
    """A killed engine removes nothing. A program in place of `ssh` plays the host: a home of its own."""
    sent = tmp_path / "home" / remote_temp().removeprefix("~/") / f"ansible-tmp-{time.time() - 60}-{NO_PROCESS}-1"
    sent.mkdir(parents=True)
    (sent / "secret").write_text("canary-of-a-killed-run")
    program = tmp_path / "ssh"
    program.write_text(f'#!/bin/sh\nfor last; do :; done\ncd {tmp_path}/home && HOME=$PWD exec sh -c "$last"\n')
    program.chmod(0o755)
    by_ssh = f"ansible_ssh_executable={program} ansible_ssh_transfer_method=piped"
    lines = inventory.read_text().splitlines()
    inventory.write_text("\n".join([lines[0].replace("ansible_connection=local", by_ssh), *lines[1:], ""]))
    take(both_passed, "030@pod-001")

    start(both_passed)
    until(lambda: len([r for r in runs(both_passed, "030@pod-001") if r.settled_at]) == 2, seconds=60)

    assert not sent.exists()


@pytest.mark.slow
def test_a_run_on_another_host_is_left_to_a_person_once_its_lease_is_over(both_passed: Path, start: Start) -> None:
    take(both_passed, "030@pod-001", host="elsewhere", lease_s=-1)
    take(both_passed, "030@pod-002", host="elsewhere", lease_s=3600)

    start(both_passed)
    until(lambda: state(both_passed, "030@pod-001") == "on_hold", seconds=10)

    assert "nobody here can tell" in row(both_passed, "030@pod-001").last_note
    assert state(both_passed, "030@pod-002") == "running"


@pytest.mark.slow
def test_a_run_from_before_the_machine_was_started_anew_runs_again(both_passed: Path, start: Start) -> None:
    take(both_passed, "030@pod-001", boot_id="another boot", lease_s=-1)

    start(both_passed)

    until(lambda: row(both_passed, "030@pod-001").attempt == 2, seconds=10)


@pytest.mark.slow
def test_a_live_engines_run_is_left_alone(both_passed: Path, start: Start) -> None:
    import os

    take(both_passed, "030@pod-001", pid=os.getpid())

    running = start(both_passed)
    until(lambda: state(both_passed, "030@pod-002") == "checked_not_met", seconds=30)

    with running.engine.snapshot() as snapshot:
        assert recover(running.engine, snapshot) == []
    assert state(both_passed, "030@pod-001") == "running"


def at_rest(ledger: Ledger, snapshot: Snapshot, performer: RealPerformer) -> Engine:
    """Return an engine that has not begun to dispatch."""
    return Engine(ledger.site_dir, ledger, read_plan(snapshot), 1, project_now, performer, 0, rehearsal=False)


def test_a_run_elsewhere_is_given_up_once_its_lease_is_over_and_not_before(
    both_passed: Path, playbooks: Path, inventory: Path
) -> None:
    take(both_passed, "030@pod-001", host="elsewhere", lease_s=0.01)
    take(both_passed, "030@pod-002", host="elsewhere")
    time.sleep(0.02)

    with Ledger.open(both_passed) as ledger, open_snapshot(both_passed) as snapshot:
        ledger.log.clock = machine_time  # leases are in it, whatever project time a test has
        said = recover(at_rest(ledger, snapshot, RealPerformer(playbooks, inventory, hands_off=True)), snapshot)

    assert [sentence.partition(",")[0] for sentence in said] == ["030@pod-001: interrupted"]
    assert "its engine on elsewhere has ended" in said[0]
    assert state(both_passed, "030@pod-002") == "running"


@pytest.mark.parametrize(("asked", "then"), [(False, "ready"), (True, "on_hold")])
def test_what_somebody_asked_to_stop_does_not_run_again_because_its_engine_was_killed(
    both_passed: Path, playbooks: Path, inventory: Path, asked: bool, then: str
) -> None:
    """Nobody answers the request any more, or the engine was killed after its answer."""
    take(both_passed, "030@pod-001")
    with Ledger.open(both_passed) as ledger:
        if asked:
            request = request_cancel(ledger, "lead", "030@pod-001")
            assert isinstance(request.payload, RequestMade)
            answer_request(ledger, ENGINE, request.payload.request, "stopping it")
        with open_snapshot(both_passed) as snapshot:
            (said,) = recover(at_rest(ledger, snapshot, RealPerformer(playbooks, inventory, hands_off=True)), snapshot)

    assert state(both_passed, "030@pod-001") == then
    assert ("a person decides" in said) == asked


def test_a_lease_that_was_renewed_in_the_database_is_not_over(
    postgres: Server, tmp_path: Path, playbooks: Path, inventory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A renewal is no event: the copy in another engine's folder may still hold the lease of before."""
    monkeypatch.setenv(ON_POSTGRES, "yes")  # the small site's people share one account then
    here = tmp_path / "here"
    here.mkdir()
    share(here, postgres.url(postgres.database(at_any_time=True), EVERYBODY))
    clock = Clock()
    with earlier_rules(), recorded_by(clock), begun(here, clock) as ledger:
        adopt_plan(ledger, "pm", engine_plan(), reason="first plan")
        bought(ledger)
        racked(ledger)
        passed(ledger, clock)
    take(here, "030@pod-001", host="elsewhere", lease_s=0.2)
    with Ledger.open(elsewhere(here, "there")) as ledger, open_snapshot(ledger.site_dir) as snapshot:
        (known,) = claims(snapshot)
        with Ledger.open(here) as theirs:
            renew(theirs, "gone:1", "030@pod-001", 3600)
        until(lambda: known.lease_until < machine_time(), seconds=5)

        assert recover(at_rest(ledger, snapshot, RealPerformer(playbooks, inventory, hands_off=True)), snapshot) == []

    assert state(here, "030@pod-001") == "running"


@pytest.mark.slow
def test_history_is_restored_only_where_the_dashboard_has_none(
    both_passed: Path, server: PrefectServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    from flows.dashboard.board import Board
    from flows.dashboard.earlier_engines import lost_history

    take(both_passed, "030@pod-001")
    board = Board(server.api, both_passed, project_now)
    with monkeypatch.context() as lost, open_snapshot(both_passed) as snapshot:
        lost.setattr(server.api, "count", lambda *_: 0)
        restored = lost_history(server.api, snapshot)
    made = board.open(restored)

    assert restored == ["procurement", "networking"]  # these have something done
    found = server.api.some("flow_runs", {"flow_runs": {"tags": {"all_": ["restored from ledger"]}}})
    assert {run["id"] for run in found} == {made[phase].run for phase in restored}
    with open_snapshot(both_passed) as snapshot:
        assert lost_history(server.api, snapshot) == []


@pytest.mark.slow
def test_nothing_was_lost_where_no_engine_has_run_anything(
    both_passed: Path, server: PrefectServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """People may have recorded much before the first start of an engine."""
    from flows.dashboard.earlier_engines import lost_history

    monkeypatch.setattr(server.api, "count", lambda *_: 0)
    with open_snapshot(both_passed) as snapshot:
        assert lost_history(server.api, snapshot) == []


@pytest.mark.slow
def test_runs_of_engines_that_are_gone_are_shown_as_crashed(server: PrefectServer) -> None:
    from flows.dashboard.earlier_engines import clear_abandoned

    flow = server.api.post("/flows/", {"name": "Networking"})
    run = {"flow_id": flow["id"], "state": {"type": "RUNNING"}, "name": "left behind", "tags": ["abandoned"]}
    made = server.api.post("/flow_runs/", run)

    wanted = {"flow_runs": {"id": {"any_": [made["id"]]}}}
    clear_abandoned(server.api, "another site")
    assert server.api.some("flow_runs", wanted)[0]["state"]["type"] == "RUNNING"
    clear_abandoned(server.api, "abandoned")

    found = server.api.some("flow_runs", wanted)
    assert found[0]["state"]["type"] == "CRASHED"
    assert found[0]["state"]["name"] == "Engine gone"
    assert datetime.fromisoformat(found[0]["created"]) > machine_time() - timedelta(minutes=5)
