"""The end of an engine: Prefect's client sends what it still holds, and its server has time to write it."""

from __future__ import annotations

import logging
import time

from prefect.events.worker import EventsWorker
from prefect.logging.handlers import APILogHandler, APILogWorker

from flows.dashboard.prefect_api import FINAL
from flows.dashboard.server import Server
from flows.engine.state import Engine

FLUSH_S = 20.0
DRAIN_S = 60
GREEN_S = 10
"""How long, in seconds, the last advances may take to show on their nodes what the ledger said at their end."""

LOGGERS = ("prefect.flow_runs", "prefect.task_runs", "prefect.extra")


def catch_up(server: Server, engine: Engine) -> int:
    """Empty the client's queues and wait for the server. Return how many task runs the dashboard shows.

    Without this, the process would try for a minute at its exit to reach a server that has ended.
    """
    if server.is_alive:
        EventsWorker.drain_all(timeout=FLUSH_S, at_exit=False)
        APILogWorker.drain_all(timeout=FLUSH_S, at_exit=False)
    ended = drain(server, engine.tag, FINAL, engine.task_runs, DRAIN_S)
    drain(server, engine.tag, ["COMPLETED"], engine.completed, GREEN_S)
    return ended


def cut_off() -> None:
    """Stop sending logs to a server that has ended, and stop reporting that: the caller says it once."""
    for name in LOGGERS:
        logger = logging.getLogger(name)
        for handler in [h for h in logger.handlers if isinstance(h, APILogHandler)]:
            logger.removeHandler(handler)
    logging.raiseExceptions = False


def drain(server: Server, tag: str, types: list[str], expected: int, patience_s: float) -> int:
    """Wait until the server shows `expected` task runs of an engine in states of these types. Return how many it shows."""
    wanted = {
        "flow_runs": {"tags": {"all_": [tag]}},
        "task_runs": {"state": {"type": {"any_": types}}, "name": {"like_": "·"}},
    }
    began, seen = time.monotonic(), 0
    while server.is_alive and time.monotonic() - began < patience_s:
        seen = server.api.count("task_runs", wanted)
        if seen >= expected:
            break
        time.sleep(0.25)
    return seen
