"""One advance of the whole site: it hands ready work to runs of the phases, side by side, until none is left."""

from __future__ import annotations

import contextvars
import logging
import threading
import time

from prefect import tags

from flows.engine_state import Engine
from flows.groups import Group
from flows.phase_titles import title
from flows.phases import run_advance
from steps.stamps import local_day

log = logging.getLogger("clusterwright.flows")

PAUSE_S = 5.0
"""How long, in seconds, until the work of a broken run is tried again. The cause is outside: a server that has ended or is busy."""

Runs = dict[Group, threading.Thread]


def hand_out(engine: Engine) -> None:
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
        label = f"{title(group.phase)} · {group.label} · advance {number} · {local_day(engine.clock(), engine.plan.time_zone)}"
        # a thread starts with an empty context; with a copy of ours the run has the engine's tags
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
            run_advance(engine, group, label)
    except Exception:  # the edge of a worker thread: the dashboard shows the run as failed
        log.exception("phase_run_failed phase=%s units=%s", group.phase, group.label)
        engine.stopping.wait(PAUSE_S)
        engine.queues.pop(group, None)
        engine.give_back(group)
    finally:
        engine.bell.ring()
