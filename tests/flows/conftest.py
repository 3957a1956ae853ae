"""A real Prefect server for the session, and the small site of two pods as an engine meets it.

Prefect reads its settings when it is first imported, so they are set here, before any test module is read.
"""

from __future__ import annotations

import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from msgspec import to_builtins

from flows.dashboard.server import PrefectServer
from flows.dashboard.settings import apply
from ledger.project_time import project_now
from ledger.questions import records
from ledger.questions.case import require_activity
from ledger.reading import open_snapshot
from ledger.rules.activity import Activity
from ledger.subjects.plan.decisions import adopt_plan
from ledger.writing import Ledger
from steps.planning.plan import Plan
from tests.dashboard import give_dashboard
from tests.ledger.conftest import Clock, activity, begun, earlier_rules, link, small_plan
from tests.ledger.journey import bought, passed, racked
from tests.once import Once
from tests.ports import free_port

if TYPE_CHECKING:
    from flows.engine.state import Engine


HOME = Path(tempfile.mkdtemp(prefix="clusterwright-tests-"))
PORT = free_port()
apply(HOME, PORT)

PLAYBOOK = """\
- name: Look
  hosts: all
  gather_facts: false
  tasks:
    - name: Take some time
      ansible.builtin.command: {{argv: [sleep, "{seconds}"]}}
      changed_when: false
"""


@pytest.fixture(scope="session")
def server(once: Once) -> Iterator[PrefectServer]:
    """The session's server; every test's engine has its own tag in it."""
    with PrefectServer(give_dashboard(HOME, once), PORT, lambda _: None) as running:
        yield running
        from prefect.logging.handlers import APILogWorker

        APILogWorker.drain_all(timeout=10, at_exit=False)


def until(is_so: Callable[[], object], *, seconds: float) -> float:
    """Wait until something is so. Return how long it took, in seconds."""
    began = time.monotonic()
    while not is_so():
        if time.monotonic() - began > seconds:
            raise AssertionError(f"it did not happen in {seconds} s")
        time.sleep(0.05)
    return time.monotonic() - began


def engine_plan() -> Plan:
    """Return the small plan with a step that nobody has automated, and one of another phase."""
    plan = small_plan()
    extra = [
        activity("060@pod-001", kind="verify", effect="read", policy={"needed": "by-hand"}),
        activity("080@site", phase="power"),
    ]
    links = [link("020@pod-001", "060@pod-001"), link("001@site", "080@site")]
    return Plan.model_validate(
        plan.model_dump(mode="json")
        | {
            "activities": [*to_builtins(plan.activities), *extra],
            "links": [*to_builtins(plan.links), *links],
        }
    )


@pytest.fixture
def playbooks(tmp_path: Path) -> Path:
    """Two playbooks that read nothing: 030 takes a while, 040 a moment."""
    folder = tmp_path / "playbooks" / "networking"
    folder.mkdir(parents=True)
    (folder / "030.yml").write_text(PLAYBOOK.format(seconds=1), encoding="utf-8")
    (folder / "040.yml").write_text(PLAYBOOK.format(seconds=0), encoding="utf-8")
    return folder.parent


@pytest.fixture
def inventory(tmp_path: Path) -> Path:
    """One host a pod, both this machine."""
    path = tmp_path / "hosts.ini"
    here = f"ansible_connection=local ansible_python_interpreter={sys.executable}"
    path.write_text(f"pod-001-n1 {here}\npod-002-n1 {here}\n", encoding="utf-8")
    return path


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """The small site with its plan in force, and nothing done."""
    folder = tmp_path / "site"
    with earlier_rules(), begun(folder, Clock()) as ledger:
        adopt_plan(ledger, "pm", engine_plan(), reason="first plan")
    return folder


@pytest.fixture
def both_passed(site: Path) -> Path:
    """The small site with the hold points of both pods passed: software may begin."""
    clock = Clock()
    with Ledger.open(site, clock=clock) as ledger:
        bought(ledger)
        for pod in (1, 2):
            racked(ledger, pod)
            passed(ledger, clock, pod)
    return site


class Running:
    """A dispatcher at work in a thread of this process."""

    def __init__(self, engine: Engine, said: list[str]) -> None:
        from flows.engine.dispatcher import dispatch

        self.engine = engine
        self.said = said
        self.thread = threading.Thread(target=dispatch, args=(engine,), kwargs={"until_idle": False}, daemon=True)
        self.thread.start()

    def stop(self) -> None:
        """Stop as Ctrl-C does."""
        self.engine.stopping.set()
        self.engine.wakeup.wake()
        self.thread.join(30)
        assert not self.thread.is_alive()


Start = Callable[..., Running]


@pytest.fixture
def start(server: PrefectServer, playbooks: Path, inventory: Path) -> Iterator[Start]:
    """Return a function that starts an engine on a site. All are stopped at the end."""
    from flows.engine.housekeeping import Housekeeping
    from flows.engine.state import Engine
    from flows.performers.real import RealPerformer
    from ledger.evidence.plans import read_plan

    started: list[Running] = []

    def begin(site: Path, *, hands_off: bool = False) -> Running:
        with open_snapshot(site) as snapshot:
            plan = read_plan(snapshot)
        engine = Engine(
            site_dir=site,
            ledger=Ledger.open(site),
            plan=plan,
            revision=1,
            clock=project_now,
            performer=RealPerformer(playbooks, inventory, hands_off=hands_off),
            linger_s=1.0,
            rehearsal=False,
        )
        said: list[str] = []
        engine.tend = Housekeeping(engine, said.append).tend
        started.append(Running(engine, said))
        return started[-1]

    yield begin
    for running in started:
        running.stop()
        running.engine.ledger.close()


def row(site: Path, name: str) -> Activity:
    """Return an activity as it is now."""
    with open_snapshot(site) as snapshot:
        return require_activity(snapshot, name)


def state(site: Path, name: str) -> str:
    """Return an activity's state now."""
    return row(site, name).state.value


def runs(site: Path, name: str | None = None) -> list[records.RunRow]:
    """Return the runs of an activity, or all."""
    with open_snapshot(site) as snapshot:
        return records.runs(snapshot, name)


def task_runs(server: PrefectServer, running: Running) -> list[dict[str, Any]]:
    """Return what the dashboard shows of an engine's tasks."""
    of_engine = {"tags": {"all_": [running.engine.tag]}}
    return server.api.some("task_runs", {"flow_runs": of_engine, "task_runs": {"name": {"like_": "·"}}})
