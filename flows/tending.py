"""What an engine attends to besides work: requests of the screens, claims of the dead, new plan revisions."""

from __future__ import annotations

import time
from collections.abc import Callable

from flows.engine_state import Engine
from flows.recovery import recover
from ledger.decisions.requests import answer_request
from ledger.evidence.plans import read_plan
from ledger.questions.records import RequestRow, requests
from ledger.questions.site import site_of
from ledger.reading import open_snapshot

RECOVER_S = 10.0


class Attendant:
    """Called whenever the ledger has moved, by one thread at a time."""

    def __init__(self, engine: Engine, say: Callable[[str], None]) -> None:
        self.engine = engine
        self.say = say
        self._recovered: float | None = None

    def tend(self) -> None:
        """Answer requests, take over claims that were abandoned, go on with a new plan."""
        now = time.monotonic()
        if self._recovered is None or now - self._recovered >= RECOVER_S:
            self._recovered = now
            for sentence in recover(self.engine):
                self.say(sentence)
        with open_snapshot(self.engine.site_dir) as snapshot:
            asked = requests(snapshot, open_only=True)
            revision = site_of(snapshot).revision
            plan = read_plan(snapshot) if revision != self.engine.revision else None
        if plan is not None:
            self.engine.use(plan, revision)
            self.say(f"plan revision {revision} is in force")
        for request in asked:
            answer = self._answer(request)
            answer_request(self.engine.ledger, request.id, answer)
            self.say(f"{request.activity}: {request.action} asked by {request.by}: {answer}")

    def _answer(self, request: RequestRow) -> str:
        match request.action:
            case "cancel":
                stopped = self.engine.performer.cancel(request.activity)
                return "stopping it" if stopped else "nothing of it runs here"
            case "run":
                self.engine.requested.add(request.activity)
                return "it runs next"
            case _:
                return "it runs next"  # a retry has opened the next attempt, which is ready by itself
