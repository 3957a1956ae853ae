"""A site's log in PostgreSQL: read it, lock it for a decision, append to it. All SQL for that server is here and in `install.sql`.

The server decides who may do what, in the functions of `install.sql`. It does not rely on any check in this program.
"""

from __future__ import annotations

import json
import os
import re
import select
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime
from typing import Any, LiteralString, NamedTuple

from ledger.entries import Reservation
from ledger.log.columns import COLUMNS
from ledger.machine_time import machine_time
from ledger.stores.held import Row, held_in
from ledger.stores.sessions import leave, take
from schedule.errors import ClusterwrightError, NotSatisfiedError, StaleHeadError, UnreachableError

try:
    import psycopg
    from psycopg import sql
    from psycopg.conninfo import conninfo_to_dict, make_conninfo
    from psycopg.pq import TransactionStatus
except ImportError:
    raise UnreachableError(
        "the ledger is shared through PostgreSQL, and its driver is not installed",
        hint="pip install 'clusterwright[postgres]'",
    ) from None

PAGE = 2_000
"""How many events are fetched at a time."""

CHANNEL = "clusterwright"

TURN_SECONDS = 30
"""How long a decision waits for its turn. The server ends a session that holds the log for 20 seconds while others wait."""

NOTICING: dict[str, Any] = {
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 25_000,
}
"""Lets the system notice within half a minute that a network was cut: it would wait a quarter of an hour, or two hours."""

AGAIN_S = 0.5
"""How often a server that was lost while it recorded something is asked again."""

_FATAL = "FATAL:"
"""What the words of a server that takes no session begin with. There is no error code then."""

_FULL = re.compile(r"too many (clients|connections)|connection slots are reserved")
_LOCKED_OUT = re.compile(r'(role|user|database) "|pg_hba')
"""Words of a server that has no more sessions to give, and of one that does not know the account or the database."""

_HELD: dict[str, LiteralString] = {
    "claim": "SELECT held FROM clusterwright.claim ORDER BY activity",
    "reservation": "SELECT held FROM clusterwright.reservation ORDER BY activity, engine",
}
_HOLD: dict[str, LiteralString] = {
    "claim": "SELECT clusterwright.hold(%s)",
    "reservation": "SELECT clusterwright.reserve(%s)",
}

MOVED = ""
"""The account of events that were moved here from a file. The server did not see who recorded them."""


class LogEnd(NamedTuple):
    """The last event of the log, the time of the server, and what is reserved: which activity by which engine, and until when."""

    seq: int
    hash: str
    now: datetime
    reserved: frozenset[tuple[str, str, str]]


class Database(AbstractContextManager["Database"]):
    """The database of a site's log. It connects when it is first asked something."""

    def __init__(self, url: str, role: str | None = None) -> None:
        """Take the URL of the database, and the role to connect as, if it is not the one in the URL."""
        self.url = url
        self._role = role
        self._held: psycopg.Connection[Any] | None = None
        self._listens = False

    def __str__(self) -> str:
        """Return the database's name and host, as errors name it."""
        said = conninfo_to_dict(self.url)
        return f"the database {said.get('dbname') or '?'} at {said.get('host') or 'this machine'}"

    @property
    def _address(self) -> str:
        """What to connect to, and as whom."""
        return self.url if self._role is None else make_conninfo(self.url, user=self._role)

    def standing(self) -> LogEnd:
        """Return the last event of the log, the server's time, and what is reserved. The last event of an empty log is 0."""
        ((seq, digest, now, reserved),) = self._rows(
            "SELECT coalesce(max(seq), 0), (SELECT hash FROM clusterwright.event ORDER BY seq DESC LIMIT 1),"
            " clock_timestamp(), (SELECT jsonb_agg(held) FROM clusterwright.reservation) FROM clusterwright.event"
        )
        held = held_in(reserved or (), Reservation)
        kept = frozenset((row["activity"], row["engine"], row["lease_until"]) for row in held)
        return LogEnd(seq, digest or "", now.astimezone(UTC), kept)

    def hash_at(self, seq: int) -> str | None:
        """Return the hash of an event. None if the log ends before it."""
        found = self._rows("SELECT hash FROM clusterwright.event WHERE seq = %s", seq)
        return found[0][0] if found else None

    def events(self, after: int) -> Iterator[Row]:
        """Yield the events after the one with the number `after`, in order, each with the account that appended it."""
        names = ", ".join((*COLUMNS, "account"))
        while True:
            rows = self._rows(
                f"SELECT {names} FROM clusterwright.event WHERE seq > %s ORDER BY seq LIMIT {PAGE}",  # noqa: S608  our names
                after,
            )
            for row in rows:
                yield dict(zip((*COLUMNS, "account"), row, strict=True))
            if len(rows) < PAGE:
                return
            after = rows[-1][0]

    def accounts(self) -> Iterator[tuple[int, str, str]]:
        """Yield each event's number and actor, and the account whose session appended it."""
        with self._explained() as db:
            yield from db.execute("SELECT seq, actor, account FROM clusterwright.event ORDER BY seq")

    def people(self) -> set[tuple[str, str | None, bool]]:
        """Return who may append: the id of each person, the account that acts as them, and whether they may adopt plans."""
        return set(self._rows("SELECT id, account, adopts FROM clusterwright.person"))

    def account(self) -> str:
        """Return the role with which this session connected."""
        return str(self._one("SELECT session_user"))

    def is_engine(self) -> bool:
        """Return whether this session may append what software did."""
        return bool(self._one("SELECT clusterwright.is_engine()"))

    def database(self) -> str:
        """Return the name of the database, without connecting."""
        return str(conninfo_to_dict(self.url).get("dbname") or "")

    def named_role(self) -> str | None:
        """Return the role that the URL or the environment names, without connecting."""
        in_url = conninfo_to_dict(self.url).get("user")
        user = self._role or in_url or os.environ.get("PGUSER")
        return None if user is None else str(user)

    @contextmanager
    def turn(self) -> Iterator[datetime]:
        """Lock the log and yield the server's time. Nobody else can decide until the block ends.

        What the block records is committed at its end. After an error nothing of it is recorded.
        """
        with self._explained() as db, db.transaction():
            db.execute("SELECT set_config('lock_timeout', %s, true)", [f"{TURN_SECONDS}s"])
            now: datetime = self._one("SELECT clusterwright.take_turn()")
            yield now.astimezone(UTC)

    def is_recorded(self, seq: int, digest: str) -> bool:
        """Return whether an event was recorded, although the connection was lost while that was done.

        A server that is restarted is waited for. Locking the log waits until the server has ended the lost session.
        """
        until = time.monotonic() + TURN_SECONDS
        while True:
            self.close()
            try:
                with self.turn():
                    return self.hash_at(seq) == digest
            except UnreachableError:
                if time.monotonic() > until:
                    break
                time.sleep(AGAIN_S)
        raise UnreachableError(
            f"the connection to {self} was lost; it is not known whether event {seq} was recorded",
            hint="when the database answers again, `clusterwright log` shows whether the event is there",
        )

    def append(self, events: list[Row], people: list[Row]) -> None:
        """Record events after the last one. `people` are those of an adopted plan, if one of the events is that."""
        self._rows("SELECT clusterwright.append(%s, %s)", json.dumps(events), json.dumps(people))

    def held(self, kind: str) -> list[Row]:
        """Return the claims, or the reservations, as somebody wrote them: `ledger.stores.held` reads them."""
        return self._column(_HELD[kind])

    def hold(self, kind: str, rows: list[Row]) -> None:
        """Replace all claims, or all reservations."""
        self._rows(_HOLD[kind], json.dumps(rows))

    def evidence(self, digest: str) -> bytes | None:
        """Return the content with this digest, without checking it. None if there is none."""
        found = self._column("SELECT content FROM clusterwright.evidence WHERE digest = %s", digest)
        return bytes(found[0]) if found else None

    def keep(self, content: bytes) -> None:
        """Store content as evidence. The server computes its SHA-256."""
        self._rows("SELECT clusterwright.keep(%s)", content)

    def unlike_digest(self) -> list[str]:
        """Return the digests of evidence whose content was changed. The server computes the SHA-256 of all content."""
        return self._column(
            "SELECT digest FROM clusterwright.evidence WHERE digest <> encode(sha256(content), 'hex') ORDER BY 1"
        )

    def digests(self) -> list[str]:
        """Return the digests of all evidence."""
        return self._column("SELECT digest FROM clusterwright.evidence ORDER BY digest")

    def names(self) -> list[bytes]:
        """Return the documents with people's names."""
        return [bytes(content) for content in self._column("SELECT content FROM clusterwright.name ORDER BY digest")]

    def keep_name(self, content: bytes) -> None:
        """Store a document with a person's name."""
        self._rows("SELECT clusterwright.keep_name(%s)", content)

    def forget_redacted(self) -> None:
        """Delete the documents with the names of redacted people. The server deletes no others."""
        self._rows("SELECT clusterwright.forget_redacted()")

    def load(
        self,
        events: Iterator[Sequence[Any]],
        people: Sequence[Sequence[Any]],
    ) -> None:
        """Copy the events and people of a whole ledger into an empty log. Only an administrator of the database may."""
        columns = ", ".join((*COLUMNS, "account", "appended_at"))
        with self._explained() as db, db.transaction(), db.cursor() as cursor:
            cursor.execute("LOCK TABLE clusterwright.turn IN ACCESS EXCLUSIVE MODE")
            moved_at = machine_time()
            with cursor.copy(f"COPY clusterwright.event ({columns}) FROM STDIN") as copy:
                for row in events:
                    copy.write_row((*row, MOVED, moved_at))
            cursor.execute("DELETE FROM clusterwright.person")
            cursor.executemany("INSERT INTO clusterwright.person VALUES (%s, %s, %s)", people)

    def listen(self) -> None:
        """Ask the server for a notification whenever somebody records something."""
        with self._explained() as db:
            db.execute(f"LISTEN {CHANNEL}")
        self._listens = True

    def heard(self) -> bool:
        """Return whether a notification has come since the last call."""
        with self._explained() as db:
            return any(True for _ in db.notifies(timeout=0))

    def close(self) -> None:
        """Close the connection, or leave it to the next question of a decision."""
        held, self._held = self._held, None
        if held is None:
            return
        if self._listens or held.info.transaction_status != TransactionStatus.IDLE:
            held.close()
        else:
            leave(self._address, held)

    def __exit__(self, *error: object) -> None:
        """Close the connection."""
        self.close()

    def _rows(self, query: LiteralString, *values: Any) -> list[Any]:
        with self._explained() as db:
            return db.execute(query, values).fetchall()

    def _column(self, query: LiteralString, *values: Any) -> list[Any]:
        return [row[0] for row in self._rows(query, *values)]

    def _one(self, query: LiteralString) -> Any:
        (value,) = self._column(query)
        return value

    @contextmanager
    def _explained(self) -> Iterator[psycopg.Connection[Any]]:
        """Yield the connection. Raise errors of the server again as ours, with what happened and a hint."""
        try:
            if self._held is None or self._held.closed:
                self._held = self._connection()
            yield self._held
        except psycopg.Error as error:
            raise self._said(error) from None

    def _connection(self) -> psycopg.Connection[Any]:
        """Return a session that was kept, unless the server has ended it meanwhile, or a new one."""
        kept = take(self._address)
        if isinstance(kept, psycopg.Connection):
            if not _has_word_from_server(kept):
                return kept
            kept.close()
        return psycopg.connect(
            self._address, autocommit=True, connect_timeout=5, application_name="clusterwright", **NOTICING
        )

    def _said(self, error: psycopg.Error) -> ClusterwrightError:
        said = (error.diag.message_primary or str(error)).strip().splitlines()[0]
        if _FATAL in said:
            return self._refused(said.rpartition(_FATAL)[2].strip())
        match error.sqlstate:
            case "CW001":
                return StaleHeadError(f"somebody else decided first: {said}", hint="look again, then decide")
            case "CW002":
                return NotSatisfiedError(
                    said,
                    hint="the plan in force names the role of each person: their `account` in site.yaml",
                )
            case "CW004":
                return UnreachableError(
                    said, hint="use the program that wrote the server's functions, or install them again"
                )
            case "55P03":
                return UnreachableError(
                    f"somebody else has locked {self} for more than {TURN_SECONDS} s", hint="try again"
                )
            case "25006":
                return UnreachableError(
                    f"{self} can only be read: {said}",
                    hint="nothing is recorded in a standby, nor while its administrator keeps it read-only; ledger.yaml names the server that records",
                )
            case "53100" | "53200":
                return UnreachableError(
                    f"{self} has no room: {said}",
                    hint="nothing was recorded; its administrator makes room on the server",
                )
            case "42501":
                return UnreachableError(
                    f"{self} does not permit this: {said}",
                    hint="its administrator must grant the role NAME_people, or NAME_engine to the engine; NAME is the database",
                )
            case "3F000" | "42P01" | "42883":
                return UnreachableError(
                    f"{self} has no ledger installed: {said}",
                    hint="its administrator runs `clusterwright database sql | psql -d NAME`",
                )
            case _:
                return UnreachableError(
                    f"{self} does not answer: {said}",
                    hint="nothing is recorded until it answers; earlier events are not affected; check ledger.yaml, and PGPASSWORD or ~/.pgpass",
                )

    def _refused(self, said: str) -> UnreachableError:
        """Return the error for a server that does not let this session in, by its own words."""
        if _FULL.search(said):
            return UnreachableError(
                f"{self} has too many sessions: {said}",
                hint="close screens and commands of this account elsewhere, or try again; its administrator raises the limit",
            )
        if _LOCKED_OUT.search(said):
            return UnreachableError(
                f"{self} refuses the connection: {said}",
                hint="check ledger.yaml, and PGPASSWORD or ~/.pgpass; its administrator makes roles with `clusterwright database roles`",
            )
        return UnreachableError(
            f"{self} does not answer: {said}",
            hint="nothing is recorded until it answers; earlier events are not affected; try again",
        )


def _has_word_from_server(session: psycopg.Connection[Any]) -> bool:
    """Say whether the server has sent what nobody asked for, as it does when it ends a session."""
    waiting = select.poll()
    waiting.register(session.fileno(), select.POLLIN)
    return bool(waiting.poll(0))


def literal(text: str) -> str:
    """Return text as a quoted SQL literal."""
    return sql.Literal(text).as_string()
