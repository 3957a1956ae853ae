"""The ledger file: open it for reading, check its format, and explain errors of SQLite. Standard library only."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from schedule.errors import DamagedError, UnreachableError

LEDGER_FILE = "ledger.db"

BUSY_SECONDS = 5.0
"""How long a writer waits for another one before it raises an error."""

NOT_WRITTEN = "check owner and permissions of the file and its folder; on a disk that cannot be written, copy the folder and look at the copy"
"""What to do about a file that cannot be written. One whose log was not closed is not even read then."""

FORMAT = 12
"""The format of the file, in `PRAGMA user_version`. Files of earlier formats are upgraded by replay when they are opened."""

COPY = 0x43575250
"""The `PRAGMA application_id` of a file that is the copy of a shared log. Decisions are never recorded in a copy alone."""

_COMPUTED = """
SELECT name FROM sqlite_master WHERE type = 'view' OR sql LIKE '%VIRTUAL%TABLE%'
UNION ALL SELECT t.name FROM sqlite_master t JOIN pragma_table_xinfo(t.name) c WHERE t.type = 'table' AND c.hidden
UNION ALL SELECT i.name FROM sqlite_master i JOIN pragma_index_xinfo(i.name) c WHERE i.type = 'index' AND c.cid = -2"""
"""Views, virtual tables, tables with a generated column, and indexes of an expression, whose column has the number -2."""


def ledger_path(site_dir: Path) -> Path:
    """Return the path of the ledger file. Raise UnreachableError if there is none."""
    path = Path(site_dir) / LEDGER_FILE
    if not path.exists():
        if not path.parent.is_dir():
            raise UnreachableError(f"{site_dir} is not there", hint="mount it, or put it back where it was")
        refuse_lost(site_dir)
        raise UnreachableError(f"{site_dir} has no ledger yet", hint="`clusterwright plan adopt` makes one")
    return path


def refuse_lost(site_dir: Path) -> None:
    """Raise DamagedError for a site without a ledger that has the evidence of one: a new one would take the place of its record."""
    if any((Path(site_dir) / "evidence" / "sha256").glob("*/*")):
        raise DamagedError(
            f"the ledger of {site_dir} is missing: its evidence is there, and {LEDGER_FILE} is not",
            hint=f"put {LEDGER_FILE} back, or `clusterwright restore BACKUP NEW_FOLDER`; a new site begins in a folder of its own",
        )


def connect(site_dir: Path) -> sqlite3.Connection:
    """Open a ledger for reading only. Raise UnreachableError for a file that is no ledger or cannot be read."""
    path = ledger_path(site_dir)
    with explained(path):
        connection = sqlite3.connect(
            read_only(path),
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


def read_only(path: Path) -> str:
    """Return the URI of a file for SQLite. Importing urllib for this would take longer than opening the file."""
    text = str(path.absolute())
    for mark, code in (("%", "%25"), ("?", "%3f"), ("#", "%23")):
        text = text.replace(mark, code)
    return f"file:{text}?mode=ro"


def _check_format(connection: sqlite3.Connection, path: Path) -> None:
    """Raise UnreachableError for a database that is no ledger, or that has a format which this program does not know."""
    found = connection.execute("PRAGMA user_version").fetchone()[0]
    tables = connection.execute(
        "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN ('event', 'activity')"
    ).fetchone()[0]
    if tables != 2:
        raise DamagedError(f"{path} is a database, but not a ledger", hint="restore it from a backup")
    if not 1 <= found <= FORMAT:
        raise UnreachableError(
            f"{path} has ledger format {found}; this program reads formats 1 to {FORMAT}",
            hint="upgrade clusterwright" if found > FORMAT else "restore it from a backup",
        )
    _refuse_computed(connection, path)


def _refuse_computed(connection: sqlite3.Connection, path: Path) -> None:
    """Raise DamagedError for a file that works out rows or values when it is read, since that may never end."""
    found = connection.execute(_COMPUTED).fetchone()
    if found is not None:
        raise DamagedError(
            f"{path} was changed: {found[0]} is worked out, and is no table of a ledger",
            hint="restore it from a backup",
        )


def is_copy(connection: sqlite3.Connection) -> bool:
    """Return whether a file is the copy of a shared log."""
    return int(connection.execute("PRAGMA application_id").fetchone()[0]) == COPY


def is_older(connection: sqlite3.Connection) -> bool:
    """Return whether a ledger has an earlier format and needs an upgrade."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0]) < FORMAT


def let_writers_in(path: Path) -> None:
    """Let decisions be recorded while a file is read. SQLite's own copies, and what releases up to 0.3.0 restored, do not."""
    with closing(sqlite3.connect(path, timeout=0)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")


def keeps_out_writers(connection: sqlite3.Connection) -> bool:
    """Return whether a decision waits until nobody reads a file, also not the command that is to record it."""
    return bool(connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal")


def data_version(connection: sqlite3.Connection) -> int:
    """Return a number that changes when another connection commits. It does not change inside a read transaction."""
    return int(connection.execute("PRAGMA data_version").fetchone()[0])


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Raise errors of SQLite again as UnreachableError, with what happened and a hint."""
    try:
        yield
    except sqlite3.Error as error:
        raise world_error(path, error) from None


def world_error(path: Path, error: BaseException) -> UnreachableError:
    """Return an error of SQLite as UnreachableError, with what happened and a hint."""
    said = str(error).lower()
    if "locked" in said or "busy" in said:
        return UnreachableError(
            f"another program has locked {path} for more than {BUSY_SECONDS:g} s",
            hint="see who has it open (`fuser " + path.name + "`), or try again",
        )
    if "readonly" in said or "read-only" in said:
        return UnreachableError(f"{path} cannot be written: it is read-only", hint=NOT_WRITTEN)
    if "unable to open" in said:
        return UnreachableError(f"{path} cannot be opened", hint=NOT_WRITTEN)
    if "full" in said or "disk i/o" in said:
        return UnreachableError(f"{path}: {error}", hint="check free space and the disk")
    return DamagedError(
        f"{path} is damaged or not a database: {error}",
        hint="`clusterwright audit` says what is wrong; restore ledger.db from a backup",
    )
