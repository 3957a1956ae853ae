"""The engine's log: warnings and errors, for the person who looks for a cause. They are not shown on the terminal."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from prefect.logging.configuration import ensure_logging_setup

from flows.folders import log_folder

FORM = "%(asctime)s %(levelname)s %(name)s %(message)s"


@contextmanager
def logged(site_dir: Path) -> Iterator[Path]:
    """Write warnings and errors, ours and Prefect's, to the site's engine.log. Return its path."""
    ensure_logging_setup()  # first: Prefect's own set-up removes other handlers
    path = log_folder(site_dir) / "engine.log"
    handler = logging.FileHandler(path, encoding="utf-8")
    handler.setLevel(logging.WARNING)
    handler.setFormatter(logging.Formatter(FORM))
    root = logging.getLogger()
    root.addHandler(handler)
    try:
        yield path
    finally:
        root.removeHandler(handler)
        handler.close()
