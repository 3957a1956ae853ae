"""How often an engine opens the record: once a wake, and once more only where it has recorded something itself.

Every snapshot that `ledger.reading.open_snapshot` makes is counted, wherever it is opened. Of an engine's wake, only looking and
queueing count: what the dispatcher's thread does from the moment it looks until the work is queued. What was queued is done
later, in a thread for each task. Such a thread opens the record once, before it acts.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from flows.engine.housekeeping import Housekeeping
from flows.engine.performer import Outcome
from flows.engine.ready_work import ReadyWork
from flows.engine.state import Engine, Work
from flows.performers.real import RealPerformer
from flows.phases.tasks import _dealt_with
from flows.rehearsal.course import CLOSING, Stage
from flows.rehearsal.people import SimulatedPeople
from flows.rehearsal.performer import Simulator
from flows.rehearsal.planned_times import PlannedTimes
from flows.rehearsal.simulated_time import SimulatedClock
from flows.rehearsal.suppliers import SimulatedSuppliers
from flows.runs.bundle.digest import run_digest
from ledger.evidence.plans import read_plan
from ledger.project_time import project_now
from ledger.questions.snapshot import Snapshot
from ledger.reading import open_snapshot
from ledger.stores.place import FILE
from ledger.subjects.plan.decisions import adopt_plan
from ledger.subjects.runs.decisions import release
from ledger.subjects.runs.request_decisions import request_run
from ledger.writing import Ledger
from tests.flows.conftest import Start, runs, state, until
from tests.flows.test_rehearsal import rehearsal_plan
from tests.ledger.conftest import T0, begun, share
from tests.ports import free_port

FORECAST = "forecast"
"""The name of the thread in which an engine makes the forecast."""

Opened = list[threading.Thread]


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> Opened:
    """The threads that opened a snapshot, once for each snapshot; without the forecast's, which is made beside the work."""
    threads: Opened = []

    def counted(*args: Any, **named: Any) -> Snapshot:
        if threading.current_thread().name != FORECAST:
            threads.append(threading.current_thread())
        return Snapshot(*args, **named)

    monkeypatch.setattr("ledger.reading.Snapshot", counted)
    return threads


@pytest.fixture
def at_work(both_passed: Path, playbooks: Path, inventory: Path) -> Iterator[Engine]:
    """A real engine with playbooks and hosts, on a site where software may begin in both pods."""
    with open_snapshot(both_passed) as snapshot:
        plan = read_plan(snapshot)
    with Ledger.open(both_passed) as ledger:
        performer = RealPerformer(playbooks, inventory, hands_off=False)
        engine = Engine(both_passed, ledger, plan, 1, project_now, performer, 0, rehearsal=False)
        engine.tend = Housekeeping(engine, lambda _: None).tend
        yield engine


def taken(engine: Engine) -> list[Work]:
    """Take what was queued, as phase runs do."""
    found = []
    for waiting in engine.queues.values():
        while not waiting.empty():
            found.append(waiting.get())
    return found


def counting(patch: pytest.MonkeyPatch, opened: Opened, owner: type, name: str) -> list[int]:
    """Return a list that grows by how many snapshots each call of a method opens in its thread."""
    counts: list[int] = []
    method = getattr(owner, name)

    def counted(*args: Any, **named: Any) -> Any:
        before = opened.count(threading.current_thread())
        result = method(*args, **named)
        counts.append(opened.count(threading.current_thread()) - before)
        return result

    patch.setattr(owner, name, counted)
    return counts


def test_a_wake_that_looks_and_queues_opens_the_record_once(
    at_work: Engine, playbooks: Path, inventory: Path, opened: Opened
) -> None:
    with ReadyWork(at_work) as ready_work:
        assert ready_work.look() == 6
        assert len(opened) == 1

        assert ready_work.look() == 0, "what it reserved for them is in the file"
        opened.pop()
        assert ready_work.look() is None
        assert len(opened) == 1, "nothing has changed: the record is not opened"

        for work in taken(at_work):
            at_work.ended(work.key, Outcome("Done", ""))
        assert ready_work.look() == 0
        assert len(opened) == 2

        digest = run_digest(playbooks / "networking" / "040.yml", inventory)
        with Ledger.open(at_work.site_dir) as ledger:
            for pod in ("pod-001", "pod-002"):
                release(ledger, "lead", f"040@{pod}", hosts=[f"{pod}-n1"], count=1, playbook_digest=digest)
        assert ready_work.look() == 2, "both changes were released"
        assert len(opened) == 3


def test_an_engine_without_work_says_that_its_database_is_away_and_when_it_answers_again(at_work: Engine) -> None:
    """It records nothing meanwhile, so that no decision of its own would meet the fault."""
    said: list[str] = []
    at_work.unwritten.say = said.append
    with ReadyWork(at_work) as ready_work:
        share(at_work.site_dir, f"postgresql://nobody@127.0.0.1:{free_port()}/site")
        for _ in range(2):
            ready_work.look(again=True)
        (at_work.site_dir / FILE).unlink()
        for _ in range(2):
            ready_work.look(again=True)

    away, again = said
    assert "nothing can be recorded" in away
    assert "the database site at 127.0.0.1 does not answer" in away
    assert "can be written again" in again


def test_what_a_wake_has_recorded_itself_is_read_anew(at_work: Engine, opened: Opened) -> None:
    with ReadyWork(at_work) as ready_work:
        ready_work.look()
        for work in taken(at_work):
            at_work.ended(work.key, Outcome("Done", ""))
        with Ledger.open(at_work.site_dir) as ledger:
            request_run(ledger, "lead", "030@pod-001")
        opened.clear()

        assert ready_work.look() == 1

        assert len(opened) == 2, "once to look, and once after the request was answered"
        assert ready_work.look() == 0, "the answer is an event too"
        assert len(opened) == 3


def test_a_rehearsal_opens_the_record_once_a_wake_a_task_and_a_situation(
    tmp_path: Path, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To go-live, without a server: the tasks are done in the dispatcher's thread, one after the other."""
    folder, clock, plan = tmp_path / "rehearsal", SimulatedClock(T0), rehearsal_plan()
    looks: list[tuple[int | None, int]] = []
    situations = counting(monkeypatch, opened, Engine, "quiet")
    refusals = counting(monkeypatch, opened, SimulatedPeople, "is_held_back")
    with begun(folder, clock, owner="sim-owner-pm", rehearsal=True) as ledger:
        adopt_plan(ledger, "sim-owner-pm", plan, reason="rehearsal")
        people = SimulatedPeople(ledger, plan, clock)
        times = PlannedTimes(plan)
        simulator = Simulator(clock, times, people)
        engine = Engine(folder, ledger, plan, 1, clock, simulator, 0, rehearsal=True)
        stage = Stage(engine, simulator, SimulatedSuppliers(times, people, clock), clock, CLOSING, print)

        def dispatch() -> None:
            with ReadyWork(engine) as ready_work:
                while not engine.stopping.is_set():
                    before = opened.count(dispatcher)
                    queued = ready_work.look()
                    looks.append((queued, opened.count(dispatcher) - before))
                    for work in taken(engine):
                        engine.ended(work.key, _dealt_with(engine, work.key.activity, work.key.attempt))
                    ready_work.wait()

        dispatcher = threading.Thread(target=dispatch, daemon=True)
        opened.clear()
        dispatcher.start()
        stage.play(dispatcher)
        engine.stopping.set()
        dispatcher.join(10)

    assert len([queued for queued, _ in looks if queued]) >= 3
    assert {count for queued, count in looks if queued is not None} == {1}
    assert opened.count(dispatcher) == sum(count for _, count in looks) + engine.handed
    assert set(situations) <= {0, 1}
    assert set(refusals) <= {1}, "only after a refusal, to learn whether another finish holds it back"
    assert opened.count(threading.current_thread()) == sum(situations) + sum(refusals)


@pytest.mark.slow
def test_a_running_engine_opens_the_record_once_a_wake_and_once_a_task(
    both_passed: Path, start: Start, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With Prefect and Ansible: beside the looks once at an advance's end, and before a result whether it can be signed.

    A person is asked without a look.
    """
    looks: list[tuple[int | None, int]] = []
    look = ReadyWork.look

    def counted(ready_work: ReadyWork, *, again: bool = False) -> int | None:
        before = opened.count(threading.current_thread())
        queued = look(ready_work, again=again)
        looks.append((queued, opened.count(threading.current_thread()) - before))
        return queued

    monkeypatch.setattr(ReadyWork, "look", counted)
    running = start(both_passed)
    until(lambda: len([run for run in runs(both_passed) if run.settled_at]) == 2, seconds=40)
    until(lambda: state(both_passed, "030@pod-002") == "checked_not_met", seconds=15)
    running.stop()

    assert {count for queued, count in looks if queued} == {1}
    assert {count for queued, count in looks if queued == 0} == {1}
    assert {count for queued, count in looks if queued is None} == {0}
    here = threading.current_thread()
    elsewhere = [thread for thread in opened if thread not in {here, running.thread}]
    at_ends = [thread.name.partition(" ·")[0] for thread in elsewhere if "advance" in thread.name]
    results = [run for run in runs(both_passed) if run.settled_at]
    assert sorted(at_ends) == ["Networking", "Power"]
    asked = ["080@site"]
    assert len(elsewhere) - len(at_ends) == running.engine.task_runs - len(asked) + len(results)
    assert opened.count(running.thread) == sum(count for _, count in looks)
