"""The end of an engine: what Prefect's client still holds is sent, and its server given time to write it."""

from __future__ import annotations

import logging

from prefect.events.worker import EventsWorker
from prefect.logging.handlers import APILogHandler, APILogWorker

from flows.engine_state import Engine
from flows.prefect_server import PrefectServer

FLUSH_S = 20.0
LOGGERS = ("prefect.flow_runs", "prefect.task_runs", "prefect.extra")


def catch_up(server: PrefectServer, engine: Engine) -> int:
    """Empty the client's queues and wait for the server; give how many task runs the dashboard shows.

    Queues that outlive the server would keep the process for a minute of retries at its exit.
    """
    if server.is_alive:
        EventsWorker.drain_all(timeout=FLUSH_S, at_exit=False)
        APILogWorker.drain_all(timeout=FLUSH_S, at_exit=False)
    return server.drain(engine.tag, engine.task_runs)


def cut_off() -> None:
    """Send no more logs to a server that is gone, and do not complain of it: the caller says so once."""
    for name in LOGGERS:
        logger = logging.getLogger(name)
        for handler in [h for h in logger.handlers if isinstance(h, APILogHandler)]:
            logger.removeHandler(handler)
    logging.raiseExceptions = False
