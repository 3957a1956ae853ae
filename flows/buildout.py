"""The buildout flow: one advance of the whole site. It hands ready work to phase runs until none is left."""

from __future__ import annotations

import contextvars
import logging
import queue
import threading
import time

from prefect import flow, tags

from flows.artifacts import publish_status
from flows.engine_state import Engine, engine_of
from flows.groups import Group
from flows.phases import PHASE_FLOWS, title
from flows.watch import LOOK_S, Watch

log = logging.getLogger("clusterwright.flows")

PAUSE_S = 5.0
"""Before what a broken run left is tried again: its cause is outside, a server that is gone or busy."""

Runs = dict[Group, threading.Thread]


@flow(name="Buildout", flow_run_name="{label}", persist_result=False, retries=0, validate_parameters=False)
def buildout(engine_id: str, label: str) -> int:  # noqa: ARG001  the run's name
    """Advance every phase that has ready work, side by side; give how many activities were dealt with."""
    engine = engine_of(engine_id)
    with Watch(engine.site_dir, engine.clock) as watch:
        handed = _hand_out(engine, watch)
    publish_status(engine)
    return handed


def _hand_out(engine: Engine, watch: Watch) -> int:
    runs: Runs = {}
    handed, heard = 0, -1
    quiet_since = time.monotonic()
    while True:
        moved = watch.moved()
        if not engine.stopping.is_set() and (moved or engine.bell.count != heard):
            heard = engine.bell.count
            handed += _queue_fresh(engine, tend=moved)
        _start_runs(engine, runs)
        for group in [group for group, thread in runs.items() if not thread.is_alive()]:
            del runs[group]
        if runs:
            quiet_since = time.monotonic()
        elif engine.stopping.is_set() or time.monotonic() - quiet_since > engine.linger_s:
            return handed
        engine.bell.wait(heard, LOOK_S)


def _queue_fresh(engine: Engine, *, tend: bool) -> int:
    if tend:
        engine.tend()
    fresh = engine.take()
    for work in fresh:
        engine.queues.setdefault(engine.groups.of(work.row), queue.Queue()).put(work)
    return len(fresh)


def _start_runs(engine: Engine, runs: Runs) -> None:
    for group, waiting in list(engine.queues.items()):
        if waiting.empty() or group in runs or engine.stopping.is_set():
            continue
        number = engine.advances[group.phase] = engine.advances.get(group.phase, 0) + 1
        label = f"{title(group.phase)} · {group.label} · advance {number}"
        # a thread starts with an empty context: without the copy the run would not show as our child
        context = contextvars.copy_context()
        thread = threading.Thread(target=context.run, args=(_run_phase, engine, group, label), name=label, daemon=True)
        runs[group] = thread
        thread.start()


def _run_phase(engine: Engine, group: Group, label: str) -> None:
    try:
        with tags(group.phase):
            PHASE_FLOWS[group.phase](engine.id, list(group.units), label)
    except Exception:  # the edge of a worker thread: the run shows in the dashboard as failed
        log.exception("phase_run_failed phase=%s units=%s", group.phase, group.label)
        engine.stopping.wait(PAUSE_S)
        engine.queues.pop(group, None)
        engine.give_back(group)
    finally:
        engine.bell.ring()
