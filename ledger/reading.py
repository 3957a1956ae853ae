"""Open a site's record for questions. Only the standard library is imported, so that commands which read start fast."""

from __future__ import annotations

import sqlite3
from contextlib import ExitStack, suppress
from datetime import datetime
from functools import partial
from pathlib import Path

from ledger.project_time import project_now
from ledger.questions.site import project_time
from ledger.questions.snapshot import Snapshot
from ledger.stores.file import connect, is_older, keeps_out_writers, ledger_path, let_writers_in
from ledger.stores.following import Follower, brought_up
from ledger.stores.place import database_of


def open_snapshot(site_dir: Path, now: datetime | None = None) -> Snapshot:
    """Return a site's record, for questions as of `now`. None means the present; in a rehearsal, the time of its last event.

    A ledger file of an earlier release is upgraded first. The copy of a shared ledger is updated first. If the database of a
    shared ledger does not answer, the copy is read as it is, and the snapshot's `cut_off` says why.
    """
    site_dir = Path(site_dir)
    cut_off = brought_up(site_dir, take_over)
    db = connect(site_dir)
    if is_older(db):
        db.close()
        take_over(site_dir)
        db = connect(site_dir)
    if keeps_out_writers(db):
        with suppress(sqlite3.Error):  # it can be read all the same, also where it cannot be written
            let_writers_in(ledger_path(site_dir))
    return _begun(Snapshot(db, site_dir, now or project_now(), cut_off=cut_off), now)


def _begun(snapshot: Snapshot, asked: datetime | None) -> Snapshot:
    """Return a snapshot whose transaction has begun. Without a time that is `asked` for, that of a rehearsal is its last event's."""
    with ExitStack() as on_error:
        on_error.push(snapshot)
        snapshot.db.execute("BEGIN")
        rehearsal = is_rehearsal(snapshot)  # the first read fixes what the transaction sees
        if asked is None and rehearsal:
            snapshot.now = project_time(snapshot)
        on_error.pop_all()
    return snapshot


class Readers:
    """Opens snapshots on connections that stay open, for a process that asks many times a second."""

    def __init__(self, site_dir: Path) -> None:
        """Take the site's folder. Its ledger has the present format."""
        self._site_dir = site_dir
        self._idle: list[tuple[int, sqlite3.Connection]] = []

    def snapshot(self, now: datetime) -> Snapshot:
        """Return the site's record, for questions as of `now`. Closing it keeps its connection for the next one."""
        cut_off = brought_up(self._site_dir, take_over)
        file, db = self._connection()
        release = partial(self._keep, file, db)
        return _begun(Snapshot(db, self._site_dir, now, cut_off=cut_off, release=release), now)

    def close(self) -> None:
        """Close the connections that no snapshot uses."""
        while self._idle:
            self._idle.pop()[1].close()

    def _connection(self) -> tuple[int, sqlite3.Connection]:
        """Return a connection to the ledger's file, and the number of that file. Another file may have taken its place."""
        present = ledger_path(self._site_dir).stat().st_ino
        with suppress(IndexError):  # none is left: of two threads that see the last one, one gets it
            while True:
                file, db = self._idle.pop()
                if file == present:
                    return file, db
                db.close()
        return present, connect(self._site_dir)

    def _keep(self, file: int, db: sqlite3.Connection) -> None:
        db.rollback()
        self._idle.append((file, db))


def take_over(site_dir: Path) -> None:
    """Copy what others recorded in a shared ledger into the folder. See `ledger.stores.opening`."""
    from ledger.stores import opening  # SQLAlchemy is slow to import, and few readers need it

    opening.take_over(site_dir)


def follower(site_dir: Path) -> Follower | None:
    """Return what listens to the database of a shared ledger. None if the ledger is the file in the folder."""
    url = database_of(site_dir)
    return None if url is None else Follower(site_dir, url, take_over)


def is_rehearsal(snapshot: Snapshot) -> bool:
    """Return whether the site is a rehearsal."""
    found = snapshot.first("SELECT rehearsal FROM site")
    return bool(found and found[0])
