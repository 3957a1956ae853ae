"""The ledger file seen from outside: whether it is there, whether it is a ledger, whether it opens. Standard library only."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from steps.errors import UnreachableError

LEDGER_FILE = "ledger.db"

BUSY_SECONDS = 5.0
"""How long a writer waits for another before it says so."""

FORMAT = 3
"""The format of the file, kept in `PRAGMA user_version`. Files of earlier formats are brought up by replay."""

COPY = 0x43575250
"""In `PRAGMA application_id` of a file that is a copy of a shared log. Such a file takes no decisions by itself."""


def ledger_path(site_dir: Path) -> Path:
    """Return the ledger's file. Raise where there is none."""
    path = Path(site_dir) / LEDGER_FILE
    if not path.exists():
        raise UnreachableError(f"{site_dir} has no ledger yet", hint="`clusterwright plan adopt` makes it")
    return path


def connect(site_dir: Path) -> sqlite3.Connection:
    """Open a ledger for reading only. Raise for what is not one."""
    path = ledger_path(site_dir)
    with explained(path):
        connection = sqlite3.connect(
            _read_only(path),
            uri=True,
            timeout=BUSY_SECONDS,
            isolation_level=None,
            check_same_thread=False,
        )
        try:
            _check_format(connection, path)
        except BaseException:
            connection.close()
            raise
    return connection


def _read_only(path: Path) -> str:
    """Return SQLite's URI. urllib would take longer to import than this file to open."""
    text = str(path.absolute())
    for mark, code in (("%", "%25"), ("?", "%3f"), ("#", "%23")):
        text = text.replace(mark, code)
    return f"file:{text}?mode=ro"


def _check_format(connection: sqlite3.Connection, path: Path) -> None:
    """Raise for a database that is no ledger, or one of a format that this program does not know."""
    found = connection.execute("PRAGMA user_version").fetchone()[0]
    tables = connection.execute(
        "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN ('event', 'activity')"
    ).fetchone()[0]
    if tables != 2:
        raise UnreachableError(f"{path} is a database, but not a ledger", hint="restore it from a backup")
    if not 1 <= found <= FORMAT:
        raise UnreachableError(
            f"{path} has ledger format {found}; this program reads formats 1 to {FORMAT}",
            hint="upgrade clusterwright" if found > FORMAT else "restore it from a backup",
        )


def is_copy(connection: sqlite3.Connection) -> bool:
    """Return whether a file is a copy of a shared log, and no record of its own."""
    return int(connection.execute("PRAGMA application_id").fetchone()[0]) == COPY


def is_older(connection: sqlite3.Connection) -> bool:
    """Return whether a ledger is of an earlier format, whose tables are not all as today's."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0]) < FORMAT


def data_version(connection: sqlite3.Connection) -> int:
    """Return a number that changes with every commit of others. Inside a read transaction it stays the same."""
    return int(connection.execute("PRAGMA data_version").fetchone()[0])


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn what SQLite says of a file into what happened and what to do about it."""
    try:
        yield
    except sqlite3.Error as error:
        raise world_error(path, error) from None


def world_error(path: Path, error: BaseException) -> UnreachableError:
    """Return the error that a person can act on for one of SQLite's."""
    said = str(error).lower()
    if "locked" in said or "busy" in said:
        return UnreachableError(
            f"{path} is locked by another program for more than {BUSY_SECONDS:g} s",
            hint="see who has it open (`fuser " + path.name + "`), or try again",
        )
    if "readonly" in said or "read-only" in said:
        return UnreachableError(f"{path} may not be written", hint="check the file's owner and permissions")
    if "unable to open" in said:
        return UnreachableError(f"{path} cannot be opened", hint="check the folder's owner and permissions")
    if "full" in said or "disk i/o" in said:
        return UnreachableError(f"{path}: {error}", hint="check free space and the disk")
    return UnreachableError(
        f"{path} is damaged or not a database: {error}",
        hint="`clusterwright audit` says what is left; restore ledger.db from a backup",
    )
