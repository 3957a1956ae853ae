"""Rehearsals that are played without a server: the dispatcher is the rehearsal's own, and does one activity after the other."""

from __future__ import annotations

import threading
from pathlib import Path

from flows.engine.ready_work import ReadyWork
from flows.engine.state import Engine
from flows.phases.tasks import _dealt_with
from flows.rehearsal.course import CLOSING
from flows.rehearsal.keys import RehearsalKeys
from flows.rehearsal.rehearse import set_up
from flows.rehearsal.simulated_time import SimulatedClock
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
    with ReadyWork(engine) as ready_work:
        while not engine.stopping.is_set():
            ready_work.look()
            for queue in engine.queues.values():
                while not queue.empty():
                    work = queue.get()
                    engine.ended(work.key, _dealt_with(engine, work.key.activity, work.key.attempt))
            ready_work.wait()
