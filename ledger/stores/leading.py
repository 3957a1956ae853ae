"""Who leads a site's team: a lock that a session of the ledger's database holds. Of several dispatchers one has it.

The server ends a session that has asked nothing for as long as a lease, and the lock with it. So no clock but the server's counts, and
a dispatcher that hangs loses the lead without having to notice.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ledger.stores.place import require_database
from schedule.errors import UnreachableError

if TYPE_CHECKING:
    import psycopg

LEASE_S = 20
LOCK = "clusterwright: lead"
NAME = 63
"""How many characters of a name the server keeps."""

_LEADS = """
SELECT application_name FROM pg_locks JOIN pg_stat_activity USING (pid) JOIN pg_database d ON d.oid = pg_locks.database
WHERE locktype = 'advisory' AND granted AND d.datname = current_database()
  AND (classid::bigint << 32 | objid::bigint) = hashtext(%s)::bigint"""


class Lead:
    """The lead of one dispatcher."""

    def __init__(self, site_dir: Path, name: str) -> None:
        """Take the site, whose ledger has to be in PostgreSQL, and by which name others see who leads. It does not connect yet."""
        from psycopg.conninfo import make_conninfo  # not every site has the driver

        from ledger.stores.postgres import NOTICING

        self._url = make_conninfo(require_database(site_dir), application_name=name[:NAME], **NOTICING)
        self._session: psycopg.Connection | None = None

    def taken(self) -> bool:
        """Return whether this dispatcher leads from now on. Raise where the database cannot be reached."""
        import psycopg

        try:
            if self._session is None:
                options = f"-c idle_session_timeout={LEASE_S}s"
                self._session = psycopg.connect(self._url, autocommit=True, connect_timeout=5, options=options)
            ((has_lock,),) = self._session.execute("SELECT pg_try_advisory_lock(hashtext(%s))", (LOCK,))
        except psycopg.Error as error:
            self._session = None
            raise UnreachableError(f"the ledger's database cannot be asked who leads: {error}".strip()) from None
        return bool(has_lock)

    def kept(self) -> bool:
        """Return whether it still leads. The lease begins anew with each question."""
        import psycopg

        try:
            assert self._session is not None
            self._session.execute("SELECT 1")
        except psycopg.Error:
            return False
        return True

    def leave(self) -> None:
        """Let another lead."""
        if self._session is not None:
            self._session.close()


def leader(site_dir: Path) -> str | None:
    """Return the name of the dispatcher that leads. None where none does. Raise where the database cannot be asked."""
    import psycopg

    try:
        with psycopg.connect(require_database(site_dir), connect_timeout=5) as session:
            found = session.execute(_LEADS, (LOCK,)).fetchone()
    except psycopg.Error as error:
        raise UnreachableError(f"the ledger's database cannot be asked who leads: {error}".strip()) from None
    return None if found is None else str(found[0])
