"""A shared ledger for readers: whether there is one, who connects to it, and how the copy in the folder is kept up to date.

Most ledgers are not shared. So the driver of PostgreSQL is imported only inside functions that need it.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ledger.machine_time import machine_time
from ledger.stores.file import LEDGER_FILE, connect
from ledger.stores.place import database_of
from schedule.errors import UnreachableError

if TYPE_CHECKING:
    from ledger.stores.postgres import LogEnd

SLOW_S = 10.0
"""How often, in seconds, the database is asked even without a notification. Claims change without an event."""


def has_ledger(site_dir: Path) -> bool:
    """Return whether a site has a ledger, in its folder or in the database that ledger.yaml names."""
    if (Path(site_dir) / LEDGER_FILE).exists():
        return True
    url = database_of(site_dir)
    return url is not None and is_begun(url)


def is_begun(url: str) -> bool:
    """Return whether a database has a ledger with events."""
    from ledger.stores.postgres import Database

    with Database(url) as database:
        return database.standing().seq > 0


def stands_at(site_dir: Path, standing: LogEnd) -> bool:
    """Return whether the copy in a folder ends with the same event as the log, and has the same reservations."""
    if not (site_dir / LEDGER_FILE).exists():
        return standing.seq == 0
    with closing(connect(site_dir)) as copy:
        try:
            last = copy.execute("SELECT seq, hash FROM event ORDER BY seq DESC LIMIT 1").fetchone()
            reserved = copy.execute("SELECT activity, engine, lease_until FROM reservation").fetchall()
        except sqlite3.Error:
            return False
    here = (*(last or (0, "")), frozenset(reserved))
    return here == (standing.seq, standing.hash, standing.reserved)


FRESH_S = 1.0
"""For so many seconds after a look of screens that listen, the copy in their folder is what the database has."""

_fresh_until: dict[Path, float] = {}
"""By folder, until when that is, in seconds of the monotonic clock."""

TakeOver = Callable[[Path], None]
"""Copies what others recorded into the folder: `ledger.reading.take_over`."""


def brought_up(site_dir: Path, take_over: TakeOver) -> str | None:
    """Copy what others recorded in a shared ledger into the folder. Do nothing if it is not shared, or if screens have just done it.

    Return None, or the reason if the database does not answer, or has what this program cannot read: then the copy may be behind.
    Raise UnreachableError if there is such a reason and the folder has no copy.
    """
    url = database_of(site_dir)
    if url is None or time.monotonic() < _fresh_until.get(Path(site_dir), 0):
        return None
    from ledger.stores.postgres import Database

    try:
        with Database(url) as database:
            is_behind = not stands_at(site_dir, database.standing())
        if is_behind:
            take_over(site_dir)
    except UnreachableError as error:
        if not _has_copy(site_dir):
            raise
        return error.what
    return None


def _has_copy(site_dir: Path) -> bool:
    """Return whether a folder has a copy. One that was begun and could not go on has no event."""
    if not (site_dir / LEDGER_FILE).exists():
        return False
    with closing(connect(site_dir)) as copy:
        try:
            return copy.execute("SELECT 1 FROM event").fetchone() is not None
        except sqlite3.Error:
            return True  # who reads it says what is wrong


class Found(NamedTuple):
    """What the database of a shared log answers: its number of events, the account that connects, and the people it may act as.

    `clock_ahead_s` is how far the server's clock is ahead of this machine's, in seconds. `copied` is the number of events in the
    folder's copy.
    """

    database: str
    events: int
    clock_ahead_s: float
    account: str
    people: tuple[str, ...]
    engine: bool
    copied: int


def standing_of(site_dir: Path, url: str, take_over: TakeOver) -> Found:
    """Ask the database about its log and about this account, and update the copy in the folder."""
    from ledger.stores.postgres import Database

    with Database(url) as database:
        standing, account = database.standing(), database.account()
        ahead = (standing.now - machine_time()).total_seconds()
        people = tuple(sorted(person for person, of, _ in database.people() if of == account))
        found = Found(
            database.database(),
            standing.seq,
            ahead,
            account,
            people,
            database.is_engine(),
            copied=0,
        )
    if found.events == 0:
        return found
    brought_up(site_dir, take_over)
    with closing(connect(site_dir)) as copy:
        return found._replace(copied=copy.execute("SELECT max(seq) FROM event").fetchone()[0])


class Follower:
    """Listens to a shared log on its own connection, and copies what others record into the folder."""

    def __init__(self, site_dir: Path, url: str, take_over: TakeOver) -> None:
        """Take the folder and the URL of the database. The first call of `look` begins to listen."""
        from ledger.stores.postgres import Database

        self.site_dir = site_dir
        self.take_over = take_over
        self._database = Database(url)
        self._looked = -inf
        self._listening = False

    def look(self) -> None:
        """Copy new events if the database sent a notification. A database that does not answer is asked again after `SLOW_S`."""
        now = time.monotonic()
        late = now - self._looked > SLOW_S
        try:
            if late and not self._listening:
                self._database.listen()
                self._listening = True
            if late or (self._listening and self._database.heard()):
                self._looked = now
                self.take_over(self.site_dir)
        except UnreachableError:
            self._listening, self._looked = False, now
            self._database.close()

    def look_for_screens(self) -> None:
        """Look, and let the screens of this process read the copy without a question to the database for each. They look all the time."""
        self.look()
        _fresh_until[self.site_dir] = time.monotonic() + FRESH_S if self._listening else 0

    def close(self) -> None:
        """Stop listening."""
        self._database.close()
