"""The whole buildout in simulated time, with the same dispatcher, flows, decisions and server as the real one.

When nothing is ready and the engine has nothing under way, project time moves to the next moment at which something ends,
arrives or may start. Machine time is never simulated.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from flows.engine_state import Engine
from flows.executors.rehearsed import Simulator
from flows.executors.simulated_people import SimulatedPeople
from flows.executors.simulated_suppliers import SimulatedSuppliers
from flows.prefect_server import PrefectServer
from flows.rehearsal_keys import RehearsalKeys
from flows.simulation import SimulatedClock
from flows.stage import CLOSING, Stage
from ledger.evidence.plans import read_plan
from ledger.questions.case import require_activity
from ledger.questions.counts import counts
from ledger.questions.orders import orders
from ledger.questions.site import project_time, site_of
from ledger.reading import open_snapshot
from ledger.rules.activity import State
from ledger.writing import Ledger
from steps.errors import InputError
from steps.schedule.calendar import calendars_of

LINGER_S = 600.0
"""Machine time in seconds: phase runs go on through the jumps of project time, so that each phase shows one graph."""


class RehearsalReport(NamedTuple):
    """How a rehearsal went. `start` and `finish` are project time, `seconds` machine time."""

    seconds: float
    activities: int
    done: int
    not_applicable: int
    start: datetime
    finish: datetime


def rehearse(
    site_dir: Path,
    *,
    seed: int,
    port: int,
    on_message: Callable[[str], None],
    until: str | None,
) -> RehearsalReport:
    """Play a rehearsal's ledger to go-live, or until an activity is done. A rehearsal that was broken off goes on.

    Raise for a ledger that is a real record, and where nothing more can happen before the end.
    """
    began = time.monotonic()
    keys = RehearsalKeys(site_dir)
    with open_snapshot(site_dir) as snapshot:
        if not site_of(snapshot).rehearsal:
            raise InputError("this ledger is a real record, not a rehearsal's")
        last = require_activity(snapshot, until or CLOSING)
        if last.state is State.NOT_APPLICABLE:
            raise InputError(f"{last.id} does not apply at this site", hint="name an activity that somebody does")
        clock = SimulatedClock(project_time(snapshot))
    with PrefectServer(site_dir, port, on_message) as server:
        # Prefect reads its settings when it is first imported: here, after the server has set them
        from flows.dispatcher import dispatching

        with Ledger.open(site_dir, clock=clock) as ledger:
            ledger.signer = keys.sign
            stage = _set_up(ledger, clock, seed, until or CLOSING, on_message)
            with dispatching(server, stage.engine, on_message) as dispatcher:
                stage.play(dispatcher)
    return _report(site_dir, keys, clock(), time.monotonic() - began)


def _report(site_dir: Path, keys: RehearsalKeys, now: datetime, seconds: float) -> RehearsalReport:
    """Return how it went. After go-live, throw away the keys."""
    with open_snapshot(site_dir, now) as snapshot:
        found = counts(snapshot)
        first = site_of(snapshot).plan_start
        if require_activity(snapshot, CLOSING).state is State.DONE:
            keys.throw_away()
    assert first is not None  # a rehearsal's ledger begins with its plan
    done, not_applicable = (found.by_state[state] for state in (State.DONE, State.NOT_APPLICABLE))
    return RehearsalReport(seconds, found.total, done, not_applicable, first, now)


def _set_up(
    ledger: Ledger,
    clock: SimulatedClock,
    seed: int,
    wanted: str,
    say: Callable[[str], None],
) -> Stage:
    """Return the stage, with the ends of all that an earlier rehearsal had begun scheduled again."""
    with open_snapshot(ledger.site_dir, clock()) as snapshot:
        plan, revision = read_plan(snapshot), site_of(snapshot).revision
        people = SimulatedPeople(ledger, plan, clock)
        simulator = Simulator(clock, calendars_of(plan), people, seed)
        suppliers = SimulatedSuppliers(plan, people, clock, seed)
        engine = Engine(
            site_dir=ledger.site_dir,
            ledger=ledger,
            plan=plan,
            revision=revision,
            clock=clock,
            performer=simulator,
            linger_s=LINGER_S,
            rehearsal=True,
        )
        with ledger.batch():
            simulator.resume(engine, snapshot)
        for row in orders(snapshot):
            if row.placed_at is not None:
                suppliers.expect(row, row.placed_at)
    return Stage(engine, simulator, suppliers, clock, wanted, say)
