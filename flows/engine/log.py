"""The engine's log: warnings and errors, for the person who looks for a cause. They are not shown on the terminal."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from prefect.logging.configuration import ensure_logging_setup

from flows.engine.log_file import file_handler

ENDS = ("Finished in state", "Task run failed with state")
"""How Prefect's lines about the end of a task begin. It writes each end that is not green as an error."""


@contextmanager
def logged(site_dir: Path) -> Iterator[None]:
    """Write warnings and errors, ours and Prefect's, to the engine's log while the block lasts."""
    ensure_logging_setup()  # first: Prefect's own set-up removes other handlers
    handler = file_handler(site_dir)
    handler.setLevel(logging.WARNING)
    tasks = logging.getLogger("prefect.task_runs")
    tasks.addFilter(_as_information)
    root = logging.getLogger()
    root.addHandler(handler)
    try:
        yield
    finally:
        tasks.removeFilter(_as_information)
        root.removeHandler(handler)
        handler.close()


def _as_information(record: logging.LogRecord) -> bool:
    """Let the end of a task be information: that work waits for a person is no error, and what failed is in its state."""
    if record.getMessage().startswith(ENDS):
        record.levelno, record.levelname, record.exc_info = logging.INFO, "INFO", None
    return True
