"""The buildout flow: one advance of the whole site. It hands ready work to phase runs until none is left."""

from __future__ import annotations

import contextvars
import logging
import queue
import threading
import time
from collections.abc import Iterable

from prefect import flow, tags

from flows.artifacts import publish_status
from flows.engine_state import Engine, Group, engine_of
from flows.phases import PHASE_FLOWS, title
from steps.catalog.schema import Phase

log = logging.getLogger("clusterwright.flows")

LOOK_S = 0.2


@flow(name="Buildout", flow_run_name="{label}", persist_result=False, retries=0, validate_parameters=False)
def buildout(engine_id: str, label: str) -> int:
    """Advance every phase that has ready work; phases run side by side."""
    engine = engine_of(engine_id)
    runs: dict[Group, threading.Thread] = {}
    handed = 0
    quiet_since = time.monotonic()
    while True:
        fresh = [] if engine.stopping.is_set() else engine.new_work()
        handed += len(fresh)
        for row in fresh:
            engine.queues.setdefault(engine.group_of(row), queue.Queue()).put(row)
        runs = {group: thread for group, thread in runs.items() if thread.is_alive()}
        _start_runs(engine, runs)
        if fresh or runs:
            quiet_since = time.monotonic()
        if not runs and (engine.stopping.is_set() or time.monotonic() - quiet_since > engine.linger_s):
            break
        with engine.changed:
            engine.changed.wait(LOOK_S)
    publish_status(engine)
    return handed


def _start_runs(engine: Engine, runs: dict[Group, threading.Thread]) -> None:
    for group in _waiting(engine, runs):
        number = engine.advances[group.phase] = engine.advances.get(group.phase, 0) + 1
        label = f"{title(Phase(group.phase))} · {group.label} · advance {number}"
        # a thread starts with an empty context: without the copy the run would not show as our child
        context = contextvars.copy_context()
        thread = threading.Thread(
            target=context.run, args=(_run_phase, engine, group, label), name=label, daemon=True
        )
        runs[group] = thread
        thread.start()


def _waiting(engine: Engine, runs: dict[Group, threading.Thread]) -> Iterable[Group]:
    return [group for group, waiting in engine.queues.items() if not waiting.empty() and group not in runs]


def _run_phase(engine: Engine, group: Group, label: str) -> None:
    try:
        with tags(group.phase):
            PHASE_FLOWS[group.phase](engine.id, list(group.units), label)
    except Exception:  # the edge of a worker thread: the run shows in the dashboard as failed
        log.exception("phase_run_failed phase=%s units=%s", group.phase, group.label)
    finally:
        engine.wake()
