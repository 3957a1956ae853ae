"""When it is worth looking at the ledger again: something was recorded, a lag has ended, or a while has passed.

A `LedgerChanges` belongs to one thread, like the connection that it keeps open.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from ledger.reading import follower
from ledger.stores.file import connect, data_version

LOOK_S = 0.2
"""How often, in seconds, a waiting loop asks. The engine must act within 5 seconds of a sign-off."""
SLOW_S = 10.0
"""After so many seconds the ledger is looked at in any case: a lease that lapses changes nothing in the file."""


class LedgerChanges:
    """Knows for one thread when to look at the ledger, until it is closed."""

    def __init__(self, site_dir: Path, clock: Callable[[], datetime]) -> None:
        self.lag_ends: datetime | None = None
        """When the next lag ends, in project time, as the last look found it."""
        self.slow_s = SLOW_S
        """After so many seconds it is worth a look in any case."""
        self._file = connect(site_dir)
        self._follower = follower(site_dir)
        self._clock = clock
        self._version = -1
        self._looked = time.monotonic()

    def moved(self) -> bool:
        """Return whether to look at the ledger now. The first time it is always worth it."""
        if self._follower is not None:
            self._follower.look()
        version, now = data_version(self._file), time.monotonic()
        is_over = self.lag_ends is not None and self.lag_ends <= self._clock()
        if version == self._version and now - self._looked < self.slow_s and not is_over:
            return False
        self._version, self._looked = version, now
        return True

    def close(self) -> None:
        """Close its connections to the file and to the database."""
        self._file.close()
        if self._follower is not None:
            self._follower.close()
