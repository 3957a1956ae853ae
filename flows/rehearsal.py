"""The whole buildout in simulated time: the same dispatcher, flows, services and server as the real one.

When nothing is ready and nothing of the engine is under way, project time moves to the next moment at which
something ends, arrives or may start. Machine time is never simulated.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from flows.prefect_server import PrefectServer
from flows.rehearsal_keys import RehearsalKeys
from ledger.questions.case import require_activity
from ledger.questions.orders import orders
from ledger.questions.site import counts, project_time, site_of
from ledger.reading import open_snapshot
from steps.errors import InputError

if TYPE_CHECKING:
    from flows.engine_state import Engine
    from flows.simulation import SimulatedClock
    from flows.stage import Stage
    from ledger.writing import Ledger

CLOSING = "195@site"
LINGER_S = 600.0
"""Machine time: phases keep their run through the jumps of project time, so that each shows one graph."""


class RehearsalReport(NamedTuple):
    """How a rehearsal went; `start` and `finish` are project time, `seconds` machine time."""

    seconds: float
    activities: int
    done: int
    not_applicable: int
    start: datetime
    finish: datetime


def rehearse(
    site_dir: Path, *, seed: int, port: int, on_message: Callable[[str], None], until: str | None
) -> RehearsalReport:
    """Play a rehearsal's ledger through to go-live, or until an activity is done; it goes on where it was."""
    began = time.monotonic()
    keys = RehearsalKeys(site_dir)
    with open_snapshot(site_dir) as snapshot:
        if not site_of(snapshot).rehearsal:
            raise InputError("this ledger is a real record, not a rehearsal's")
        require_activity(snapshot, until or CLOSING)
        started = project_time(snapshot)
    with PrefectServer(site_dir, port, on_message) as server:
        from flows.engine_log import logged
        from flows.simulation import SimulatedClock
        from ledger.writing import Ledger

        clock = SimulatedClock(started)
        with logged(site_dir), Ledger.open(site_dir, clock=clock) as ledger:
            ledger.signer = keys.sign
            engine, stage = _set_up(site_dir, ledger, clock, seed, until or CLOSING, on_message)
            _play(server, engine, stage, on_message)
    with open_snapshot(site_dir, clock()) as snapshot:
        total, by_state = (found := counts(snapshot)).total, {state.value: n for state, n in found.by_state.items()}
        first = site_of(snapshot).plan_start or started
        if require_activity(snapshot, CLOSING).state.value == "done":
            keys.throw_away()
    seconds = time.monotonic() - began
    return RehearsalReport(seconds, total, by_state["done"], by_state["not_applicable"], first, clock())


def _set_up(
    site_dir: Path, ledger: Ledger, clock: SimulatedClock, seed: int, wanted: str, say: Callable[[str], None]
) -> tuple[Engine, Stage]:
    from flows.engine_state import Engine
    from flows.executors.rehearsed import Simulator
    from flows.executors.simulated_people import SimulatedPeople
    from flows.executors.simulated_suppliers import SimulatedSuppliers
    from flows.stage import Stage
    from ledger.evidence.plans import read_plan
    from steps.schedule.calendar import WorkCalendar

    with open_snapshot(site_dir) as snapshot:
        plan, revision = read_plan(snapshot), site_of(snapshot).revision
        placed = [(row, row.placed_at) for row in orders(snapshot) if row.placed_at]
    people = SimulatedPeople(ledger, plan, clock)
    suppliers = SimulatedSuppliers(plan, people, clock, seed)
    simulator = Simulator(site_dir, clock, WorkCalendar.from_plan(plan), people, seed)
    engine = Engine(
        site_dir=site_dir,
        ledger=ledger,
        plan=plan,
        revision=revision,
        clock=clock,
        performer=simulator,
        linger_s=LINGER_S,
        rehearsal=True,
    )
    with ledger.batch():
        simulator.resume(engine)
    for row, placed_at in placed:
        suppliers.expect(row, placed_at)
    return engine, Stage(engine, simulator, suppliers, clock, wanted, say)


def _play(server: PrefectServer, engine: Engine, stage: Stage, say: Callable[[str], None]) -> None:
    from flows.catching_up import catch_up
    from flows.dispatcher import Dispatcher
    from flows.engine_state import forget, register
    from flows.standing import clear_abandoned

    register(engine)
    clear_abandoned(server.api)
    dispatcher = threading.Thread(
        target=Dispatcher(engine).run, kwargs={"until_idle": False}, name="dispatcher", daemon=True
    )
    dispatcher.start()
    try:
        stage.play(dispatcher)
    finally:
        engine.stopping.set()
        engine.bell.ring()
        dispatcher.join()
        forget(engine)
    seen = catch_up(server, engine)
    say(f"{seen} of {engine.task_runs} task runs are in the dashboard")
