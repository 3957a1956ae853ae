"""What a ledger asks of the place where its events are recorded: a file, or a database of which the file is a copy."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from functools import partial
from typing import Protocol

from sqlalchemy import Connection, Engine

Clock = Callable[[], datetime]

machine_clock: Clock = partial(datetime.now, UTC)
"""This machine's time in UTC."""


class Log(Protocol):
    """A site's log. `engine` is on the file in the site's folder, in which the rules are asked.

    `clock` says when events are recorded. In a transaction of a shared log it is the database's.
    """

    engine: Engine
    clock: Clock

    def begin(self) -> AbstractContextManager[Connection]:
        """Return a transaction, in which nobody else decides. What it appends is recorded when it ends without an error."""

    def catch_up(self) -> None:
        """Take over what others recorded. The log of a file has no others."""

    def close(self) -> None:
        """Close the file, and the connection to the database."""
