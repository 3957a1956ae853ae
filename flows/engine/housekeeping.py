"""What an engine attends to besides work: requests of the screens, abandoned runs, new plan revisions, the forecast, notices."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from flows.engine.forecasting import ForecastKeeper
from flows.engine.recovery import recover
from flows.engine.state import Engine
from flows.notify.notifier import Notifier
from ledger.evidence.plans import read_plan
from ledger.questions.clock import REMEDY, clock_behind
from ledger.questions.records import RequestRow, requests
from ledger.questions.site import revision
from ledger.questions.snapshot import Snapshot
from ledger.rules.access import ENGINE
from ledger.subjects.runs.request_decisions import answer_request

RECOVER_S = 10.0


class Housekeeping:
    """Called at each look of an engine, by one thread at a time."""

    def __init__(self, engine: Engine, say: Callable[[str], None]) -> None:
        self.engine = engine
        self.say = say
        self._recovered = -math.inf
        self._clock_was_behind = False
        self._forecast = ForecastKeeper(engine.site_dir, say)
        self._notifier = Notifier(engine.site_dir, say, engine.stopping)

    def tend(self, snapshot: Snapshot) -> bool:
        """Settle abandoned runs, use a new plan revision, answer requests. Return whether anything was recorded."""
        recovered = self._recover(snapshot)
        self._look_at_clock(snapshot)
        in_force = revision(snapshot)
        if in_force != self.engine.revision:
            self.engine.use(read_plan(snapshot), in_force)
            self.say(f"plan revision {in_force} is in force")
        self._forecast.look(snapshot)
        self._notifier.look(snapshot)
        asked = requests(snapshot)
        for request in asked:
            answer = self._answer(request)
            answer_request(self.engine.ledger, ENGINE, request.id, answer)
            self.say(f"{request.activity}: {request.action} asked by {request.by}: {answer}")
        return recovered or bool(asked)

    def finish(self) -> None:
        """Wait for the message that is being sent, if there is one."""
        self._notifier.finish()

    def _look_at_clock(self, snapshot: Snapshot) -> None:
        """Say once that the clock was set back behind the record. Work that follows from it then waits."""
        behind = clock_behind(snapshot)
        if behind and not self._clock_was_behind:
            self.say(f"{behind}; {REMEDY}. Work that follows waits until then")
        self._clock_was_behind = bool(behind)

    def _recover(self, snapshot: Snapshot) -> bool:
        """Settle abandoned runs, at most once in `RECOVER_S`. Return whether there were any."""
        now = time.monotonic()
        if now - self._recovered < RECOVER_S:
            return False
        self._recovered = now
        said = recover(self.engine, snapshot)
        self.engine.reclaims += len(said)
        for sentence in said:
            self.say(sentence)
        return bool(said)

    def _answer(self, request: RequestRow) -> str:
        if request.action == "cancel":
            stopped = self.engine.performer.cancel(request.activity)
            return "stopping it" if stopped else "nothing of it runs here"
        if request.action == "run":  # a retry has opened the next attempt, which is ready by itself
            self.engine.requested.add(request.activity)
        return "it runs next"
