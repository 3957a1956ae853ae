"""The course of a rehearsal: project time is moved, and only while nothing else can happen."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from flows.engine.state import Engine
from flows.rehearsal.performer import Simulator
from flows.rehearsal.simulated_time import SimulatedClock, nothing_but_a_look
from flows.rehearsal.suppliers import SimulatedSuppliers
from ledger.questions.case import require_activity
from ledger.questions.counts import counts, next_wake
from ledger.questions.decisions_needed import approved_until
from ledger.questions.orders import orders_to_place
from ledger.questions.snapshot import Snapshot
from ledger.rules.activity import OVER, Activity, State
from ledger.rules.rows import OrderRow
from schedule.errors import ClusterwrightError, NotSatisfiedError
from steps.stamps import local_day

CLOSING = "195@site"
"""The activity with which a buildout ends: go-live."""

LOOK_S = 0.05
TELL_S = 5.0
STUCK_S = 60.0
"""Machine time in seconds after which waiting for the flows ends: they, or their server, have ended."""


class Situation(NamedTuple):
    """What the record says between two moves of project time, when everything ready has been dealt with.

    `at` is the next moment at which something may happen, None where nothing is expected. `ending` are the approvals that
    are over by then.
    """

    is_over: bool
    to_order: list[OrderRow]
    at: datetime | None
    ending: list[Activity]


@dataclass
class Stage:
    """One rehearsal's course. `wanted` is the activity with which it ends."""

    engine: Engine
    simulator: Simulator
    suppliers: SimulatedSuppliers
    clock: SimulatedClock
    wanted: str
    say: Callable[[str], None]
    _told: float = field(default_factory=time.monotonic, init=False)

    def __post_init__(self) -> None:
        """Have the dispatcher look whenever something may begin by the plan."""
        for moment in set(self.simulator.times.starts()):
            self.clock.schedule(moment, nothing_but_a_look)

    def play(self, dispatcher: threading.Thread) -> None:
        """Move project time until the wanted activity is over. Raise where nothing more can happen before that.

        After go-live, time is moved on until all other work has ended too.
        """
        while not (situation := self._situation(dispatcher)).is_over:
            self._go_on(situation)
        while self.wanted == CLOSING and situation.at is not None:
            self._move_to(situation.at, situation.ending)
            situation = self._situation(dispatcher)

    def _go_on(self, situation: Situation) -> None:
        if situation.to_order:
            self._place(situation.to_order)
        elif situation.at is not None:
            self._move_to(situation.at, situation.ending)
        else:
            raise NotSatisfiedError(
                "the rehearsal cannot go on: nothing is ready, under way or expected",
                hint=f"`clusterwright why {self.wanted}` says what waits for what",
            )

    def _situation(self, dispatcher: threading.Thread) -> Situation:
        """Wait until everything ready was handed out and dealt with, then ask the record once for all that comes next."""
        with self._quiet(dispatcher) as snapshot:
            self._tell(snapshot)
            to_order = [row for row in orders_to_place(snapshot) if self.suppliers.places(snapshot, row)]
            moments = (next_wake(snapshot), self.clock.next_due())
            at = min((moment for moment in moments if moment is not None), default=None)
            is_over = require_activity(snapshot, self.wanted).state in OVER
            ending = [] if at is None else approved_until(snapshot, max(at, self.clock()))
            return Situation(is_over, to_order, at, ending)

    def _quiet(self, dispatcher: threading.Thread) -> Snapshot:
        began = time.monotonic()
        while True:
            heard = self.engine.wakeup.count
            snapshot = self.engine.quiet()
            if snapshot is not None:
                return snapshot
            if not dispatcher.is_alive() or time.monotonic() - began > STUCK_S:
                raise ClusterwrightError(
                    "the rehearsal's flows do not go on", hint="their server's log is in .clusterwright/log"
                )
            self.engine.wakeup.wait(heard, LOOK_S)

    def _move_to(self, at: datetime, ending: list[Activity]) -> None:
        """Move project time, renew the approvals that end, and take the decisions that are due."""
        self.engine.pace()
        due = self.clock.move_to(at)
        with self.engine.ledger.batch():
            for row in ending:
                self.simulator.people.sign(self.engine.activities[row.id])
            for decision in due:
                decision()
        self.simulator.retry_held_back()
        self.engine.wakeup.wake()

    def _place(self, ready: list[OrderRow]) -> None:
        with self.engine.ledger.batch():
            for row in ready:
                self.suppliers.place(row)
        self.engine.wakeup.wake()

    def _tell(self, snapshot: Snapshot) -> None:
        """Say how far the rehearsal is, every few seconds."""
        if time.monotonic() - self._told > TELL_S:
            self._told = time.monotonic()
            found = counts(snapshot)
            done = found.by_state[State.DONE]
            self.say(f"{local_day(snapshot.now, self.engine.plan.time_zone)}: {done} of {found.total} done")
