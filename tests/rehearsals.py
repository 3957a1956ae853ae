"""Rehearsals that are played without a server: the dispatcher is the rehearsal's own, and does one activity after the other."""

from __future__ import annotations

import threading
from pathlib import Path

from flows.engine_state import Engine
from flows.lookout import Lookout
from flows.rehearsal import set_up
from flows.rehearsal_keys import RehearsalKeys
from flows.simulation import SimulatedClock
from flows.stage import CLOSING
from flows.tasks import _dealt_with
from ledger.questions.site import project_time
from ledger.reading import open_snapshot
from ledger.writing import Ledger
from steps.planning.odds.sample_causes import SampleCauses


def play_without_server(site: Path, *, until: str = CLOSING, causes: SampleCauses | None = None) -> None:
    """Play a rehearsal's ledger, by the plan or by the causes of a sample."""
    with open_snapshot(site) as snapshot:
        clock = SimulatedClock(project_time(snapshot))
    with Ledger.open(site, clock=clock) as ledger:
        ledger.signer = RehearsalKeys(site).sign
        stage = set_up(ledger, clock, until, print, causes)
        dispatcher = threading.Thread(target=_dispatch, args=(stage.engine,), daemon=True)
        dispatcher.start()
        try:
            stage.play(dispatcher)
        finally:
            stage.engine.stopping.set()
            dispatcher.join(10)


def _dispatch(engine: Engine) -> None:
    """Do what is ready, one after the other, as phase runs do."""
    with Lookout(engine) as lookout:
        while not engine.stopping.is_set():
            lookout.look()
            for queue in engine.queues.values():
                while not queue.empty():
                    work = queue.get()
                    engine.ended(work.key, _dealt_with(engine, work.key.activity, work.key.attempt))
            lookout.wait()
