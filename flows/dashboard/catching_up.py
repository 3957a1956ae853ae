"""The end of an engine: Prefect's client sends what it still holds, and its server has time to write it."""

from __future__ import annotations

import logging

from prefect.events.worker import EventsWorker
from prefect.logging.handlers import APILogHandler, APILogWorker

from flows.dashboard.server import PrefectServer
from flows.engine.state import Engine

FLUSH_S = 20.0
LOGGERS = ("prefect.flow_runs", "prefect.task_runs", "prefect.extra")


def catch_up(server: PrefectServer, engine: Engine) -> int:
    """Empty the client's queues and wait for the server. Return how many task runs the dashboard shows.

    Without this, the process would try for a minute at its exit to reach a server that has ended.
    """
    if server.is_alive:
        EventsWorker.drain_all(timeout=FLUSH_S, at_exit=False)
        APILogWorker.drain_all(timeout=FLUSH_S, at_exit=False)
    return server.drain(engine.tag, engine.task_runs, engine.completed)


def cut_off() -> None:
    """Stop sending logs to a server that has ended, and stop reporting that: the caller says it once."""
    for name in LOGGERS:
        logger = logging.getLogger(name)
        for handler in [h for h in logger.handlers if isinstance(h, APILogHandler)]:
            logger.removeHandler(handler)
    logging.raiseExceptions = False
