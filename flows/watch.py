"""When it is worth looking at the ledger again: someone wrote, a lag has ended, or a while has passed.

A watch belongs to one thread, like the connection it keeps open.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Self

from ledger.questions.site import next_wake
from ledger.reading import open_snapshot
from ledger.stores.file import connect, data_version
from ledger.stores.following import follower

LOOK_S = 0.2
"""How often a waiting loop asks; five times a second is far within the 5 s that a sign-off may take."""
SLOW_S = 10.0
"""The poll behind all signals: a lapsed lease changes nothing in the file."""


class Watch:
    """One waiter's view of the ledger; use it in a with statement."""

    def __init__(self, site_dir: Path, clock: Callable[[], datetime]) -> None:
        self._site_dir = site_dir
        self._file = connect(site_dir)
        self._follower = follower(site_dir)
        self._clock = clock
        self._version = -1
        self._wake: datetime | None = None
        self._looked = time.monotonic()

    def moved(self) -> bool:
        """Say whether to look; the first time always."""
        if self._follower is not None:
            self._follower.look()
        version = data_version(self._file)
        now = self._clock()
        waited = time.monotonic() - self._looked
        if version == self._version and waited < SLOW_S and (self._wake is None or now < self._wake):
            return False
        self._version, self._looked = version, time.monotonic()
        with open_snapshot(self._site_dir, now) as snapshot:
            self._wake = next_wake(snapshot)
        return True

    def __enter__(self) -> Self:
        """Give the watch."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Close its connection."""
        self._file.close()
        if self._follower is not None:
            self._follower.close()
