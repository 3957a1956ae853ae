"""What was sent, by address: a file beside the ledger, for its owner only, or tables of the database of a shared ledger.

So of several folders of one ledger none sends what another has sent. A killed engine leaves both whole.

A notice is noted before it is sent. So an engine that is killed in between never sends it twice. Whether that message arrived
nobody can know: the next engine says so in its log, and the notice is in the next digest if it is still open.
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from flows.engine.state_folder import STATE, state_folder
from ledger.stores.place import database_of
from ledger.stores.sent_notices import Notices, noticed

PAUSES = tuple(timedelta(minutes=minutes) for minutes in (1, 2, 5, 10, 20, 40, 60))
"""How long an address rests after each failure in succession; after more of them, as after the last one."""

FILE = "notified.db"

_TABLES = """
CREATE TABLE IF NOT EXISTS notice (
  address TEXT, kind TEXT, subject TEXT, seq INTEGER, said TEXT, state TEXT,
  PRIMARY KEY (address, kind, subject, seq)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS failure (address TEXT PRIMARY KEY, times INTEGER, until TEXT) WITHOUT ROWID;"""


DASHBOARD = ""
"""Where questions to people are asked. No address of notify.yaml has this name."""

Store = sqlite3.Connection | Notices
"""What both are asked in the same words."""


class NoticeKey(NamedTuple):
    """What is sent once to an address: a kind of notice, its subject, and the event with which it began."""

    kind: str
    subject: str
    seq: int


@dataclass
class Memory:
    """What one address was sent.

    `said` are the dates that were said of milestones. After `failures` in succession nothing is tried `until` then, in machine time.
    """

    noted: set[NoticeKey] = field(default_factory=set)
    said: dict[str, date] = field(default_factory=dict)
    failures: int = 0
    until: datetime | None = None


class SentNotices:
    """The file, or the tables. Only one process at a time has them, for as long as it sends."""

    def __init__(self, db: Store) -> None:
        self._db = db

    def memories(self) -> dict[str, Memory]:
        """Return what every address was sent. What failed is to be sent again, so it is not among it."""
        found: dict[str, Memory] = {}
        rows = self._db.execute(
            "SELECT address, kind, subject, seq, said FROM notice WHERE state <> 'failed' ORDER BY seq"
        )
        for address, kind, subject, seq, said in rows:
            memory = found.setdefault(address, Memory())
            memory.noted.add(NoticeKey(kind, subject, seq))
            if said is not None:
                memory.said[subject] = date.fromisoformat(said)
        for address, times, until in self._db.execute("SELECT address, times, until FROM failure"):
            memory = found.setdefault(address, Memory())
            memory.failures, memory.until = times, datetime.fromisoformat(until)
        return found

    def interrupted(self) -> dict[str, int]:
        """Return by address how many notices were being sent when their engine ended. They count as sent from now on."""
        rows = self._db.execute("SELECT address, count(*) FROM notice WHERE state = 'sending' GROUP BY address")
        found: dict[str, int] = dict(rows)
        self._db.execute("UPDATE notice SET state = 'unknown' WHERE state = 'sending'")
        self._db.commit()
        return found

    def note(self, address: str, keys: Iterable[NoticeKey], said: dict[str, date], state: str = "sending") -> None:
        """Note that notices are being sent, or were. When this returns they are on disk."""
        rows = [(address, *key, said[key.subject].isoformat() if key.subject in said else None, state) for key in keys]
        self._db.executemany(
            "INSERT INTO notice VALUES (?, ?, ?, ?, ?, ?)"
            " ON CONFLICT (address, kind, subject, seq) DO UPDATE SET said = excluded.said, state = excluded.state",
            rows,
        )
        self._db.commit()

    def arrived(self, address: str) -> None:
        """Note that what was being sent to an address has arrived."""
        self._settle(address, "sent")
        self._db.execute("DELETE FROM failure WHERE address = ?", (address,))
        self._db.commit()

    def failed(self, address: str, times: int, now: datetime) -> timedelta:
        """Note that an address failed, so many times in succession. Return the pause until it is tried again."""
        pause = PAUSES[min(times, len(PAUSES)) - 1]
        self._settle(address, "failed")
        row = (address, times, (now + pause).isoformat())
        self._db.execute(
            "INSERT INTO failure VALUES (?, ?, ?)"
            " ON CONFLICT (address) DO UPDATE SET times = excluded.times, until = excluded.until",
            row,
        )
        self._db.commit()
        return pause

    def _settle(self, address: str, state: str) -> None:
        self._db.execute("UPDATE notice SET state = ? WHERE address = ? AND state = 'sending'", (state, address))


@contextmanager
def sent_notices(site_dir: Path) -> Iterator[SentNotices | None]:
    """Open what was sent of a site. None while another process sends."""
    url = database_of(site_dir)
    with _in_database(site_dir, url) if url else _locked_file(_path(site_dir)) as db:
        yield None if db is None else SentNotices(db)


@contextmanager
def _locked_file(path: Path) -> Iterator[Store | None]:
    lock = os.open(path.with_suffix(".lock"), os.O_RDWR | os.O_CREAT, 0o600)
    with os.fdopen(lock, "rb+"):  # its end unlocks it; the end of the process does too
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield None
            return
        with _in_file(path) as db:
            yield db


@contextmanager
def _in_file(path: Path) -> Iterator[Store]:
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA synchronous = FULL")
        db.executescript(_TABLES)
        yield db


@contextmanager
def _in_database(site_dir: Path, url: str) -> Iterator[Store | None]:
    with noticed(url) as db:
        if db is not None and (path := _path(site_dir)).exists():  # of a version that kept it in each folder
            with closing(sqlite3.connect(path)) as own:
                rows = own.execute("SELECT * FROM notice").fetchall()
            db.executemany("INSERT INTO notice VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING", rows)
            db.commit()
            path.unlink()
        yield db


def remembered(site_dir: Path) -> dict[str, Memory]:
    """Return what every address of a site was sent, without changing anything."""
    path, url = site_dir / STATE / FILE, database_of(site_dir)
    if url:
        with noticed(url, is_sender=False) as shared:
            return SentNotices(shared).memories() if shared else {}
    if not path.exists():
        return {}
    with closing(sqlite3.connect(path)) as db:
        db.executescript(_TABLES)
        return SentNotices(db).memories()


def remember_questions(site_dir: Path, keys: Iterable[NoticeKey]) -> None:
    """Note what people were asked in the dashboard. Another process may send meanwhile: that is no message."""
    url = database_of(site_dir)
    with noticed(url, is_sender=False) if url else _in_file(_path(site_dir)) as db:
        if db is not None:
            SentNotices(db).note(DASHBOARD, keys, {}, "sent")


def _path(site_dir: Path) -> Path:
    return state_folder(site_dir) / FILE
