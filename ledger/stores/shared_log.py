"""A folder's copy of a shared log: every event in it, and the projections drawn from them here.

The database keeps events and lets nobody change them. What they mean is worked out in each folder by the replay that the
audit uses too, so that reading needs no database, and nobody needs the right to write a projection. Whoever decides holds the
database's turn, so that the copy is whole when the rules are asked. The lock on the copy is always taken before the turn.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, insert
from sqlmodel import SQLModel

from ledger.evidence import names
from ledger.log.chain import event_hash
from ledger.log.columns import COLUMNS, FIRST_HASH
from ledger.log.payloads.people import PersonRedacted
from ledger.log.payloads.plan import PlanAdopted
from ledger.rules.permission import roles_for
from ledger.stores.file import LEDGER_FILE
from ledger.stores.following import stands_at
from ledger.stores.log import Clock, machine_clock
from ledger.stores.postgres import Database
from ledger.stores.sqlite import explained_engine, write_anew
from steps.errors import NotSatisfiedError, UnreachableError
from steps.stamps import moment, stamp

Apply = Callable[[dict[str, Any]], None]
Applying = Callable[[Connection, int], AbstractContextManager[Apply]]
"""Returns, for a transaction and so many events to come, what applies one of them to the projections."""

_AFTER = f"SELECT {', '.join(COLUMNS)} FROM event WHERE seq > ? ORDER BY seq"  # noqa: S608  our names


class SharedLog:
    """A folder's copy of a log, and the database that holds the log."""

    def __init__(self, site_dir: Path, engine: Engine, database: Database, applying: Applying) -> None:
        """Take the folder, an engine on the copy, the database, and what applies events to the projections."""
        self.site_dir = site_dir
        self.engine = engine
        self.database = database
        self.applying = applying
        self.clock: Clock = machine_clock
        self._names_linger = False

    def catch_up(self) -> None:
        """Take over what others recorded. Where nobody did, nobody is held off."""
        if stands_at(self.site_dir, self.database.standing()):
            return
        with explained_engine(self.site_dir / LEDGER_FILE), self.engine.begin() as connection:
            self._take_over(connection)
        self._lose_names()

    @contextmanager
    def begin(self) -> Iterator[Connection]:
        """Return a transaction that holds off everybody else's decisions. What it appends is recorded in the database first.

        If the folder's own commit then fails, the next look takes the events over from there. Whoever is refused sees what
        others recorded meanwhile.
        """
        self.catch_up()
        try:
            with self.engine.begin() as connection, self._turn(connection):
                yield connection
        except NotSatisfiedError:
            self.catch_up()
            raise
        finally:
            self.clock = machine_clock
        self._lose_names()

    @contextmanager
    def _turn(self, connection: Connection) -> Iterator[None]:
        last = ""
        try:
            with self.database.turn() as now:
                ahead = now - machine_clock()
                self.clock = lambda: machine_clock() + ahead
                self._take_over(connection)
                seq, _ = _head(connection)
                before = _claims(connection)
                yield
                rows = [dict(row) for row in connection.exec_driver_sql(_AFTER, (seq,)).mappings()]
                if (claims := _claims(connection)) != before:
                    self.database.hold(claims)
                if rows:
                    self._record(connection, rows)
                    seq, last = rows[-1]["seq"], rows[-1]["hash"]
        except UnreachableError:
            if not last or not self.database.is_recorded(seq, last):
                raise

    def _lose_names(self) -> None:
        """Write the copy anew once a name was redacted, here or elsewhere: free pages may still hold it."""
        if self._names_linger:
            write_anew(self.engine)
            self._names_linger = False

    def close(self) -> None:
        """Close the copy and the connection to the database."""
        self.engine.dispose()
        self.database.close()

    def _take_over(self, connection: Connection) -> None:
        """Take over what others recorded, and who runs what."""
        seq, last = _head(connection)
        standing = self.database.standing()
        if standing.seq < seq or (seq and self.database.hash_at(seq) != last):
            raise UnreachableError(
                f"{self.database} no longer holds what this folder saw in it: event {seq} is not {last[:12]}",
                hint="it was changed, or is an older copy; keep this folder, and compare it with others (`clusterwright anchor`)",
            )
        if standing.seq > seq:
            with self.applying(connection, standing.seq - seq) as apply:
                for row in self.database.events(seq):
                    _refuse_broken(row, seq, last, self.database)
                    self._apply(row, connection, apply)
                    seq, last = row["seq"], row["hash"]
        claim = SQLModel.metadata.tables["claim"]
        connection.execute(claim.delete())
        if claims := self.database.claims():
            connection.execute(insert(claim), [_row_of(claim) for claim in claims])

    def _apply(self, row: dict[str, Any], connection: Connection, apply: Apply) -> None:
        if row["kind"] == PlanAdopted.kind:
            for content in self.database.names():
                names.take_over(self.site_dir, content)
        connection.execute(insert(SQLModel.metadata.tables["event"]), [row])
        apply(row)
        if row["kind"] == PersonRedacted.kind:
            person = row["subject"].removeprefix("person/")
            names.forget(self.site_dir, names.documents_of(self.site_dir, person))
            self._names_linger = True

    def _record(self, connection: Connection, rows: Sequence[dict[str, Any]]) -> None:
        kinds = {row["kind"] for row in rows}
        people = []
        if PlanAdopted.kind in kinds:
            people = people_of(connection)
            for content in names.documents(self.site_dir):
                self.database.keep_name(content)
        self.database.append(rows, people)
        if PersonRedacted.kind in kinds:
            self.database.forget_redacted()


def people_of(connection: Connection) -> list[dict[str, Any]]:
    """Return the people in force as the database asks for them: id, account, and whether they may adopt plans."""
    roles = roles_for("adopt_plan")
    marks = ", ".join("?" * len(roles))
    adopting = f"SELECT person FROM person_role WHERE role IN ({marks}) UNION SELECT owner FROM site"  # noqa: S608  marks only
    adopts = {person for (person,) in connection.exec_driver_sql(adopting, roles)}
    found = connection.exec_driver_sql("SELECT id, account FROM person ORDER BY id")
    return [{"id": name, "account": account, "adopts": name in adopts} for name, account in found]


def _refuse_broken(
    row: dict[str, Any],
    seq: int,
    last: str,
    database: Database,
) -> None:
    """Raise for an event that does not follow the one before it, or is not what its hash says."""
    if row["seq"] != seq + 1 or row["prev_hash"] != last or event_hash(row) != row["hash"]:
        raise UnreachableError(
            f"{database}: event {row['seq']} does not follow event {seq}, or was changed after recording",
            hint="nothing more is taken over from there; keep this folder and tell the site's owner",
        )


def _head(connection: Connection) -> tuple[int, str]:
    row = connection.exec_driver_sql("SELECT seq, hash FROM event ORDER BY seq DESC LIMIT 1").first()
    return (0, FIRST_HASH) if row is None else (row[0], row[1])


def _claims(connection: Connection) -> list[dict[str, Any]]:
    """Return who runs what, as the database keeps it."""
    claim = SQLModel.metadata.tables["claim"]
    found = connection.execute(claim.select().order_by(claim.c.activity)).mappings()
    return [dict(row) | {"hosts": json.loads(row["hosts"])} for row in found]


def _row_of(claim: dict[str, Any]) -> dict[str, Any]:
    return claim | {"hosts": json.dumps(claim["hosts"]), "lease_until": stamp(moment(claim["lease_until"]))}
