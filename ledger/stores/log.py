"""The protocol of a log, which stores events: a file, or a database of which the file is a copy."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Protocol

from sqlalchemy import Connection, Engine

from ledger.machine_time import Clock


class Log(Protocol):
    """A site's log. `engine` opens the file in the site's folder, which decisions read.

    `clock` returns the time at which events are recorded. In a transaction of a shared log this is the time of the database.
    """

    engine: Engine
    clock: Clock

    def begin(self) -> AbstractContextManager[Connection]:
        """Return a transaction. Nobody else can decide while it is open. It records its events if it ends without an error."""

    def catch_up(self) -> None:
        """Copy what others recorded into the folder. A log that is a file has nothing to copy."""

    def close(self) -> None:
        """Close the file, and the connection to the database if there is one."""
