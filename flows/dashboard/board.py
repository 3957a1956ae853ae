"""Keeps what the dashboard shows of phases and steps the same as the ledger, within two seconds.

The board reads the ledger and writes to Prefect, in a thread of its own. Nothing waits for it, and it records nothing.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path

from flows.dashboard.prefect_api import PrefectApi
from flows.dashboard.standing_pictures import Dates, Picture, dates_of, pictures
from flows.dashboard.standing_runs import Links, Parent, StandingRuns
from flows.dashboard.status_artifact import StatusArtifact, status_text
from flows.engine.ledger_changes import SLOW_S, LedgerChanges
from ledger.project_time import project_now
from ledger.questions.counts import next_wake
from ledger.questions.kept_forecast import FILE
from ledger.questions.site import project_time, revision, site_of
from ledger.questions.snapshot import Snapshot
from ledger.questions.standings import step_links
from ledger.reading import open_snapshot
from schedule.errors import ClusterwrightError

log = logging.getLogger("clusterwright.flows")

LOOK_S = 0.2
AGAIN_S = 1.0
"""After a request failed."""

EVERY_S = 0.6
"""How often, in seconds, states and names are written at most. The first change after a quiet while is shown at once."""

TEXTS_S = 5.0
"""How often, in seconds, artifacts are written at most."""

PACE_S, PACE_LOOK_S = 1.0, 0.02
PART_IDLE = 0.001
"""The part of the time that looks may take while nothing is recorded. At a very large site one takes a fifth of a second."""

CHECK_S = 60.0
"""How often, in seconds, the board asks what Prefect shows: with the login, a person can change the state of a run there."""


class Board:
    """One site's board."""

    def __init__(self, api: PrefectApi, site_dir: Path, clock: Callable[[], datetime]) -> None:
        self._api, self._site_dir, self._clock = api, site_dir, clock
        self._status = StatusArtifact(api)
        self._runs: StandingRuns | None = None
        self._wanted: dict[str, Picture] = {}
        self._is_old, self._lacks_texts = True, False
        self._checked: float | None = None
        self._as_of = time.monotonic()
        self._wrote = -TEXTS_S
        self._dates: Dates | None = None
        self._links: Links = {}
        self._made_from: tuple[int, int] = (0, 0)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._follow, name="board", daemon=True)

    def open(self, restored: Collection[str] = ()) -> dict[str, Parent]:
        """Find or make the standing run of each phase. Return by phase what its advances are children of."""
        with open_snapshot(self._site_dir, self._clock()) as snapshot:
            site = site_of(snapshot)
            self._wanted = pictures(snapshot, self._dated(snapshot))
        runs = StandingRuns(self._api, site.name, site.uuid)
        parents = runs.open(self._wanted, restored)
        self._runs = runs
        return parents

    def start(self) -> None:
        """Begin to follow the ledger."""
        self._thread.start()

    def stop(self) -> None:
        """Stop following, after a last look: the next start finds what was so at the end of this one."""
        self._stop.set()
        self._thread.join()

    def pace(self) -> None:
        """Wait while what is shown is older than `PACE_S`. A rehearsal's months would pass faster than Prefect's server writes."""
        while self._thread.is_alive() and not self._stop.is_set() and time.monotonic() - self._as_of > PACE_S:
            self._stop.wait(PACE_LOOK_S)

    def _follow(self) -> None:
        with closing(LedgerChanges(self._site_dir, self._clock)) as watch:
            is_due, shown = True, -EVERY_S
            while not self._stop.wait(AGAIN_S if is_due and self._checked is None else LOOK_S):
                began = time.monotonic()
                late_texts = self._lacks_texts and began - self._wrote > TEXTS_S
                self._is_old = watch.moved() or self._is_old or late_texts
                is_due = self._is_old or is_due or self._is_unchecked()
                if is_due and began - shown >= EVERY_S:
                    shown = began
                    is_due = not self._shows(watch)
                if not is_due:
                    self._as_of = began
        self._shows(None)

    def _is_unchecked(self) -> bool:
        return self._checked is None or time.monotonic() - self._checked > CHECK_S

    def _shows(self, watch: LedgerChanges | None) -> bool:
        """Show the record as it is now. Return False where that failed: look again."""
        try:
            self._show(watch)
        except ClusterwrightError as error:
            log.warning("board_not_shown because=%s", error)
            self._checked, self._status = None, StatusArtifact(self._api)  # it may have lost what it had
            return False
        return True

    def _show(self, watch: LedgerChanges | None) -> None:
        """Look at the record where it may say something else, and at what Prefect shows where that was long ago."""
        if self._runs is None:
            self.open()
        runs = self._runs
        assert runs is not None  # it was opened
        is_time = watch is None or time.monotonic() - self._wrote > TEXTS_S
        status = self._look(watch, is_time=is_time) if self._is_old or watch is None else ""
        if self._is_unchecked():
            runs.open(self._wanted)
            runs.load()
            self._checked = time.monotonic()
        runs.send(self._wanted, self._links)
        if is_time:
            runs.send_texts(self._wanted)
            self._wrote = time.monotonic()
        if status:
            self._status.send(status)
        self._is_old, self._lacks_texts = False, not is_time

    def _look(self, watch: LedgerChanges | None, *, is_time: bool) -> str:
        """Read what is to be shown. Return the site's status if it is time for texts."""
        began = time.thread_time()
        with open_snapshot(self._site_dir, self._clock()) as snapshot:
            if watch is not None:
                watch.lag_ends = next_wake(snapshot)
            self._wanted = pictures(snapshot, self._dated(snapshot))
            status = status_text(snapshot) if is_time else ""
        if watch is not None:
            watch.slow_s = max(SLOW_S, (time.thread_time() - began) / PART_IDLE)
        return status

    def _dated(self, snapshot: Snapshot) -> Dates:
        """Return titles and dates, read anew only where another plan is in force or another forecast is kept."""
        forecast = self._site_dir / FILE
        made_from = (revision(snapshot), forecast.stat().st_mtime_ns if forecast.exists() else 0)
        if self._dates is None or made_from != self._made_from:
            self._dates = dates_of(snapshot)
            self._links = step_links(snapshot)
            self._made_from = made_from
        return self._dates


@contextmanager
def following(api: PrefectApi, site_dir: Path) -> Iterator[None]:
    """Show the phases while no engine runs, for as long as the block lasts. A site without a plan has none to show."""
    with open_snapshot(site_dir) as snapshot:
        is_planned = revision(snapshot) > 0
        fixed = project_time(snapshot) if site_of(snapshot).rehearsal else None
    if not is_planned:
        yield
        return
    board = Board(api, site_dir, lambda: fixed or project_now())
    board.start()
    try:
        yield
    finally:
        board.stop()
