"""Keeps the site's forecast up to date while an engine runs: made again, beside the work, after events that move dates."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path

from ledger.questions.kept_forecast import kept_forecast
from ledger.questions.site import live_since
from ledger.questions.snapshot import Snapshot
from ledger.reading import open_snapshot
from schedule.errors import ClusterwrightError

EVERY_S = 60.0
"""A large site's forecast takes seconds, so that events in quick succession have one together."""


class ForecastKeeper:
    """Looks at each turn of an engine whether events have moved dates, and makes a new forecast in a thread of its own."""

    def __init__(self, site_dir: Path, say: Callable[[str], None]) -> None:
        self._site_dir, self._say = site_dir, say
        self._began: float | None = None
        self._thread: threading.Thread | None = None

    def look(self, snapshot: Snapshot) -> None:
        """Begin a new forecast where the kept one is out of date, at most once in EVERY_S."""
        if self._thread is not None and self._thread.is_alive():
            return
        if self._began is not None and time.monotonic() - self._began < EVERY_S:
            return
        if live_since(snapshot):
            return
        kept = kept_forecast(snapshot)
        if kept is None or kept.newer:
            self._began = time.monotonic()
            self._thread = threading.Thread(target=self._make, name="forecast", daemon=True)
            self._thread.start()

    def finish(self) -> None:
        """Wait for the forecast that is being made, if there is one."""
        if self._thread is not None:
            self._thread.join()

    def _make(self) -> None:
        from ledger.forecasting import keep_forecast, make_forecast  # the schedule's engines

        try:
            with open_snapshot(self._site_dir) as snapshot:
                keep_forecast(snapshot, make_forecast(snapshot))
        except (ClusterwrightError, OSError) as error:
            self._say(f"no new forecast: {error}")
