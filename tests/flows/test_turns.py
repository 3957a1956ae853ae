"""Runs that want the same hosts take turns: what is first in the order is not overtaken. Real Prefect, real Ansible."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from flows.prefect_server import PrefectServer
from ledger.decisions.plan import adopt_plan, create_ledger
from ledger.questions.turns import turns
from ledger.stores.log import machine_clock
from ledger.trust.audit import audit
from tests.flows.conftest import PLAYBOOK, Running, Start, runs, state, until
from tests.ledger.conftest import activity, elsewhere, link, share, small_plan
from tests.needs import needs_postgres
from tests.postgres_server import EVERYBODY, ON_POSTGRES, Server

pytestmark = pytest.mark.slow

PODS = ("pod-001", "pod-002", "pod-003")
ROUNDS = 5
FIRST, WIDE = "200@pod-001", "250@site"


@pytest.fixture
def inventory(tmp_path: Path) -> Path:
    """One host a pod, all of them this machine."""
    path = tmp_path / "hosts.ini"
    here = f"ansible_connection=local ansible_python_interpreter={sys.executable}"
    path.write_text("".join(f"{pod}-n1 {here}\n" for pod in PODS), encoding="utf-8")
    return path


@pytest.fixture
def playbooks(tmp_path: Path) -> Path:
    """A playbook a pod, each of another duration, so that the pods are never free at one instant; and one for all hosts."""
    folder = tmp_path / "playbooks" / "networking"
    folder.mkdir(parents=True)
    for seconds, pod in enumerate(PODS, start=1):
        (folder / f"{pod}.yml").write_text(PLAYBOOK.format(seconds=seconds), encoding="utf-8")
    (folder / "wide.yml").write_text(PLAYBOOK.format(seconds=1), encoding="utf-8")
    return folder.parent


@pytest.fixture
def busy(tmp_path: Path) -> Path:
    """A site where each pod has a chain of short steps, and all pods together a step that is ready after the first of them."""
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


def make(folder: Path) -> None:
    reads = {"kind": "verify", "effect": "read", "policy": {"needed": "by-hand"}}
    made, links = [], [link(FIRST, WIDE)]
    for pod in PODS:
        for number in range(ROUNDS):
            made.append(activity(f"{200 + number}@{pod}", playbook=f"networking/{pod}.yml", **reads))
            if number:
                links.append(link(f"{199 + number}@{pod}", f"{200 + number}@{pod}"))
    made.append(activity(WIDE, playbook="networking/wide.yml", **reads))
    units = [
        {"id": "site", "kind": "site", "parent": None, "title": "Site", "hosts": [f"{pod}-n1" for pod in PODS]},
        *({"id": pod, "kind": "pod", "parent": "site", "title": pod, "hosts": [f"{pod}-n1"]} for pod in PODS),
    ]
    with create_ledger(
        folder, site_name="Busy", time_zone="UTC", rehearsal=False, owner="pm", clock=machine_clock
    ) as ledger:
        plan = small_plan(activities=made, links=links, units=units, orders=[])
        adopt_plan(ledger, "pm", plan, reason="first plan")


def waits(running: Running) -> dict[str, str]:
    """Return what waits for its turn by the record, in the sentences that people read."""
    with running.engine.snapshot() as snapshot:
        return {name: str(turn) for name, turn in turns(snapshot).items()}


def overtook(site: Path) -> list[str]:
    """Return what began on a host of the wide step after it was ready, and before it began."""
    found = runs(site)
    (ready,) = (run.settled_at for run in found if run.activity == FIRST)
    (began,) = (run.started_at for run in found if run.activity == WIDE)
    assert ready is not None
    return [run.activity for run in found if ready < run.started_at < began]


def test_a_wide_step_is_not_overtaken_by_a_stream_of_narrow_ones(busy: Path, start: Start) -> None:
    """Its hosts are never all free at one instant by themselves."""
    running = start(busy)
    until(lambda: WIDE in waits(running), seconds=60)
    said = waits(running)[WIDE]
    assert "running since" in said
    assert "place 1 of" in said
    until(lambda: state(busy, WIDE) == "done", seconds=120)

    assert len(overtook(busy)) <= 1, "what became ready together with it, and comes before it by its id"
    until(lambda: all(state(busy, f"{199 + ROUNDS}@{pod}") == "done" for pod in PODS), seconds=60)
    assert not audit(busy)


@needs_postgres
def test_two_engines_keep_one_order_on_a_shared_ledger(shared: tuple[Path, Path], start: Start) -> None:
    """Each in its own folder; either may get the wide step."""
    here, there = shared
    start(here)
    start(there)
    until(lambda: state(here, WIDE) == "done", seconds=180)
    until(lambda: all(state(here, f"{199 + ROUNDS}@{pod}") == "done" for pod in PODS), seconds=120)

    assert len(overtook(here)) <= 1
    for site in shared:
        assert not audit(site)


def test_the_dashboard_says_what_a_waiting_run_waits_for(busy: Path, start: Start, server: PrefectServer) -> None:
    """In a task of its own, which ends at once: no thread waits."""
    running = start(busy)
    until(lambda: state(busy, WIDE) == "done", seconds=120)

    of_engine = {"tags": {"all_": [running.engine.tag]}}
    named = {"flow_runs": of_engine, "task_runs": {"name": {"like_": "250"}}}
    until(lambda: len(server.api.some("task_runs", named)) == 2, seconds=15)
    states = [run["state"] for run in server.api.some("task_runs", named)]
    (told,) = [state["message"] for state in states if state["name"] == "Waits for its turn"]
    assert "waits for 20" in told
    assert "place 1 of" in told
