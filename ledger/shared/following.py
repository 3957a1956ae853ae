"""Keeping a folder's copy up with its shared log, for those who only read. The driver is heavy: it comes when one is shared."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing
from datetime import UTC, datetime
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ledger.file import LEDGER_FILE, connect
from ledger.shared.place import database_of
from steps.errors import UnreachableError

if TYPE_CHECKING:
    from ledger.shared.log import Standing

SLOW_S = 10.0
"""The poll behind the notices: who runs what changes without an event."""


def brought_up(site_dir: Path) -> str | None:
    """Take over what others recorded in a shared ledger; where its database does not answer, say why of the copy there is."""
    url = database_of(site_dir)
    if url is None:
        return None
    from ledger.shared.log import Log

    try:
        with Log(url) as log:
            behind = not stands_at(site_dir, log.standing())
        if behind:
            _catch_up(site_dir)
    except UnreachableError as error:
        if not (site_dir / LEDGER_FILE).exists():
            raise
        return error.what
    return None


class Found(NamedTuple):
    """How a folder stands to its shared log: who comes to it, as whom they may append, and how far the copy is."""

    database: str
    events: int
    clock_ahead_s: float
    account: str
    people: tuple[str, ...]
    engine: bool
    copied: int


def standing_of(site_dir: Path, url: str) -> Found:
    """Ask the database who this is and where it stands, and bring the copy up to it."""
    from ledger.shared.log import Log

    with Log(url) as log:
        standing, account = log.standing(), log.account()
        ahead = (standing.now - datetime.now(UTC)).total_seconds()
        people = tuple(sorted(person for person, of, _ in log.people() if of == account))
        found = Found(log.database(), standing.seq, ahead, account, people, log.is_engine(), 0)
    if found.events == 0:
        return found
    brought_up(site_dir)
    with closing(connect(site_dir)) as copy:
        return found._replace(copied=copy.execute("SELECT max(seq) FROM event").fetchone()[0])


def stands_at(site_dir: Path, standing: Standing) -> bool:
    """Say whether a copy is where its log is, without what deciding needs: that takes longer to import than this to answer."""
    if not (site_dir / LEDGER_FILE).exists():
        return standing.seq == 0
    with closing(connect(site_dir)) as copy:
        try:
            held = copy.execute("SELECT seq, hash FROM event ORDER BY seq DESC LIMIT 1").fetchone()
        except sqlite3.Error:
            return False
    return held == (standing.seq, standing.hash) if held else standing.seq == 0


def _catch_up(site_dir: Path) -> None:
    from ledger.database import Ledger

    with Ledger.open(site_dir):
        pass  # opening takes over what is new


class Follower:
    """Listens to a site's log on a connection of its own, and takes over what others record when it hears of it."""

    def __init__(self, site_dir: Path, url: str) -> None:
        """Name the folder and the database; the first look begins to listen."""
        from ledger.shared.log import Log

        self.site_dir = site_dir
        self._log = Log(url)
        self._looked = -inf
        self._listening = False

    def look(self) -> None:
        """Take over what is new, if anything was heard; a database that is away is asked again after a while."""
        now = time.monotonic()
        late = now - self._looked > SLOW_S
        try:
            if late and not self._listening:
                self._log.listen()
                self._listening = True
            if late or (self._listening and self._log.heard()):
                self._looked = now
                _catch_up(self.site_dir)
        except UnreachableError:
            self._listening, self._looked = False, now
            self._log.close()

    def close(self) -> None:
        """Stop listening."""
        self._log.close()


def follower(site_dir: Path) -> Follower | None:
    """Give a follower of a shared ledger; none where the folder's own file is the ledger."""
    url = database_of(site_dir)
    return None if url is None else Follower(site_dir, url)
