"""A site's ledger, open for decisions. Each decision is one transaction, which asks the rules and appends events.

    with Ledger.open(site_dir, clock=clock) as ledger:
        start(ledger, "ann", "034@pod-001")

`clock` is project time and nothing else: the default of when something happened. When it was recorded is machine time.
`batch()` joins decisions into one transaction. `dry_run()` asks every rule and records nothing.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import date, datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from sqlalchemy import Connection
from sqlalchemy.exc import DatabaseError

from ledger.evidence.store import SiteFiles
from ledger.log.chain import NO_HEAD, Draft, Event, Head, chained, recorded_at
from ledger.log.payloads.base import Decided, Payload
from ledger.log.payloads.plan import Genesis
from ledger.questions.case import LookedUp, activity, actor, require_activity
from ledger.questions.site import evidence_rules
from ledger.questions.snapshot import Snapshot
from ledger.rules.approval import asks_for_signature
from ledger.rules.permission import Actor, Matter, may
from ledger.state.projection import Projection
from ledger.state.projector import HANDLERS
from ledger.state.readiness import settle
from ledger.stores.file import LEDGER_FILE, world_error
from ledger.stores.following import has_ledger
from ledger.stores.log import Clock, Log, machine_clock
from ledger.stores.opening import log_on, open_log
from ledger.stores.sqlite import FileLog, create_schema, explained_engine
from steps.errors import ClusterwrightError, InputError
from steps.stamps import instant, moment

if TYPE_CHECKING:
    from ledger.evidence.taking import Intake
    from ledger.trust.proving import Proof

SLACK = timedelta(days=1)
"""How far ahead of project time something may be dated: a day given without its hour."""

Result = TypeVar("Result")
Signer = Callable[[str, str], str]
"""Returns a person's signature of a text, as a rehearsal's own keys make it."""

_HEAD = """
SELECT seq, hash, recorded_at, (SELECT coalesce(max(revision), 0) FROM plan_revision)
FROM event ORDER BY seq DESC LIMIT 1"""
_TIME = "SELECT rehearsal, (SELECT effective_at FROM event ORDER BY seq DESC LIMIT 1) FROM site"


class Transaction:
    """One decision in the making: what it asks of the record, and the events that it appends.

    `drafts` is a list while decisions are only put into words. `proof` is what the actor signed of the decision to come.
    """

    def __init__(
        self,
        connection: Connection,
        log: Log,
        site_dir: Path,
        clock: Clock,
        signer: Signer | None,
    ) -> None:
        """Take an open transaction and its log, the site's folder, project time, and who signs at once."""
        driver: Any = connection.connection.driver_connection
        self.site_dir = site_dir
        self.clock = clock
        self.drafts: list[str] | None = None
        self.proof: Proof | None = None
        self._log = log
        self._signer = signer
        self._snapshot = Snapshot(driver, site_dir, log.clock())
        self.projection = Projection(connection, HANDLERS, SiteFiles(site_dir))

    def at(self, at: datetime | None = None) -> Snapshot:
        """Return the record in this transaction, to be asked as of a time, or of project time."""
        return replace(self._snapshot, now=self.when(at))

    def when(self, at: datetime | None) -> datetime:
        """Return when something happened: project time, if no time is given. Raise for a time that has not come."""
        now = self._project_time()
        if at is None:
            return now
        if at.tzinfo is None:
            raise InputError(f"the time {at.isoformat()} has no time zone", hint="give UTC")
        if at > now + SLACK:
            raise InputError(f"{at:%Y-%m-%d %H:%M}Z is in the future", hint="record it when it has happened")
        return at

    def _project_time(self) -> datetime:
        """Return project time. That of a rehearsal is never before what it has recorded, whoever looks in later."""
        now, row = self.clock(), self._snapshot.db.execute(_TIME).fetchone()
        return max(now, moment(row[1])) if row and row[0] else now

    @property
    def machine_time(self) -> datetime:
        """When events of this transaction are recorded. Leases count in it too."""
        return self._log.clock()

    @property
    def latest_day(self) -> date:
        """The last day on which something can be said to have happened."""
        return (self._project_time() + SLACK).date()

    def case(self, activity: str, person: str, at: datetime | None = None) -> LookedUp:
        """Return an activity as it was at a time, and who decides about it, with the roles of now."""
        asked = self.at(at)
        return LookedUp(asked, require_activity(asked, activity), self.actor(person))

    def actor(self, person: str) -> Actor:
        """Return who decides, with the roles of now."""
        return actor(self.at(), person)

    def may(self, person: str, action: str, subject: str, **matter: Any) -> str:
        """Return the role under which a person may decide what is about no activity. Raise where they may not."""
        return may(self.actor(person), action, Matter(subject, self.owner, **matter))

    @property
    def owner(self) -> str:
        """The owner that the first event names."""
        (owner,) = self._snapshot.db.execute("SELECT owner FROM site").fetchone()
        return str(owner)

    def record(self, case: LookedUp, payload: Payload) -> Event:
        """Record what a case's actor decided about its activity."""
        return self.append(
            case.actor.id,
            payload,
            subject=case.row.id,
            at=case.now,
        )

    def append(
        self,
        actor: str,
        payload: Payload,
        *,
        subject: str,
        at: datetime,
    ) -> Event:
        """Record one event, which happened at a time."""
        signature = None
        if isinstance(payload, Decided):
            payload, signature = self._proven(actor, payload, subject, at)
        return self.append_all(Draft(actor, payload, subject, at, signature))[0]

    def append_all(self, *drafts: Draft) -> list[Event]:
        """Record events in order. The caller has asked every rule."""
        row = self._snapshot.db.execute(_HEAD).fetchone()
        head = Head(row[0], row[1], instant(row[2]), row[3]) if row else NO_HEAD
        now, events = recorded_at(self._log.clock(), head), []
        for draft in drafts:
            event, columns = chained(draft, head, now)
            head = Head(event.seq, event.hash, now, event.plan_revision)
            self.projection.add("event", **columns)
            self.projection.apply(event)
            events.append(event)
        settle(self.projection)
        return events

    def _proven(
        self,
        actor: str,
        payload: Decided,
        subject: str,
        at: datetime,
    ) -> tuple[Decided, str | None]:
        """Return a decision with its statement and signature, where there is a proof or one is asked for."""
        (owner_key,) = self._snapshot.db.execute("SELECT owner_key FROM site").fetchone()
        if self.drafts is None and self.proof is None and owner_key is None:
            return payload, None
        from ledger.trust import proving  # OpenSSH is asked only where decisions are signed

        asked = replace(self._snapshot, now=at)
        about = proving.About(subject, activity(asked, subject))
        if self.drafts is not None:
            self.drafts.append(proving.draft_statement(asked, actor, payload, about))
            return payload, None
        proof, self.proof = self.proof, None
        under = activity(asked, subject.partition("#")[0])  # an order is under its activity's policy
        of_authority = isinstance(payload, proving.OF_AUTHORITY)
        if proof is None and not asks_for_signature(under, owner_key, of_authority=of_authority):
            return payload, None
        if proof is None and self._signer is not None:
            proof = proving.signed_by(self._signer, proving.draft_statement(asked, actor, payload, about), actor)
        if proof is None:
            raise proving.unsigned(actor, subject)
        return proving.accepted(asked, actor, payload, about, proof), proof.signature


class Ledger:
    """A site's ledger, open for decisions. Threads may share it: they take turns."""

    def __init__(self, site_dir: Path, log: Log, *, clock: Clock) -> None:
        """Take an open log. `open` and `create` make one."""
        self.site_dir = Path(site_dir)
        self.log = log
        self.clock = clock
        self.signer: Signer | None = None
        self._turn = threading.RLock()
        self._joined: Transaction | None = None

    @classmethod
    def open(cls, site_dir: Path, *, clock: Clock = machine_clock) -> Self:
        """Open a ledger that exists. Raise for a file that is missing, damaged or foreign."""
        return cls(site_dir, open_log(Path(site_dir)), clock=clock)

    @classmethod
    def create(cls, site_dir: Path, genesis: Genesis, *, clock: Clock = machine_clock) -> Self:
        """Make a new ledger whose first event is `genesis`."""
        path = Path(site_dir) / LEDGER_FILE
        if has_ledger(site_dir):
            raise InputError(f"{path} exists already", hint="a ledger is never overwritten; adopt the plan again")
        path.parent.mkdir(parents=True, exist_ok=True)
        ledger = cls(site_dir, log_on(Path(site_dir)), clock=clock)
        try:
            with explained_engine(path):
                create_schema(ledger.log.engine, copy=ledger.is_shared)
            with ledger.write() as writing:
                writing.append(genesis.owner, genesis, subject=genesis.site_uuid, at=writing.when(None))
        except ClusterwrightError:
            ledger.close()
            if ledger.is_shared:
                path.unlink(missing_ok=True)
            raise
        return ledger

    @property
    def is_shared(self) -> bool:
        """True where the file in the folder is a copy of a log in a database."""
        return not isinstance(self.log, FileLog)

    def catch_up(self) -> None:
        """Take over what others recorded in a shared log."""
        with self._turn:
            self.log.catch_up()

    @contextmanager
    def write(self) -> Iterator[Transaction]:
        """Return the open transaction of a batch, or a new one that commits at the end."""
        with self._turn:
            if self._joined is not None:
                yield self._joined
                return
            try:
                with self.log.begin() as connection:
                    yield Transaction(connection, self.log, self.site_dir, self.clock, self.signer)
            except (DatabaseError, sqlite3.Error) as error:
                raise world_error(self.site_dir / LEDGER_FILE, getattr(error, "orig", None) or error) from error

    @contextmanager
    def batch(self) -> Iterator[Transaction]:
        """Join all decisions inside into one transaction: all are recorded, or none."""
        with self.write() as writing, self._joining(writing):
            yield writing

    @contextmanager
    def dry_run(self) -> Iterator[Transaction]:
        """Let decisions inside ask every rule, then forget them."""
        with self._turn, explained_engine(self.site_dir / LEDGER_FILE):
            self.log.catch_up()
            with self.log.engine.connect() as connection:
                connection.begin()  # the rules ask the driver, at which SQLAlchemy would not begin; closing undoes it
                asking = Transaction(connection, self.log, self.site_dir, self.clock, None)
                with self._joining(asking):
                    yield asking

    @contextmanager
    def _joining(self, transaction: Transaction) -> Iterator[None]:
        outer, self._joined = self._joined, transaction
        try:
            yield
        finally:
            self._joined = outer

    def drafted(self, decide: Callable[[], object]) -> tuple[str, ...]:
        """Return the statements of the decisions that a function takes. Every rule is asked, and nothing is recorded."""
        with self.dry_run() as asking:
            asking.drafts = []
            decide()
            return tuple(asking.drafts)

    def proved(self, proof: Proof, decide: Callable[[], Result]) -> Result:
        """Take one decision with the statement that was signed of it, as of the time that it names."""
        with self.batch() as writing:
            at = proof.decided_at
            writing.proof, writing.clock = proof, lambda: at
            return decide()

    def intake(self) -> Intake:
        """Return what takes files as evidence, by the rules of the plan in force."""
        from ledger.evidence.taking import Intake  # image and PDF libraries, which few decisions need

        with self.write() as writing:
            return Intake(self.site_dir, evidence_rules(writing.at()))

    def append(self, *drafts: Draft) -> list[Event]:
        """Record events whose rules the caller has asked. Only decisions do."""
        with self.write() as writing:
            return writing.append_all(*drafts)

    def close(self) -> None:
        """Close the file, and the connection to the database behind it."""
        self.log.close()

    def __enter__(self) -> Self:
        """Return the ledger."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        """Close it."""
        self.close()
