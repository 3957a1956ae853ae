"""The engine's log: what went wrong inside, for whoever looks at three in the morning; not for the terminal."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from prefect.logging.configuration import ensure_logging_setup

from flows.prefect_settings import log_folder

FORM = "%(asctime)s %(levelname)s %(name)s %(message)s"


@contextmanager
def logged(site_dir: Path) -> Iterator[Path]:
    """Write warnings and errors, ours and Prefect's, to the site's engine.log; give where it is."""
    ensure_logging_setup()  # Prefect's own set-up would take our handler away if it came later
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
