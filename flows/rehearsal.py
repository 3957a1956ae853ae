"""The whole buildout in simulated time: the same dispatcher, flows, services and server as the real one.

When nothing is ready and nothing of the engine is under way, project time moves to the next moment at which
something ends, arrives or may start. Machine time is never simulated.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from flows.prefect_server import PrefectServer
from flows.simulation import SimulatedClock
from steps.errors import InputError, NotSatisfiedError

log = logging.getLogger("clusterwright.flows")

LINGER_S = 30.0
"""Machine time: phases keep their run through the jumps of project time, so that each shows one graph."""
QUIET_S = 0.005


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
    """Play a rehearsal's ledger through to go-live, or until an activity is done."""
    from ledger.database import Ledger
    from ledger.plan_store import read_plan
    from ledger.reads import Reader

    began = time.monotonic()
    with Reader.open(site_dir) as reader:
        site = reader.site()
        if not site.rehearsal:
            raise InputError("this ledger is a real record, not a rehearsal's")
        now = reader.project_time()
    plan = read_plan(site_dir)
    clock = SimulatedClock(now)
    with PrefectServer(site_dir, port, on_message) as server, Ledger.open(site_dir, clock=clock) as ledger:
        from flows.dispatcher import Dispatcher
        from flows.engine_state import Engine, forget, register
        from flows.executors.rehearsed import Simulator
        from flows.standing import clear_abandoned
        from steps.schedule.calendar import WorkCalendar

        simulator = Simulator(site_dir, clock, WorkCalendar.from_plan(plan), seed)
        engine = Engine(
            site_dir=site_dir,
            ledger=ledger,
            plan=plan,
            revision=site.revision,
            clock=clock,
            performer=simulator,
            linger_s=LINGER_S,
            rehearsal=True,
        )
        register(engine)
        clear_abandoned(server)
        dispatcher = threading.Thread(
            target=Dispatcher(engine, on_message).run, kwargs={"until_idle": False}, name="dispatcher"
        )
        dispatcher.start()
        try:
            _Stage(engine, simulator, clock, on_message, until).play()
        finally:
            engine.stopping.set()
            engine.wake()
            dispatcher.join()
            forget(engine)
            seen = server.drain(engine.tag, engine.task_runs)
            on_message(f"{seen} of {engine.task_runs} task runs are in the dashboard")
    with Reader.open(site_dir) as reader:
        counts = reader.counts(clock())
        by_state = {state.value: n for state, n in counts.by_state.items()}
    return RehearsalReport(
        time.monotonic() - began, counts.total, by_state["done"], by_state["not_applicable"], plan.start, clock()
    )


class _Stage:
    """Moves project time while nothing else can happen."""

    def __init__(self, engine: object, simulator: object, clock: SimulatedClock, say: Callable[[str], None], until: str | None) -> None:
        from flows.engine_state import Engine
        from flows.executors.rehearsed import Simulator

        assert isinstance(engine, Engine)
        assert isinstance(simulator, Simulator)
        self.engine, self.simulator, self.clock, self.say, self.until = engine, simulator, clock, say, until
        self.told = time.monotonic()

    def play(self) -> None:
        """Go on until the closing activity is done, or nothing is left that could happen."""
        while not self._is_over():
            self._settle_down()
            if self._place_orders():
                continue
            at = self._next_moment()
            if at is None:
                raise NotSatisfiedError(
                    "the rehearsal cannot go on: nothing is ready, under way or expected",
                    hint="`clusterwright next` and `clusterwright why 195@site` say what waits for what",
                )
            due = self.clock.move_to(at)
            with self.engine.ledger.batch():
                for decision in due:
                    decision(self.clock())
            self.engine.wake()
            self._tell()

    def _settle_down(self) -> None:
        """Wait until everything ready was handed out and dealt with."""
        while self.engine.waiting_work() or self.engine.in_flight > 0:
            with self.engine.changed:
                self.engine.changed.wait(QUIET_S)

    def _place_orders(self) -> bool:
        from ledger.reads import Reader

        now = self.clock()
        with Reader.open(self.engine.site_dir) as reader:
            ready = [o for o in reader.orders(now) if o.placed_at is None and o.ready_from and o.ready_from <= now]
        with self.engine.ledger.batch():
            for row in ready:
                self.simulator.place(self.engine, row, now)
        return bool(ready)

    def _next_moment(self) -> datetime | None:
        from ledger.reads import Reader

        with Reader.open(self.engine.site_dir) as reader:
            wake = reader.next_wake(self.clock())
        return min((t for t in (wake, self.clock.next_due()) if t is not None), default=None)

    def _is_over(self) -> bool:
        from ledger.reads import Reader

        wanted = self.until or "195@site"
        with Reader.open(self.engine.site_dir) as reader:
            row = reader.require_activity(wanted, self.clock())
        return row.state.value in {"done", "not_applicable"}

    def _tell(self) -> None:
        if time.monotonic() - self.told > 5:
            self.told = time.monotonic()
            from ledger.reads import Reader

            with Reader.open(self.engine.site_dir) as reader:
                counts = reader.counts(self.clock())
            done = next(n for state, n in counts.by_state.items() if state.value == "done")
            self.say(f"{self.clock():%Y-%m-%d}: {done} of {counts.total} done")
