"""A site's ledger, open for decisions. Each decision is one transaction: it asks the rules and then appends events.

    with Ledger.open(site_dir, clock=clock) as ledger:
        start(ledger, "ann", "034@pod-001")

`clock` is project time: the time at which something happened, unless `happened` names another. When it was recorded is machine time.
`batch()` joins decisions into one transaction. `dry_run()` asks every rule and records nothing.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

from sqlalchemy import Connection

from ledger.evidence.store import SiteFiles
from ledger.happened import Happened
from ledger.log.chain import Draft, Event, Head, Recording, chained
from ledger.log.payload import Decided, Payload
from ledger.machine_time import Clock
from ledger.project_time import project_now
from ledger.questions.case import activity, require_activity
from ledger.questions.moment import CaseOfMoment, Moment
from ledger.questions.site import evidence_rules, project_time, site_of
from ledger.questions.snapshot import Snapshot
from ledger.record_time import head_of, recording_after, refuse_leap
from ledger.rules.access import ENGINE
from ledger.rules.activity import Activity
from ledger.rules.permission import Actor
from ledger.state.projection import Projection
from ledger.state.readiness import settle
from ledger.stores.file import LEDGER_FILE
from ledger.stores.following import has_ledger
from ledger.stores.opening import Log, log_on, open_log
from ledger.stores.sqlite import FILE_ERRORS, FileLog, create_schema, file_error
from ledger.subjects.plan.payloads import Genesis
from ledger.subjects.replay import HANDLERS
from schedule.errors import ClusterwrightError, InputError

if TYPE_CHECKING:
    from ledger.evidence.taking import Intake
    from ledger.trust.proving import Proof

Result = TypeVar("Result")
Signer = Callable[[str, str], str]
"""Returns a person's signature of a text. A rehearsal signs so, with its own keys."""


class Transaction:
    """One open transaction: decisions read the record in it, and append their events.

    `drafts` collects the statements of decisions that are only drafted; otherwise it is None. `proof` is the signed statement
    of the decision that follows, and `stated_at` the time that it names: the decision was taken then. `adopts` is true once a plan
    is adopted in it.
    """

    def __init__(self, connection: Connection, ledger: Ledger, signer: Signer | None) -> None:
        """Take an open transaction and its ledger. `signer` signs decisions at once, if it is not None."""
        driver: Any = connection.connection.driver_connection
        self.site_dir = ledger.site_dir
        self.clock = ledger.clock
        self.drafts: list[str] | None = None
        self.proof: Proof | None = None
        self.stated_at: datetime | None = None
        self.adopts = False
        self._log = ledger.log
        self._signer = signer
        self._happened = ledger.happened
        self._snapshot = Snapshot(driver, self.site_dir, self.machine_time)
        self.projection = Projection(connection, HANDLERS, SiteFiles(self.site_dir))

    def at(self) -> Snapshot:
        """Return the record in this transaction, for questions as of when it happened."""
        return replace(self._snapshot, now=self.when())

    def moment(self) -> Moment:
        """Return the record as of when it happened, and what a decision may ask of it.

        Raise InputError for a time in the future, or before the project.
        """
        found = Moment(self.at(), self._project_time())
        found.refuse_impossible_time()
        return found

    def when(self) -> datetime:
        """Return when it happened: as its signed statement says, or as `Ledger.happened` does, else project time."""
        return self.stated_at or self._happened.at or self._project_time()

    def _project_time(self) -> datetime:
        """Return project time. It is never before the last event in a rehearsal, and where the machine's clock was set back.

        In a shared log it goes by the clock of the database: every other folder judges the event by that one.
        """
        now = self.clock()
        if self._snapshot.first("SELECT rehearsal FROM site") == (1,):
            return max(now, project_time(self._snapshot))
        now += self._log.ahead
        recorded = self._recording()
        return now if recorded.clock_behind_s is None else max(now, recorded.at)

    @property
    def machine_time(self) -> datetime:
        """The time at which this transaction records events. Leases are in this time too."""
        return self._log.clock()

    def case(self, activity: str, person: str) -> DecisionCase:
        """Return an activity as it was when it happened, and the person who decides about it now, with their present roles."""
        found = self.moment()
        return DecisionCase(self, found, require_activity(found.snapshot, activity), found.actor(person))

    def record(
        self,
        moment: Moment,
        actor: str,
        payload: Payload,
        *,
        subject: str,
    ) -> Event:
        """Record one event, which happened at a moment."""
        return self.append(actor, payload, subject=subject, at=moment.snapshot.now)

    def append(
        self,
        actor: str,
        payload: Payload,
        *,
        subject: str,
        at: datetime,
    ) -> Event:
        """Record one event, which happened at the time `at`."""
        signature = None
        self.refuse_forged(subject)
        if self._happened.late_because is not None:
            payload = payload.model_copy(update={"late_because": self._happened.late_because})
        if actor != ENGINE and self.proof is None and not isinstance(payload, Genesis):
            happened = Moment(replace(self._snapshot, now=at), self._project_time())
            happened.refuse_unexplained(payload.late_because)
        if isinstance(payload, Decided):
            payload, signature = self._proven(actor, payload, subject, at)
        return self.append_all(Draft(actor, payload, subject, at, signature))[0]

    def append_all(self, *drafts: Draft) -> list[Event]:
        """Record events in order. Every rule was asked before."""
        head, now = head_of(self._snapshot), self._recording()
        events: list[Event] = []
        if not self.adopts:
            refuse_leap(self._snapshot, now.at)
        is_signed = any(draft.actor == ENGINE for draft in drafts) and self._engine_signs()
        for draft in drafts:
            event, columns = chained(draft, head, now)
            if is_signed and draft.actor == ENGINE:
                columns["signature"] = self._engine_signature(event.hash)
            head = Head(event.seq, event.hash, now.at, event.plan_revision)
            self.projection.add("event", **columns)
            self.projection.apply(event)
            events.append(event)
        settle(self.projection)
        return events

    def refuse_forged(self, subject: str) -> None:
        """Raise if the tables that a decision rests on were forged. Only signed events can prove that, and a rehearsal has none."""
        self.projection.flush()
        if self._snapshot.is_signed:
            from ledger.trust.subject import refuse_forged  # heavy, and only signed sites need it

            refuse_forged(self._snapshot, subject)

    def _recording(self) -> Recording:
        """Return when the next event is recorded."""
        head = head_of(self._snapshot)
        return recording_after(self._snapshot, self.machine_time, head, adopts=self.adopts)

    def _engine_signs(self) -> bool:
        """Return whether the site asks for the engine's signature. Raise NotSatisfiedError if it does, and the engine has no key."""
        if self._snapshot.first("SELECT owner_key FROM site") in {None, (None,)}:
            return False
        from ledger.trust import engine_key  # heavy, and only signed sites need it

        return engine_key.signs(self._snapshot)

    def _engine_signature(self, digest: str) -> str:
        """Return the engine's signature of the event with this hash."""
        from ledger.trust import engine_key
        from ledger.trust.statements import event_text

        text = event_text(digest)
        if self._signer is not None:
            return self._signer(ENGINE, text)
        return engine_key.sign(self._snapshot, text)

    def _proven(
        self,
        actor: str,
        payload: Decided,
        subject: str,
        at: datetime,
    ) -> tuple[Decided, str | None]:
        """Return a decision with its statement and signature. If no signature is required and there is none, return it unchanged."""
        (owner_key,) = self._snapshot.db.execute("SELECT owner_key FROM site").fetchone()
        if self.drafts is None and self.proof is None and owner_key is None:
            return payload, None
        from ledger.trust import proving  # heavy, and only signed decisions need it
        from ledger.trust.statements import signed_text

        asked = replace(self._snapshot, now=at)
        about = proving.About(subject, activity(asked, subject))
        if self.drafts is not None:
            self.drafts.append(proving.draft_statement(asked, actor, payload, about, self._project_time()))
            return payload, None
        proof, self.proof = self.proof, None
        if proof is None and not proving.asks(asked, subject, payload):
            return payload, None
        if proof is None and self._signer is not None:
            draft = proving.draft_statement(asked, actor, payload, about, self._project_time())
            proof = proving.Proof(draft, self._signer(actor, signed_text(draft)))
        if proof is None:
            raise proving.unsigned(actor, subject)
        recorded = self._recording().at
        return proving.accepted(asked, actor, payload, about, proof, recorded), proof.signature


class DecisionCase(CaseOfMoment):
    """A case inside a transaction, in which the decision about it is recorded."""

    def __init__(self, writing: Transaction, moment: Moment, row: Activity, actor: Actor) -> None:
        """Take the transaction, the record at the time of the decision, the activity, and the person who decides."""
        super().__init__(moment, row, actor)
        self.writing = writing

    def record(self, payload: Payload) -> Event:
        """Record what the person decided about the activity. Return the event."""
        return self.writing.append(
            self.actor.id,
            payload,
            subject=self.row.id,
            at=self.now,
        )


class Ledger(AbstractContextManager["Ledger"]):
    """A site's ledger, open for decisions. Threads may share it; then one waits for the other."""

    def __init__(self, site_dir: Path, log: Log, *, clock: Clock) -> None:
        """Take an open log. Use `open` or `create` to make a ledger."""
        self.site_dir = Path(site_dir)
        self.log = log
        self.clock = clock
        self.signer: Signer | None = None
        self._turn = threading.RLock()
        self._joined: Transaction | None = None
        self.happened = Happened()

    @classmethod
    def open(cls, site_dir: Path, *, clock: Clock = project_now) -> Self:
        """Open an existing ledger. Raise UnreachableError for a file that is missing, damaged, or no ledger."""
        return cls(site_dir, open_log(Path(site_dir)), clock=clock)

    @classmethod
    def create(cls, site_dir: Path, genesis: Genesis, *, clock: Clock = project_now) -> Self:
        """Create a ledger whose first event is `genesis`. Raise InputError if the site has one already."""
        path = Path(site_dir) / LEDGER_FILE
        if has_ledger(site_dir):
            raise InputError(f"{path} exists already", hint="a ledger is never overwritten; adopt the plan again")
        path.parent.mkdir(parents=True, exist_ok=True)
        ledger = cls(site_dir, log_on(Path(site_dir)), clock=clock)
        try:
            with ledger._explained():
                create_schema(ledger.log.engine, copy=ledger.is_shared)
            with ledger.write() as writing:
                writing.append(genesis.owner, genesis, subject=genesis.site_uuid, at=writing.when())
        except ClusterwrightError:
            ledger.close()
            if ledger.is_shared:
                path.unlink(missing_ok=True)
            raise
        return ledger

    @property
    def is_shared(self) -> bool:
        """True if the log is in a database, and the file in the folder is a copy of it."""
        return not isinstance(self.log, FileLog)

    @contextmanager
    def write(self) -> Iterator[Transaction]:
        """Yield the open transaction of a batch, or a new one. A new one is committed at the end, or rolled back after an error."""
        with self._turn:
            if self._joined is not None:
                yield self._joined
                return
            with self._explained(), self.log.begin() as connection:
                yield Transaction(connection, self, self.signer)

    @contextmanager
    def case(self, activity: str, actor: str) -> Iterator[DecisionCase]:
        """Yield the case of a decision about an activity, in a transaction as that of `write`."""
        with self.write() as writing:
            yield writing.case(activity, actor)

    @contextmanager
    def batch(self) -> Iterator[Transaction]:
        """Join the decisions in the block into one transaction: all are recorded, or none."""
        with self.write() as writing, self._joining(writing):
            yield writing

    @contextmanager
    def dry_run(self) -> Iterator[Transaction]:
        """Let the decisions in the block ask every rule, and roll back what they recorded."""
        with self._turn, self._explained():
            self.log.catch_up()
            with self.log.engine.connect() as connection:
                connection.begin()  # questions use the driver directly, so SQLAlchemy begins nothing; closing rolls back
                asking = Transaction(connection, self, None)
                with self._joining(asking):
                    yield asking

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except FILE_ERRORS as error:
            raise file_error(self.site_dir / LEDGER_FILE, error) from error

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
        """Take one decision together with its signed statement, at the time that the statement names."""
        with self.batch() as writing:
            writing.proof, writing.stated_at = proof, proof.decided_at
            return decide()

    def intake(self) -> Intake:
        """Return what stores people's files as evidence, by the rules of the plan in force."""
        from ledger.evidence.taking import Intake  # image and PDF libraries, which few decisions need

        with self.write() as writing:
            snapshot = writing.at()
            return Intake(self.site_dir, evidence_rules(snapshot), site_of(snapshot).rehearsal)

    def append(self, *drafts: Draft) -> list[Event]:
        """Record events in order. Every rule was asked before."""
        with self.write() as writing:
            return writing.append_all(*drafts)

    def close(self) -> None:
        """Close the file, and the connection to the database of a shared log."""
        self.log.close()

    def __exit__(self, *error: object) -> None:
        """Close the ledger."""
        self.close()
