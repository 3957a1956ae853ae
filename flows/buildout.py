"""The buildout flow: one advance of the whole site. It hands ready work to phase runs until none is left."""

from __future__ import annotations

import contextvars
import logging
import threading
import time

from prefect import flow, tags

from flows.artifacts import publish_status
from flows.engine_state import Engine, engine_of
from flows.groups import Group
from flows.phases import PHASE_FLOWS, title

log = logging.getLogger("clusterwright.flows")

PAUSE_S = 5.0
"""How long, in seconds, until the work of a broken run is tried again. The cause is outside: a server that has ended or is busy."""

Runs = dict[Group, threading.Thread]


@flow(name="Buildout", flow_run_name="{label}", persist_result=False, retries=0, validate_parameters=False)
def buildout(engine_id: str, label: str) -> None:  # noqa: ARG001  the run's name
    """Advance every phase that has ready work, side by side, until there is none."""
    engine = engine_of(engine_id)
    _hand_out(engine)
    publish_status(engine)


def _hand_out(engine: Engine) -> None:
    """Start phase runs for what is queued, and queue what becomes ready meanwhile."""
    runs: Runs = {}
    quiet_since = time.monotonic()
    while True:
        _start_runs(engine, runs)
        for group in [group for group, thread in runs.items() if not thread.is_alive()]:
            del runs[group]
        if runs:
            quiet_since = time.monotonic()
        elif engine.stopping.is_set() or time.monotonic() - quiet_since > engine.linger_s:
            return
        engine.lookout.wait()
        engine.lookout.look()


def _start_runs(engine: Engine, runs: Runs) -> None:
    for group, waiting in list(engine.queues.items()):
        if waiting.empty() or group in runs or engine.stopping.is_set():
            continue
        number = engine.advances[group.phase] = engine.advances.get(group.phase, 0) + 1
        label = f"{title(group.phase)} · {group.label} · advance {number}"
        # a thread starts with an empty context; with a copy of ours the run is shown as a child of this one
        context = contextvars.copy_context()
        thread = threading.Thread(
            target=context.run,
            args=(_run_phase, engine, group, label),
            name=label,
            daemon=True,
        )
        runs[group] = thread
        thread.start()


def _run_phase(engine: Engine, group: Group, label: str) -> None:
    try:
        with tags(group.phase):
            PHASE_FLOWS[group.phase](engine.id, list(group.units), label)
    except Exception:  # the edge of a worker thread: the dashboard shows the run as failed
        log.exception("phase_run_failed phase=%s units=%s", group.phase, group.label)
        engine.stopping.wait(PAUSE_S)
        engine.queues.pop(group, None)
        engine.give_back(group)
    finally:
        engine.bell.ring()
