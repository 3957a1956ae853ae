"""Move a site's ledger from its folder into a database. It is audited first. Afterwards the file in the folder is a copy.

Evidence and the documents with people's names are moved first, and then all events in one transaction. If the move is
interrupted before that, the database has no events yet, the ledger in the folder is unchanged, and the move can be repeated.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from ledger.evidence import names
from ledger.evidence.folder import on_disk
from ledger.log.columns import EVENTS
from ledger.stores.file import COPY, LEDGER_FILE, connect, is_copy
from ledger.stores.place import require_database
from ledger.stores.postgres import Database
from ledger.stores.shared_log import people_of
from ledger.stores.sqlite import explained_engine, file_engine
from ledger.trust.audit import whole_audit
from schedule.errors import InputError, NotSatisfiedError

ONLY_EMPTY = (
    f"a ledger is moved into an empty database only; to work on the one that is there, put {LEDGER_FILE} aside: this folder"
    " then copies it"
)

_REFUSED = "INSERT OR IGNORE INTO refused SELECT seq, kind, actor, subject FROM event WHERE seq = ?"


class Moved(NamedTuple):
    """How many events and files were moved."""

    events: int
    files: int


def move(site_dir: Path, role: str | None = None) -> Moved:
    """Move a site's ledger into the database that its ledger.yaml names. The file in the folder becomes a copy.

    The database must have the schema of `install.sql` and no events. `role` is the role to connect as, if it is not the one of
    the URL. Raise NotSatisfiedError if the audit has findings: then nothing is moved.
    """
    url = require_database(site_dir)
    with closing(connect(site_dir)) as own:
        if is_copy(own):
            raise InputError(f"{site_dir / LEDGER_FILE} is a copy of a shared ledger already")
    with Database(url, role) as database:
        if database.standing().seq:
            raise InputError(f"{database} has a ledger already", hint=ONLY_EMPTY)
        with whole_audit(site_dir) as (found, _):
            wrong = found.with_effect
        if wrong:
            raise NotSatisfiedError(
                f"the ledger has {len(wrong)} faults: {wrong[0].where} {wrong[0].message}",
                hint="`clusterwright audit` lists them",
            )
        return _moved(site_dir, database, found.refused_here)


def _moved(site_dir: Path, database: Database, refused: Iterable[int]) -> Moved:
    files = 0
    for path in sorted((site_dir / "evidence" / "sha256").glob("??/*")):
        content = on_disk(path)
        if content is not None and len(path.name) == 64:
            database.keep(content)
            files += 1
    for document in names.documents(site_dir):
        database.keep_name(document)
    path = site_dir / LEDGER_FILE
    engine = file_engine(path)
    # the write lock of the file, so that nobody records anything in the folder while events are moved
    with explained_engine(path), engine.begin() as connection:
        people = [tuple(person.values()) for person in people_of(connection)]
        rows = connection.exec_driver_sql(f"{EVENTS} ORDER BY seq").fetchall()
        database.load((tuple(row) for row in rows), people)
        for seq in refused:  # as every other copy will note them
            connection.exec_driver_sql(_REFUSED, (seq,))
        connection.exec_driver_sql(f"PRAGMA application_id={COPY}")
    engine.dispose()
    return Moved(len(rows), files)
