"""Quick runs of the phases' deployments: each asks the dispatcher to look at the ledger now, and says what came of it.

They are asked for in a thread of their own, so that a slow server keeps no work waiting. A run that was asked for while no engine
ran is answered at the next start.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import Counter

from flows.dashboard.phase_deployments import PhaseDeployments
from flows.dashboard.prefect_api import PrefectApi
from flows.dashboard.standing_words import Shown, shown
from flows.engine.state import Engine
from ledger.questions.standings import of_phase, standings
from schedule.errors import ClusterwrightError
from steps.catalog.terms import Phase

log = logging.getLogger("clusterwright.flows")

ASK_S = 2.0
"""How often, in seconds, Prefect's server is asked. Each time is one request."""

LOOK_S, PATIENCE_S = 0.05, 20.0
"""How often, and for how long at most, the end of the dispatcher's look is waited for. Without it the run is answered later."""


class QuickRuns:
    """Answers the quick runs of one engine's site."""

    def __init__(self, api: PrefectApi, engine: Engine) -> None:
        self._engine = engine
        self._deployments = PhaseDeployments(api)
        self._registered = 0

    def follow(self, over: threading.Event) -> None:
        """Register the deployments, and answer until `over` is set."""
        while not over.is_set():
            try:
                self._attend(over)
            except ClusterwrightError as error:
                log.warning("quick_runs_not_answered because=%s", error)
            over.wait(ASK_S)

    def _attend(self, over: threading.Event) -> None:
        engine = self._engine
        revision = engine.revision
        if self._registered != revision:
            self._deployments.register(engine.plan.site, revision)
            self._registered = revision
        asked = self._deployments.asked()
        if not asked:
            return
        before = Counter(engine.begun)
        if not self._has_looked(over):
            return
        for phase, runs in asked.items():
            state = self._state(phase, engine.begun[phase] - before[phase])
            for run in runs:
                self._deployments.answer(run, state)

    def _has_looked(self, over: threading.Event) -> bool:
        """Wake the dispatcher. Return whether it has looked at the ledger since."""
        engine = self._engine
        engine.wakeup.wake()
        woken, until = engine.wakeup.count, time.monotonic() + PATIENCE_S
        while engine.looked < woken and time.monotonic() < until:
            if over.wait(LOOK_S):
                break
        return engine.looked >= woken

    def _state(self, phase: Phase, began: int) -> Shown:
        """Return how a quick run ends. It is grey, like an advance that is over: it has done nothing itself."""
        with self._engine.snapshot() as snapshot:
            standing = shown(of_phase(standings(snapshot).get(phase, {})))
        what = "1 activity" if began == 1 else f"{began} activities"
        result = f"{what} began" if began else "nothing could begin"
        return Shown("CANCELLED", f"The dispatcher looked: {result}", f"{standing.name}. {standing.message}")
