"""The stage of a rehearsal: moves project time, and only while nothing else can happen."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from datetime import datetime

from flows.engine_state import Engine
from flows.executors.rehearsed import Simulator
from flows.executors.simulated_suppliers import SimulatedSuppliers
from flows.rehearsal import CLOSING
from flows.simulation import SimulatedClock
from ledger.questions.case import require_activity
from ledger.questions.inbox import approved_until
from ledger.questions.orders import orders
from ledger.questions.site import counts, next_wake
from ledger.questions.snapshot import Snapshot
from ledger.reading import open_snapshot
from ledger.rules.activity import State
from steps.errors import ClusterwrightError, NotSatisfiedError

OVER = frozenset({State.DONE, State.NOT_APPLICABLE})
LOOK_S = 0.05
TELL_S = 5.0
STUCK_S = 60.0
"""Machine time after which handing out is given up: the flows or their server are gone."""


class Stage:
    """One rehearsal's course; `wanted` is the activity with which it ends."""

    def __init__(
        self,
        engine: Engine,
        simulator: Simulator,
        suppliers: SimulatedSuppliers,
        clock: SimulatedClock,
        wanted: str,
        say: Callable[[str], None],
    ) -> None:
        self.engine = engine
        self.simulator = simulator
        self.suppliers = suppliers
        self.clock = clock
        self.wanted = wanted
        self.say = say
        self._told = time.monotonic()

    def play(self, dispatcher: threading.Thread) -> None:
        """Go on until the wanted activity is over; refuse to wait for nothing."""
        while not self._is_over():
            self._settle_down(dispatcher)
            if self._place_orders():
                continue
            at = self._next_moment()
            if at is None:
                raise NotSatisfiedError(
                    "the rehearsal cannot go on: nothing is ready, under way or expected",
                    hint=f"`clusterwright why {self.wanted}` says what waits for what",
                )
            self._move_to(at)
        if self.wanted == CLOSING:
            self._play_out(dispatcher)

    def _snapshot(self) -> Snapshot:
        return open_snapshot(self.engine.site_dir, self.clock())

    def _is_over(self) -> bool:
        with self._snapshot() as snapshot:
            return require_activity(snapshot, self.wanted).state in OVER

    def _play_out(self, dispatcher: threading.Thread) -> None:
        """Bring work that continues after go-live to its first end, so that every step is accounted for."""
        self._settle_down(dispatcher)
        while (at := self._next_moment()) is not None:
            self._move_to(at)
            self._settle_down(dispatcher)

    def _move_to(self, at: datetime) -> None:
        due = self.clock.move_to(at)
        with self._snapshot() as snapshot:
            ended = approved_until(snapshot, self.clock())
        with self.engine.ledger.batch():
            for row in ended:
                self.simulator.people.renew(self.engine.activities[row.id])
            for decision in due:
                decision(self.clock())
        if self.simulator.held_back:
            self.simulator.retry_held_back()
        self.engine.bell.ring()
        self._tell()

    def _settle_down(self, dispatcher: threading.Thread) -> None:
        """Wait until everything ready was handed out and dealt with."""
        began = time.monotonic()
        while True:
            heard = self.engine.bell.count
            if self.engine.is_quiet():
                return
            if not dispatcher.is_alive() or time.monotonic() - began > STUCK_S:
                raise ClusterwrightError(
                    "the rehearsal's flows do not go on", hint="their server's log is in .clusterwright/log"
                )
            self.engine.bell.wait(heard, LOOK_S)

    def _place_orders(self) -> bool:
        now = self.clock()
        with self._snapshot() as snapshot:
            placeable = orders(snapshot)
        ready = [o for o in placeable if o.placed_at is None and o.ready_from and o.ready_from <= now]
        if ready:
            with self.engine.ledger.batch():
                for row in ready:
                    self.suppliers.place(row)
            self.engine.bell.ring()
        return bool(ready)

    def _next_moment(self) -> datetime | None:
        with self._snapshot() as snapshot:
            moments = (next_wake(snapshot), self.clock.next_due())
        return min((at for at in moments if at is not None), default=None)

    def _tell(self) -> None:
        if time.monotonic() - self._told > TELL_S:
            self._told = time.monotonic()
            with self._snapshot() as snapshot:
                found = counts(snapshot)
            self.say(f"{self.clock():%Y-%m-%d}: {found.by_state[State.DONE]} of {found.total} done")
