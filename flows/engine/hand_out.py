"""One advance of the whole site: it hands ready work to runs of the phases, side by side, until none is left."""

from __future__ import annotations

import contextvars
import logging
import threading
import time

from prefect import tags

from flows.dashboard.standing_words import title
from flows.engine.advance import Advance
from flows.engine.state import Engine
from flows.phases.phase_flow import run_advance
from flows.phases.phases import PHASE_FLOWS
from steps.catalog.terms import Phase

log = logging.getLogger("clusterwright.flows")

PAUSE_S = 5.0
"""How long, in seconds, until the work of a broken run is tried again. The cause is outside: a server that has ended or is busy."""


def hand_out(engine: Engine) -> None:
    """Start phase runs for what is queued, and queue what becomes ready meanwhile."""
    quiet_since = time.monotonic()
    while True:
        _start_runs(engine)
        if engine.advances:
            quiet_since = time.monotonic()
        elif engine.stopping.is_set() or time.monotonic() - quiet_since > engine.linger_s:
            return
        engine.ready_work.wait()
        engine.ready_work.look()


def _start_runs(engine: Engine) -> None:
    """Start a run for each group that has something in its queue and no run that takes it."""
    taking = {advance.group for advance in list(engine.advances.values()) if advance.takes}
    for group, waiting in list(engine.queues.items()):
        if waiting.empty() or group in taking or engine.stopping.is_set():
            continue
        advance = engine.begin_advance(group, f"{title(group.phase)} · {group.label}")
        # a thread starts with an empty context; with a copy of ours the run has the engine's tags
        context = contextvars.copy_context()
        threading.Thread(
            target=context.run,
            args=(_run_phase, advance),
            name=advance.label,
            daemon=True,
        ).start()


def _run_phase(advance: Advance) -> None:
    engine, group = advance.engine, advance.group
    try:
        with tags(group.phase):
            run_advance(PHASE_FLOWS[Phase(group.phase)], advance)
    except Exception:  # the edge of a worker thread: the dashboard shows the run as failed
        log.exception("phase_run_failed phase=%s units=%s", group.phase, group.label)
        engine.stopping.wait(PAUSE_S)
        engine.give_back(advance)
    finally:
        del engine.advances[advance.label]
        engine.wakeup.wake()
