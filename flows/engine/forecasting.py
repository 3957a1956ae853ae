"""Keeps the site's forecast up to date while an engine runs: made again, beside the work, after events that move dates, and each day.

It is made in a process of its own (`python -m flows.engine.forecasting`): that of a large site takes seconds in which no other thread
of a process goes on, and half a gigabyte, which an engine would keep.
"""

from __future__ import annotations

import math
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from flows.engine.parent_death import dying_with_parent
from ledger.questions.kept_forecast import kept_forecast
from ledger.questions.site import live_since
from ledger.questions.snapshot import Snapshot
from ledger.reading import open_snapshot
from schedule.errors import ClusterwrightError

EVERY_S = 60.0
"""A large site's forecast takes seconds, so that events in quick succession have one together."""


class ForecastKeeper:
    """Looks at each turn of an engine whether events or days have moved dates, and makes a new forecast in a thread of its own."""

    def __init__(self, site_dir: Path, say: Callable[[str], None]) -> None:
        self._site_dir, self._say = site_dir, say
        self._began = -math.inf
        self._thread: threading.Thread | None = None

    def look(self, snapshot: Snapshot) -> None:
        """Begin a new forecast where the kept one is out of date, at most once in EVERY_S."""
        if self._thread is not None and self._thread.is_alive():
            return
        if time.monotonic() - self._began < EVERY_S or live_since(snapshot):
            return
        kept = kept_forecast(snapshot)
        if kept is None or kept.since:
            self._began = time.monotonic()
            self._thread = threading.Thread(target=self._make, args=(snapshot.now,), name="forecast", daemon=True)
            self._thread.start()

    def _make(self, now: datetime) -> None:
        words = [sys.executable, "-P", "-m", __name__, str(self._site_dir.resolve()), now.isoformat()]
        # before exec, two system calls: it ends with the engine
        ended = subprocess.run(words, capture_output=True, text=True, check=False, preexec_fn=dying_with_parent())
        if ended.returncode:
            self._say(f"no new forecast: {''.join(ended.stderr.strip().splitlines()[-1:])}")


def main(site: str, now: str) -> None:
    """Make a site's forecast as of a moment, and keep it. Say on stderr why that failed."""
    from ledger.forecasting import keep_forecast, make_forecast  # the schedule's engines

    try:
        with open_snapshot(Path(site), datetime.fromisoformat(now)) as snapshot:
            keep_forecast(snapshot, make_forecast(snapshot))
    except (ClusterwrightError, OSError) as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main(*sys.argv[1:])
