"""Says when a screen has to read again: the record has another event, the forecast is another one, or a minute has passed."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path

from ledger.questions.kept_forecast import written
from ledger.reading import follower
from ledger.stores.file import connect, data_version, explained, ledger_path
from schedule.errors import ClusterwrightError

MINUTE_S = 60.0
"""How often time alone is a reason: what waited for it is ready then, or late."""

Seen = tuple[int, float, int]
"""A number that changes when somebody commits, when the forecast was written, and the minute."""


class Feed:
    """Looks at one site for one thread, with one connection. A look takes microseconds."""

    def __init__(self, folder: Path) -> None:
        """Take the folder. The first look opens the ledger."""
        self.folder = folder
        self._follower = follower(folder)
        self._db: sqlite3.Connection | None = None
        self._seen: Seen | None = None

    def look(self) -> bool:
        """Return whether something is another than at the last look. It is not at the first.

        Raise ClusterwrightError while the ledger cannot be read. The next look opens it again.
        """
        try:
            if self._follower is not None:
                self._follower.look_for_screens()
            if self._db is None:
                self._db = connect(self.folder)
            with explained(ledger_path(self.folder)):
                version = data_version(self._db)
        except ClusterwrightError:
            self._close()
            raise
        seen = (version, written(self.folder), int(time.monotonic() / MINUTE_S))
        before, self._seen = self._seen, seen
        return before not in {None, seen}

    def _close(self) -> None:
        """Forget the connection. When the ledger can be read again, that is a change."""
        if self._db is not None:
            self._db.close()
        self._db, self._seen = None, (-1, 0.0, 0)

    def close(self) -> None:
        """Close the connections."""
        self._close()
        if self._follower is not None:
            self._follower.close()
