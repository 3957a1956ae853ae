"""The dispatcher: waits until something can be done, then lets the buildout flow do it.

What wakes it: an event in the ledger (a few looks a second), the end of a lag, a lapsed lease, and a slow
poll behind them all. Requests of the screens are answered here.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from prefect import tags

from flows.buildout import buildout
from flows.engine_state import Engine
from flows.recovery import recover
from ledger.reads import Reader, RequestRow
from ledger.services.runs import answer_request

LOOK_S = 0.2
SLOW_S = 10.0


class Dispatcher:
    """One engine's loop."""

    def __init__(self, engine: Engine, on_message: Callable[[str], None]) -> None:
        """Keep the engine and whom to tell."""
        self.engine = engine
        self.say = on_message
        self.advances = 0
        self._seen = -1
        self._looked = 0.0

    def run(self, *, until_idle: bool) -> None:
        """Advance the site whenever something can be done, until stopped, or until nothing can be."""
        while not self.engine.stopping.is_set():
            if self._is_time():
                for sentence in recover(self.engine):
                    self.say(sentence)
                self._answer_requests()
                if self._something_to_do():
                    self.advance()
                    continue
                if until_idle:
                    return
            self.engine.stopping.wait(LOOK_S)

    def advance(self) -> None:
        """Run the buildout flow once."""
        engine = self.engine
        self.advances += 1
        mark = "rehearsal" if engine.rehearsal else "real"
        with tags(engine.tag, engine.plan.site, f"revision {engine.revision}", mark):
            buildout(engine.id, f"{engine.plan.site} · advance {self.advances}")
        self._seen = -1

    def _is_time(self) -> bool:
        with Reader.open(self.engine.site_dir) as reader:
            head = reader.head().seq
        if head != self._seen or time.monotonic() - self._looked > SLOW_S:
            self._seen, self._looked = head, time.monotonic()
            return True
        return self._something_to_do()

    def _something_to_do(self) -> bool:
        return bool(self.engine.waiting_work())

    def _answer_requests(self) -> None:
        with Reader.open(self.engine.site_dir) as reader:
            requests = reader.requests(open_only=True)
        for request in requests:
            answer = self._answered(request)
            answer_request(self.engine.ledger, request.id, answer)
            self.say(f"{request.activity}: {request.action} asked by {request.by}: {answer}")

    def _answered(self, request: RequestRow) -> str:
        if request.action == "cancel":
            return "stopping it" if self.engine.performer.cancel(request.activity) else "nothing of it runs here"
        if request.action == "run":
            self.engine.requested.add(request.activity)
        return "it runs next"  # a retry has opened the next attempt, which is ready by itself
