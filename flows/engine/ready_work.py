"""An engine's look at its ledger: one snapshot for all that one wake asks."""

from __future__ import annotations

import time
from typing import Self

from flows.engine.ledger_changes import LOOK_S, LedgerChanges
from flows.engine.state import Engine, Work
from ledger.questions.counts import next_wake
from schedule.errors import UnreachableError

REST = 4.0
"""After a look, the dispatcher rests for so many times what it took: of many tasks that end at once, each does not cost a look."""


class ReadyWork:
    """Looks whenever the ledger or the engine has changed, and queues the work that it finds.

    It belongs to the dispatcher's thread. Use it in a with statement.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._changes = LedgerChanges(engine.site_dir, engine.clock)
        self._seen = -1
        self._rest_s = 0.0

    def look(self, *, again: bool = False) -> int | None:
        """Attend to what is asked of the engine and queue the work there is. Return how many activities were queued.

        Return None where nothing has changed since the last look; with `again`, look nevertheless. An engine that stops
        looks at nothing any more.
        """
        engine = self._engine
        moved, count, seen = self._changes.moved(), engine.wakeup.count, self._seen
        self._seen = count
        if engine.stopping.is_set() or not (moved or count != seen or again):
            return None
        began = time.perf_counter()
        queued = engine.queue_up(self._work())
        engine.asked.keep()
        self._rest_s = min(LOOK_S, REST * (time.perf_counter() - began))
        engine.looked = count
        return queued

    def _work(self) -> list[Work]:
        engine = self._engine
        with engine.snapshot() as snapshot:
            self._changes.lag_ends = next_wake(snapshot)
            engine.unwritten.look(snapshot.cut_off)
            if not engine.may_record(snapshot):
                return []
            try:
                has_recorded = engine.tend(snapshot)
            except UnreachableError as error:
                engine.unwritten.note(error)
                return []
            if not has_recorded:
                return engine.work(snapshot)
        # attending has recorded something, from which work may follow: this is the one place that reads anew
        with engine.snapshot() as snapshot:
            return engine.work(snapshot)

    def wait(self) -> None:
        """Wait for a wakeup of the engine, or until it is time to look at the ledger's file again."""
        time.sleep(self._rest_s)
        self._engine.wakeup.wait(self._seen, LOOK_S)

    def __enter__(self) -> Self:
        """Return this, by which the engine's flows look too."""
        self._engine.ready_work = self
        return self

    def __exit__(self, *_: object) -> None:
        """Stop watching, keep what was asked, free what was reserved, and close what was open for reading."""
        self._engine.asked.keep()
        self._engine.turns.leave()
        self._changes.close()
        self._engine.readers.close()
