"""A site's log in PostgreSQL: read it, take a turn at it, append to it. All SQL that reaches that server is here.

The server decides who may do what (`install.sql`). It trusts nothing here.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, LiteralString, NamedTuple, Self

from ledger.log.columns import COLUMNS
from ledger.stores.file import BUSY_SECONDS
from steps.errors import ClusterwrightError, NotSatisfiedError, StaleHeadError, UnreachableError

try:
    import psycopg
    from psycopg import sql
    from psycopg.conninfo import conninfo_to_dict, make_conninfo
except ImportError:
    raise UnreachableError(
        "the ledger is shared through PostgreSQL, and its driver is not installed",
        hint="pip install 'clusterwright[postgres]'",
    ) from None

PAGE = 2_000
"""Events fetched at a time."""

CHANNEL = "clusterwright"

_LOCKED_OUT = re.compile(r"FATAL:.*(role|user|password|pg_hba|database) ")
"""A server that refuses a connection gives no code of its own."""

MOVED = ""
"""The account of events that were moved here from a file, since the server did not see who appended them."""


class LogEnd(NamedTuple):
    """Where the log ends, and the server's clock."""

    seq: int
    hash: str
    now: datetime


class Database:
    """A connection to the database of a site's log. It is made at the first question."""

    def __init__(self, url: str, role: str | None = None) -> None:
        """Take the database's URL, and the role to connect as if it is not the URL's."""
        self.url = url
        self._role = role
        self._held: psycopg.Connection[Any] | None = None

    def __str__(self) -> str:
        """Return the database's name and host, as errors name it."""
        said = conninfo_to_dict(self.url)
        return f"the database {said.get('dbname') or '?'} at {said.get('host') or 'this machine'}"

    def standing(self) -> LogEnd:
        """Return where the log ends. An empty one ends at event 0."""
        with self._explained() as db:
            row = db.execute(
                "SELECT coalesce(max(seq), 0), (SELECT hash FROM clusterwright.event ORDER BY seq DESC LIMIT 1),"
                " clock_timestamp() FROM clusterwright.event"
            ).fetchone()
        assert row is not None
        return LogEnd(
            int(row[0]),
            row[1] or "",
            row[2].astimezone(UTC),
        )

    def hash_at(self, seq: int) -> str | None:
        """Return the hash of an event. None where the log ends before it."""
        with self._explained() as db:
            row = db.execute("SELECT hash FROM clusterwright.event WHERE seq = %s", [seq]).fetchone()
        return None if row is None else str(row[0])

    def events(self, after: int) -> Iterator[dict[str, Any]]:
        """Yield the events after a number, in order."""
        names = ", ".join(COLUMNS)
        while True:
            with self._explained() as db:
                rows = db.execute(
                    f"SELECT {names} FROM clusterwright.event WHERE seq > %s ORDER BY seq LIMIT {PAGE}",  # noqa: S608  our names
                    [after],
                ).fetchall()
            for row in rows:
                yield dict(zip(COLUMNS, row, strict=True))
            if len(rows) < PAGE:
                return
            after = rows[-1][0]

    def accounts(self) -> Iterator[tuple[int, str, str]]:
        """Yield each event's number and actor, and the account whose session appended it."""
        with self._explained() as db:
            yield from db.execute("SELECT seq, actor, account FROM clusterwright.event ORDER BY seq")

    def people(self) -> set[tuple[str, str | None, bool]]:
        """Return who may append as whom: person, account, and whether they may adopt plans."""
        with self._explained() as db:
            return set(db.execute("SELECT id, account, adopts FROM clusterwright.person"))

    def account(self) -> str:
        """Return the role of this session."""
        return str(self._one("SELECT session_user"))

    def is_engine(self) -> bool:
        """Return whether this session may append what software did."""
        return bool(self._one("SELECT clusterwright.is_engine()"))

    def database(self) -> str:
        """Return the database's name, without connecting."""
        return str(conninfo_to_dict(self.url).get("dbname") or "")

    def named_role(self) -> str | None:
        """Return the role that the URL or the environment names, without connecting."""
        user = self._role or conninfo_to_dict(self.url).get("user") or os.environ.get("PGUSER")
        return None if user is None else str(user)

    @contextmanager
    def turn(self) -> Iterator[datetime]:
        """Return the server's time and hold off everybody else's decisions until the end. Then all of it counts, or nothing."""
        with self._explained() as db, db.transaction():
            db.execute("SELECT set_config('lock_timeout', %s, true)", [f"{BUSY_SECONDS:g}s"])
            row = db.execute("SELECT clusterwright.take_turn()").fetchone()
            assert row is not None
            yield row[0].astimezone(UTC)

    def is_recorded(self, seq: int, digest: str) -> bool:
        """Return whether an event counts whose recording was cut off. Asked in a turn, which waits for the session that was lost."""
        self.close()
        try:
            with self.turn():
                return self.hash_at(seq) == digest
        except UnreachableError:
            raise UnreachableError(
                f"{self} went away while it recorded; whether event {seq} counts is not known",
                hint="`clusterwright log` shows it, or that it is missing, once the database is back",
            ) from None

    def append(
        self,
        events: Sequence[Mapping[str, Any]],
        people: Sequence[Mapping[str, Any]],
    ) -> None:
        """Record events after the head. The people of an adopted plan come with it."""
        with self._explained() as db:
            db.execute("SELECT clusterwright.append(%s, %s)", [json.dumps([*map(dict, events)]), json.dumps([*people])])

    def claims(self) -> list[dict[str, Any]]:
        """Return who runs what."""
        with self._explained() as db:
            return [row[0] for row in db.execute("SELECT held FROM clusterwright.claim ORDER BY activity")]

    def hold(self, claims: Sequence[Mapping[str, Any]]) -> None:
        """Record who runs what from now on."""
        with self._explained() as db:
            db.execute("SELECT clusterwright.hold(%s)", [json.dumps([*map(dict, claims)])])

    def evidence(self, digest: str) -> bytes | None:
        """Return the content of a digest, unchecked. None where there is none."""
        with self._explained() as db:
            row = db.execute("SELECT content FROM clusterwright.evidence WHERE digest = %s", [digest]).fetchone()
        return None if row is None else bytes(row[0])

    def keep(self, content: bytes) -> None:
        """Keep content under its SHA-256."""
        with self._explained() as db:
            db.execute("SELECT clusterwright.keep(%s)", [content])

    def unlike_digest(self) -> list[str]:
        """Return the digests whose content is another, as the server works them out."""
        with self._explained() as db:
            found = db.execute(
                "SELECT digest FROM clusterwright.evidence WHERE digest <> encode(sha256(content), 'hex') ORDER BY 1"
            )
            return [row[0] for row in found]

    def digests(self) -> list[str]:
        """Return the digests of everything kept."""
        with self._explained() as db:
            return [row[0] for row in db.execute("SELECT digest FROM clusterwright.evidence ORDER BY digest")]

    def names(self) -> list[bytes]:
        """Return the documents that hold the names of people."""
        with self._explained() as db:
            return [bytes(row[0]) for row in db.execute("SELECT content FROM clusterwright.name ORDER BY digest")]

    def keep_name(self, content: bytes) -> None:
        """Keep a document that holds the name of a person."""
        with self._explained() as db:
            db.execute("SELECT clusterwright.keep_name(%s)", [content])

    def forget_redacted(self) -> None:
        """Remove the documents of people whom an event redacted."""
        with self._explained() as db:
            db.execute("SELECT clusterwright.forget_redacted()")

    def load(
        self,
        events: Iterator[Sequence[Any]],
        people: Sequence[Sequence[Any]],
    ) -> None:
        """Move a whole record into an empty log. Only an administrator may."""
        columns = ", ".join((*COLUMNS, "account", "appended_at"))
        with self._explained() as db, db.transaction(), db.cursor() as cursor:
            cursor.execute("LOCK TABLE clusterwright.turn IN ACCESS EXCLUSIVE MODE")
            moved_at = datetime.now(UTC)
            with cursor.copy(f"COPY clusterwright.event ({columns}) FROM STDIN") as copy:
                for row in events:
                    copy.write_row((*row, MOVED, moved_at))
            cursor.execute("DELETE FROM clusterwright.person")
            cursor.executemany("INSERT INTO clusterwright.person VALUES (%s, %s, %s)", people)

    def listen(self) -> None:
        """Be notified from now on when somebody else records something."""
        with self._explained() as db:
            db.execute(f"LISTEN {CHANNEL}")

    def heard(self) -> bool:
        """Return whether anybody has recorded something since it was last asked."""
        with self._explained() as db:
            return any(True for _ in db.notifies(timeout=0))

    def close(self) -> None:
        """Close the connection."""
        if self._held is not None:
            self._held.close()
            self._held = None

    def __enter__(self) -> Self:
        """Return the database."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        """Close the connection."""
        self.close()

    def _one(self, sql: LiteralString) -> Any:
        with self._explained() as db:
            row = db.execute(sql).fetchone()
        assert row is not None
        return row[0]

    @contextmanager
    def _explained(self) -> Iterator[psycopg.Connection[Any]]:
        """Return the connection. Turn what the server says into what happened and what to do about it."""
        try:
            if self._held is None or self._held.closed:
                self._held = psycopg.connect(
                    self.url if self._role is None else make_conninfo(self.url, user=self._role),
                    autocommit=True,
                    connect_timeout=5,
                    application_name="clusterwright",
                )
            yield self._held
        except psycopg.Error as error:
            raise self._said(error) from None

    def _said(self, error: psycopg.Error) -> ClusterwrightError:
        said = (error.diag.message_primary or str(error)).strip().splitlines()[0]
        if _LOCKED_OUT.search(said):
            return UnreachableError(
                f"{self} does not let you in: {said.rpartition('FATAL:')[2].strip()}",
                hint="its administrator makes roles with `clusterwright database roles`; a password comes from PGPASSWORD or ~/.pgpass",
            )
        match error.sqlstate:
            case "CW001":
                return StaleHeadError(f"somebody else decided first: {said}", hint="look again, then decide")
            case "CW002":
                return NotSatisfiedError(
                    said, hint="a person's `account` in the plan in force names the role that appends as them"
                )
            case "55P03":
                return UnreachableError(
                    f"somebody else has held {self} for more than {BUSY_SECONDS:g} s", hint="try again"
                )
            case "42501":
                return UnreachableError(
                    f"{self} refuses: {said}",
                    hint="its administrator grants the role NAME_people, or NAME_engine for the engine; NAME is the database",
                )
            case "3F000" | "42P01" | "42883":
                return UnreachableError(
                    f"{self} has no ledger installed: {said}",
                    hint="its administrator runs `clusterwright database sql | psql -d NAME`",
                )
            case _:
                return UnreachableError(
                    f"{self} does not answer: {said}",
                    hint="nothing is recorded while it does not answer; what it has recorded counts. See ledger.yaml, and PGPASSWORD or ~/.pgpass",
                )


def literal(text: str) -> str:
    """Return text as a quoted literal of SQL."""
    return sql.Literal(text).as_string()
