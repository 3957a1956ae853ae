"""A folder's copy of a shared log: every event in it, and the projections drawn from them here.

The server keeps events and lets nobody change them; what they mean is worked out in each folder by the same replay that the
audit uses, so that reading needs no server and nobody needs leave to write a projection. Whoever decides holds the server's
turn, so that the copy is whole when the rules are asked. The lock on the copy is always taken before the server's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import delete, insert, select
from sqlmodel import Session, col

from ledger import names
from ledger.access import roles_for
from ledger.events import FIRST_HASH, Event, event_hash
from ledger.payloads import PersonRedacted, PlanAdopted
from ledger.projector import apply
from ledger.projector.base import Projection
from ledger.replay import event_of, replaying
from ledger.shared.following import stands_at
from ledger.shared.log import COLUMNS, Log
from ledger.tables import ClaimRow, EventRow, Person, PersonRole, Site
from steps.errors import UnreachableError

MANY = 200
"""From so many events on it is quicker to work readiness out once, at their end."""


class Replica:
    """A folder's copy and the log it is a copy of."""

    def __init__(self, site_dir: Path, log: Log) -> None:
        """Name the folder and its log."""
        self.site_dir = site_dir
        self.log = log
        self.names_linger = False
        """Whether a name was redacted that free pages of the copy may still hold."""

    def is_current(self) -> bool:
        """Say whether nobody recorded anything since the last look; it holds nobody off."""
        return stands_at(self.site_dir, self.log.standing())

    def catch_up(self, session: Session) -> None:
        """Take over what others recorded, and who runs what."""
        seq, last = _head(session)
        standing = self.log.standing()
        if standing.seq < seq or (seq and self.log.hash_at(seq) != last):
            raise UnreachableError(
                f"{self.log} no longer holds what this folder saw in it: event {seq} is not {last[:12]}",
                hint="it was changed, or is an older copy; keep this folder, and compare it with others (`clusterwright anchor`)",
            )
        with _applying(session, self.site_dir, standing.seq - seq) as go_on:
            for row in self.log.events(seq) if standing.seq > seq else ():
                _check(row, seq, last, self.log)
                if row["kind"] == PlanAdopted.kind:
                    self._take_names()
                session.execute(insert(EventRow), [row])
                go_on(event_of(row))
                if row["kind"] == PersonRedacted.kind:
                    person = row["subject"].removeprefix("person/")
                    names.forget(self.site_dir, names.documents_of(self.site_dir, person))
                    self.names_linger = True
                seq, last = row["seq"], row["hash"]
        session.execute(delete(ClaimRow))
        session.add_all(ClaimRow.model_validate(held) for held in self.log.claims())
        session.flush()

    @contextmanager
    def turn(self, session: Session) -> Iterator[Callable[[], datetime]]:
        """Hold everyone else off while a decision is taken, and give the server's clock; what was decided goes there first.

        If the folder's own commit should fail after the server's, the next look takes the event over from there.
        """
        last = ""
        try:
            with self.log.turn() as now:
                ahead = now - datetime.now(UTC)
                self.catch_up(session)
                seq, _ = _head(session)
                before = _claims(session)
                yield lambda: datetime.now(UTC) + ahead
                session.flush()
                rows = [dict(row) for row in session.execute(_events_after(seq)).mappings()]
                if (claims := _claims(session)) != before:
                    self.log.hold(claims)
                if rows:
                    self._record(session, rows)
                    seq, last = rows[-1]["seq"], rows[-1]["hash"]
        except UnreachableError:
            if not last or not self.log.is_recorded(seq, last):
                raise

    def _record(self, session: Session, rows: list[dict[str, Any]]) -> None:
        kinds = {row["kind"] for row in rows}
        people = []
        if PlanAdopted.kind in kinds:
            people = people_of(session)
            for content in names.documents(self.site_dir):
                self.log.keep_name(content)
        self.log.append(rows, people)
        if PersonRedacted.kind in kinds:
            self.log.forget_redacted()

    def _take_names(self) -> None:
        """Keep a copy of the documents that say what people are called."""
        for content in self.log.names():
            names.take_over(self.site_dir, content)


def people_of(session: Session) -> list[dict[str, Any]]:
    """Give the people in force as the server asks for them: id, account, and whether they may adopt plans."""
    adopts = set(
        session.scalars(select(col(PersonRole.person)).where(col(PersonRole.role).in_(roles_for("adopt_plan"))))
    )
    adopts |= set(session.scalars(select(col(Site.owner))))
    found = session.execute(select(col(Person.id), col(Person.account)).order_by(col(Person.id)))
    return [{"id": name, "account": account, "adopts": name in adopts} for name, account in found]


@contextmanager
def _applying(session: Session, site_dir: Path, many: int) -> Iterator[Callable[[Event], None]]:
    if many >= MANY:
        with replaying(session, site_dir) as go_on:
            yield go_on
    else:
        projection = Projection(session, site_dir)
        yield lambda event: apply(projection, event)


def _check(row: dict[str, Any], seq: int, last: str, log: Log) -> None:
    """Refuse an event that does not follow the one before it, or is not what its hash says."""
    if row["seq"] != seq + 1 or row["prev_hash"] != last or event_hash(row) != row["hash"]:
        raise UnreachableError(
            f"{log}: event {row['seq']} does not follow event {seq}, or was changed after recording",
            hint="nothing more is taken over from there; keep this folder and tell the site's owner",
        )


def _head(session: Session) -> tuple[int, str]:
    held = select(col(EventRow.seq), col(EventRow.hash)).order_by(col(EventRow.seq).desc()).limit(1)
    row = session.execute(held).one_or_none()
    return (0, FIRST_HASH) if row is None else (row[0], row[1])


def _events_after(seq: int) -> Any:
    table = EventRow.metadata.tables["event"]
    return select(*(table.columns[name] for name in COLUMNS)).where(table.columns["seq"] > seq).order_by("seq")


def _claims(session: Session) -> list[dict[str, Any]]:
    found = session.scalars(select(ClaimRow).order_by(col(ClaimRow.activity)))
    return [row.model_dump(mode="json") for row in found]
