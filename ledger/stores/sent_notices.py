"""The tables of a shared ledger's database with what was sent to whom. One session at a time may send: it has a lock of the database."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from schedule.errors import UnreachableError

if TYPE_CHECKING:
    import psycopg

LOCK = "clusterwright: notify"

Values = Sequence[Any]
"""What is put in the places of a query, or a row."""


class Notices:
    """The tables, asked in the words of SQLite."""

    def __init__(self, session: psycopg.Connection[Any]) -> None:
        """Take a session."""
        self._session = session

    def execute(self, query: str, values: Values = ()) -> psycopg.Cursor[Any]:
        """Ask, or change a row."""
        return self._session.execute(_words(query), values)

    def executemany(self, query: str, rows: Iterable[Values]) -> None:
        """Change several rows."""
        with self._session.cursor() as cursor:
            cursor.executemany(_words(query), list(rows))

    def commit(self) -> None:
        """Let the server keep it. When this returns it is on disk."""
        self._session.commit()


@contextmanager
def noticed(url: str, *, is_sender: bool = True) -> Iterator[Notices | None]:
    """Connect to the tables. None for a sender while another session sends. Raise where the database does not answer, or lacks them."""
    import psycopg  # not every site has the driver

    try:
        with psycopg.connect(url, connect_timeout=5, options="-c search_path=clusterwright") as session:
            ((may_send,),) = (
                session.execute("SELECT pg_try_advisory_lock(hashtext(%s))", (LOCK,)) if is_sender else ((1,),)
            )
            session.commit()
            yield Notices(session) if may_send else None
    except (psycopg.errors.UndefinedTable, psycopg.errors.InsufficientPrivilege) as error:
        raise UnreachableError(
            f"the ledger's database cannot note what is sent: {error.diag.message_primary}",
            hint="its administrator runs `clusterwright database sql` again; the engine's role notes it",
        ) from None
    except psycopg.Error as error:
        raise UnreachableError(f"the ledger's database cannot be asked what was sent: {error}".strip()) from None


def _words(query: str) -> Any:
    return query.replace("?", "%s")
