"""Runs that want the same hosts take turns: what is first in the order is not overtaken. Real Prefect, real Ansible."""

from __future__ import annotations

from pathlib import Path

import pytest

from flows.dashboard.server import PrefectServer
from ledger.questions.turns import turns
from ledger.trust.audit import audit
from tests.flows.busy_site import FIRST, LAST, READY_FIRST, WIDE, make, make_inventory, make_playbooks
from tests.flows.conftest import Running, Start, runs, state, until
from tests.ledger.conftest import elsewhere, share
from tests.needs import needs_postgres
from tests.postgres_server import EVERYBODY, ON_POSTGRES, Server

pytestmark = [pytest.mark.slow, pytest.mark.long]


@pytest.fixture
def inventory(tmp_path: Path) -> Path:
    """One host a pod."""
    return make_inventory(tmp_path)


@pytest.fixture
def playbooks(tmp_path: Path) -> Path:
    """A playbook a pod, and one for all."""
    return make_playbooks(tmp_path)


@pytest.fixture
def busy(tmp_path: Path) -> Path:
    """The busy site, in a file."""
    folder = tmp_path / "site"
    make(folder)
    return folder


@pytest.fixture
def shared(postgres: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """The same site, shared through PostgreSQL, and the folders of two engines."""
    monkeypatch.setenv(ON_POSTGRES, "yes")  # its people share one account then
    here = tmp_path / "here"
    here.mkdir()
    share(here, postgres.url(postgres.database(), EVERYBODY))
    make(here)
    return here, elsewhere(here, "there")


def waits(running: Running) -> dict[str, str]:
    """Return what waits for its turn by the record, in the sentences that people read."""
    with running.engine.snapshot() as snapshot:
        return {name: turn.words("UTC") for name, turn in turns(snapshot).items()}


def overtook(site: Path) -> list[str]:
    """Return what was not ready before the wide step, and began on a host of it after that was ready, and before that began."""
    found = runs(site)
    (ready,) = (run.settled_at for run in found if run.activity == FIRST)
    (began,) = (run.started_at for run in found if run.activity == WIDE)
    assert ready is not None
    return [run.activity for run in found if ready < run.started_at < began and run.activity not in READY_FIRST]


def test_a_wide_step_is_not_overtaken_by_a_stream_of_narrow_ones(busy: Path, start: Start) -> None:
    """Its hosts are never all free at one instant by themselves."""
    running = start(busy)
    until(lambda: WIDE in waits(running), seconds=180)
    said = waits(running)[WIDE]
    assert "running since" in said
    assert "place 1 of" in said
    until(lambda: state(busy, WIDE) == "done", seconds=300)

    assert len(overtook(busy)) <= 1, "what became ready together with it, and comes before it by its id"
    until(lambda: all(state(busy, name) == "done" for name in LAST), seconds=300)
    assert not audit(busy)


@needs_postgres
def test_two_engines_keep_one_order_on_a_shared_ledger(shared: tuple[Path, Path], start: Start) -> None:
    """Each in its own folder; either may get the wide step."""
    here, there = shared
    start(here)
    start(there)
    until(lambda: state(here, WIDE) == "done", seconds=300)
    until(lambda: all(state(here, name) == "done" for name in LAST), seconds=300)

    assert len(overtook(here)) <= 1
    for site in shared:
        assert not audit(site)


def test_the_dashboard_says_what_a_waiting_run_waits_for(busy: Path, start: Start, server: PrefectServer) -> None:
    """In a task of its own, which ends at once: no thread waits."""
    running = start(busy)
    until(lambda: state(busy, WIDE) == "done", seconds=300)

    of_engine = {"tags": {"all_": [running.engine.tag]}}
    named = {"flow_runs": of_engine, "task_runs": {"name": {"like_": "250"}}}
    until(lambda: len(server.api.some("task_runs", named)) == 2, seconds=15)
    states = [run["state"] for run in server.api.some("task_runs", named)]
    (told,) = [state["message"] for state in states if state["name"] == "Waits for its turn"]
    assert "waits for 20" in told
    assert "place 1 of" in told
