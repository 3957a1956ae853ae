"""Installing a log in a database, saying who may reach it, and moving a record there: its administrator's business."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

from sqlmodel import Session

from ledger import names
from ledger.audit import Auditor, Finding
from ledger.evidence import on_disk
from ledger.file import COPY, LEDGER_FILE, connect, explained, is_copy
from ledger.schema import file_engine
from ledger.shared.log import COLUMNS, Log, literal
from ledger.shared.place import FILE, database_of
from ledger.shared.replica import people_of
from steps.errors import InputError, NotSatisfiedError

NAMES = 63
"""Bytes that PostgreSQL keeps of a role's name."""


class Moved(NamedTuple):
    """What was moved into a database."""

    events: int
    files: int


def install_sql() -> str:
    """Give the script that installs a log in the database it is run in."""
    return files("ledger.shared").joinpath("install.sql").read_text(encoding="utf-8")


def roles_sql(database: str, accounts: Iterable[str], engine: str | None = None) -> Iterator[str]:
    """Give the lines that let accounts append as their people, and one run the engine; roles that exist stay as they are."""
    for account in sorted({*accounts, *([engine] if engine else [])}):
        if len(account.encode()) > NAMES:
            raise InputError(f"the account {account!r} is longer than a role's name can be", hint=f"{NAMES} bytes")
        role, people = literal(account), literal(f"{database}_people")
        yield f"SELECT format('CREATE ROLE %I LOGIN', {role}) WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = {role})\\gexec"  # noqa: S608  quoted by the driver
        yield f"SELECT format('GRANT %I TO %I', {people}, {role})\\gexec"
    if engine:
        role, runs = literal(engine), literal(f"{database}_engine")
        yield f"SELECT format('GRANT %I TO %I', {runs}, {role})\\gexec"


def move(site_dir: Path, role: str | None = None) -> Moved:
    """Move a folder's own record into the empty database that its ledger.yaml names; the file becomes a copy of it."""
    url = database_of(site_dir)
    if url is None:
        raise InputError(f"{site_dir} has no {FILE}", hint="write `database: postgresql://HOST/DATABASE` there first")
    with closing(connect(site_dir)) as held:
        if is_copy(held):
            raise InputError(f"{site_dir / LEDGER_FILE} is a copy of a shared ledger already")
    with Log(url, role) as log:
        if log.standing().seq:
            raise InputError(f"{log} holds a ledger already", hint="a record is moved into an empty one")
        with Auditor(site_dir) as auditor:
            found: list[Finding] = auditor.run()
        if found:
            raise NotSatisfiedError(
                f"the ledger has {len(found)} faults: {found[0].where} {found[0].message}",
                hint="`clusterwright audit` lists them",
            )
        return _moved(site_dir, log)


def _moved(site_dir: Path, log: Log) -> Moved:
    files_kept = 0
    for path in sorted((site_dir / "evidence" / "sha256").glob("??/*")):
        content = on_disk(path)
        if content is not None and len(path.name) == 64:
            log.keep(content)
            files_kept += 1
    for document in names.documents(site_dir):
        log.keep_name(document)
    engine = file_engine(site_dir / LEDGER_FILE)
    # the folder's own lock, so that nothing is recorded there meanwhile
    with Session(engine) as session, session.begin():
        people = [(p["id"], p["account"], p["adopts"]) for p in people_of(session)]
        rows = (
            session.connection()
            .exec_driver_sql(
                f"SELECT {', '.join(COLUMNS)} FROM event ORDER BY seq"  # noqa: S608  our names
            )
            .fetchall()
        )
        log.load((tuple(row) for row in rows), people)
    engine.dispose()
    with explained(site_dir / LEDGER_FILE), closing(sqlite3.connect(site_dir / LEDGER_FILE)) as own:
        own.execute(f"PRAGMA application_id={COPY}")
    return Moved(len(rows), files_kept)
