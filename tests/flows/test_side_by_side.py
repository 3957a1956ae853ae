"""What is ready begins at once, however much goes on for long: only a run waits, for a free place on the machine."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from flows.dashboard.server import PrefectServer
from flows.engine.performer import Job, Outcome
from flows.engine.state import Engine
from flows.engine.up import _engine
from flows.performers.real import RealPerformer
from flows.runs.limits.limits import side_by_side
from flows.runs.means import Means
from ledger.evidence.plans import read_plan
from ledger.project_time import project_now
from ledger.questions.snapshot import Snapshot
from ledger.reading import open_snapshot
from ledger.rules.activity import Activity
from ledger.subjects.plan.decisions import adopt_plan
from ledger.writing import Ledger
from steps.design.run_settings import RunSettings
from tests.flows.conftest import Running, until
from tests.ledger.conftest import activity, begun, small_plan

pytestmark = pytest.mark.slow

LONG = tuple(f"{200 + number}@site" for number in range(20))
QUESTION, SHORT = "300@site", "301@site"
PLACES = 18


class Slow(RealPerformer):
    """A performer whose runs go on until they are released, each on a host of its own. People are asked as always."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, None, hands_off=False)
        self.released = threading.Event()
        self.begun: list[str] = []

    def hosts(self, snapshot: Snapshot, row: Activity) -> tuple[str, ...]:
        return () if row.id == QUESTION else (f"host-{row.id}",)

    def prepare(self, engine: Engine, snapshot: Snapshot, row: Activity) -> Job:
        if row.id == QUESTION:
            return super().prepare(engine, snapshot, row)
        return lambda: self._begin(row.id)

    def _begin(self, name: str) -> Outcome:
        self.begun.append(name)
        if name != SHORT:
            assert self.released.wait(120)
        return Outcome("Done", "")


def make(folder: Path, *long: str) -> None:
    """Adopt a plan in which long runs, a question and a short run are ready at once, in this order."""
    reads = {"kind": "verify", "effect": "read", "policy": {"needed": "by-hand"}}
    made = [*(activity(name, **reads) for name in long), activity(QUESTION), activity(SHORT, **reads)]
    units: list[dict[str, Any]] = [{"id": "site", "kind": "site", "parent": None, "title": "Site", "hosts": []}]
    with begun(folder, project_now) as ledger:
        adopt_plan(ledger, "pm", small_plan(activities=made, links=[], units=units, orders=[]), reason="first plan")


@pytest.fixture
def slow(tmp_path: Path) -> Iterator[Slow]:
    """The performer. What it runs ends with the test."""
    performer = Slow(tmp_path)
    yield performer
    performer.released.set()


def engine_of(site: Path, performer: Slow, places: int | None) -> Engine:
    with open_snapshot(site) as snapshot:
        plan = read_plan(snapshot)
    ledger = Ledger.open(site)
    return Engine(site, ledger, plan, 1, project_now, performer, 0.5, rehearsal=False, side_by_side=places)


def asked(engine: Engine) -> bool:
    """Return whether people were asked the question."""
    return any(key.activity == QUESTION for key in engine.asked._keys)


def test_a_short_run_does_not_wait_for_twenty_long_ones(tmp_path: Path, slow: Slow, server: PrefectServer) -> None:
    """Twenty go on in the same run of their phase, and none of them ends. The machine has places for more."""
    make(tmp_path / "site", *LONG)
    running = Running(engine_of(tmp_path / "site", slow, None), [])
    try:
        until(lambda: {*slow.begun} == {*LONG, SHORT}, seconds=60)
    finally:
        slow.released.set()
        running.stop()


def test_a_question_does_not_wait_for_a_place_and_a_run_does(tmp_path: Path, slow: Slow, server: PrefectServer) -> None:
    """All places of the machine are taken, by runs that do not end."""
    make(tmp_path / "site", *LONG)
    running = Running(engine_of(tmp_path / "site", slow, PLACES), [])
    try:
        until(lambda: asked(running.engine) and len(slow.begun) == PLACES, seconds=60)
        assert SHORT not in slow.begun
        slow.released.set()
        until(lambda: len(slow.begun) > PLACES, seconds=60)
    finally:
        slow.released.set()
        running.stop()


def test_up_has_the_bound_of_the_site_or_of_the_machine(slow: Slow, tmp_path: Path) -> None:
    make(tmp_path / "site")
    with Ledger.open(tmp_path / "site") as ledger:
        for settings, bound in ((RunSettings(side_by_side=3), 3), (RunSettings(), side_by_side(RunSettings()))):
            engine = _engine("e", ledger, slow, None, Means(settings), threading.Event())
            assert engine.turns._side_by_side == bound
