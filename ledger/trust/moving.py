"""Moving a folder's own record into a database: it is audited first, and the file then becomes a copy."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from ledger.evidence import names
from ledger.evidence.folder import on_disk
from ledger.log.columns import COLUMNS
from ledger.stores.file import COPY, LEDGER_FILE, connect, explained, is_copy
from ledger.stores.place import require_database
from ledger.stores.postgres import Database
from ledger.stores.shared_log import people_of
from ledger.stores.sqlite import file_engine
from ledger.trust.audit import Auditor
from steps.errors import InputError, NotSatisfiedError

_EVENTS = f"SELECT {', '.join(COLUMNS)} FROM event ORDER BY seq"  # noqa: S608  our names


class Moved(NamedTuple):
    """How much was moved into a database."""

    events: int
    files: int


def move(site_dir: Path, role: str | None = None) -> Moved:
    """Move a folder's own record into the empty database that its ledger.yaml names. The file becomes a copy of it."""
    url = require_database(site_dir)
    with closing(connect(site_dir)) as own:
        if is_copy(own):
            raise InputError(f"{site_dir / LEDGER_FILE} is a copy of a shared ledger already")
    with Database(url, role) as database:
        if database.standing().seq:
            raise InputError(f"{database} holds a ledger already", hint="a record is moved into an empty one")
        with Auditor(site_dir) as auditor:
            found = auditor.run()
        if found:
            raise NotSatisfiedError(
                f"the ledger has {len(found)} faults: {found[0].where} {found[0].message}",
                hint="`clusterwright audit` lists them",
            )
        return _moved(site_dir, database)


def _moved(site_dir: Path, database: Database) -> Moved:
    files = 0
    for path in sorted((site_dir / "evidence" / "sha256").glob("??/*")):
        content = on_disk(path)
        if content is not None and len(path.name) == 64:
            database.keep(content)
            files += 1
    for document in names.documents(site_dir):
        database.keep_name(document)
    engine = file_engine(site_dir / LEDGER_FILE)
    # the folder's own lock, so that nothing is recorded there meanwhile
    with engine.begin() as connection:
        people = [(p["id"], p["account"], p["adopts"]) for p in people_of(connection)]
        rows = connection.exec_driver_sql(_EVENTS).fetchall()
        database.load((tuple(row) for row in rows), people)
    engine.dispose()
    with explained(site_dir / LEDGER_FILE), closing(sqlite3.connect(site_dir / LEDGER_FILE)) as own:
        own.execute(f"PRAGMA application_id={COPY}")
    return Moved(len(rows), files)
