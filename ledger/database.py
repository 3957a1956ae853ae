"""The ledger of a site, open for writing: transactions that take the lock, and a project clock.

    with Ledger.open(site_dir, clock=clock) as ledger:
        start(ledger, "ann", "034@pod-001")

`clock` is project time and nothing else: it is the default of when something happened. When it was
recorded is the machine's own UTC time. `batch()` joins decisions into one transaction, `dry_run()` asks
every rule and records nothing.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self, TypeVar

from sqlalchemy import Engine
from sqlalchemy.exc import DatabaseError
from sqlmodel import Session

from ledger.append import append, machine_clock
from ledger.events import Draft, Event
from ledger.file import LEDGER_FILE, connect, has_ledger, is_copy, is_older, world_error
from ledger.payloads import Genesis
from ledger.proving import Proof, decided_at
from ledger.schema import create_schema, file_engine, write_anew
from ledger.shared.opening import begin_copy, refuse_mistaken, replica_of
from ledger.writing import Writing
from steps.errors import ClusterwrightError, InputError, NotSatisfiedError

if TYPE_CHECKING:
    from ledger.shared.replica import Replica

Clock = Callable[[], datetime]
Decided = TypeVar("Decided")


def real_clock() -> datetime:
    """Give the real time in UTC."""
    return datetime.now(UTC)


class Ledger:
    """A site's ledger, open for writing. May be shared by threads: they take turns."""

    def __init__(self, site_dir: Path, engine: Engine, *, clock: Clock, replica: Replica | None = None) -> None:
        """Wrap an engine on a checked file; use `open` or `create`."""
        self.site_dir = Path(site_dir)
        self.clock = clock
        self.engine = engine
        self.replica = replica
        self.signer: Callable[[str, str], str] | None = None
        self._turn = threading.RLock()
        self._joined: Writing | None = None

    @classmethod
    def open(cls, site_dir: Path, *, clock: Clock = real_clock) -> Self:
        """Open a ledger that exists; missing, damaged and foreign files are refused in clear words."""
        site_dir = Path(site_dir)
        replica = replica_of(site_dir)
        if replica is not None and not (site_dir / LEDGER_FILE).exists() and has_ledger(site_dir):
            begin_copy(site_dir / LEDGER_FILE)
        with closing(connect(site_dir)) as found:
            older = is_older(found)
            refuse_mistaken(site_dir / LEDGER_FILE, is_copy=is_copy(found), is_shared=replica is not None)
        ledger = cls(site_dir, file_engine(site_dir / LEDGER_FILE), clock=clock, replica=replica)
        if older:
            from ledger.upgrade import upgrade  # only a ledger of an earlier release needs it

            with ledger._explained():
                upgrade(ledger.engine, ledger.site_dir)
        ledger.catch_up()
        return ledger

    @classmethod
    def create(cls, site_dir: Path, genesis: Genesis, *, clock: Clock = real_clock) -> Self:
        """Make a new ledger whose first event is `genesis`."""
        path = Path(site_dir) / LEDGER_FILE
        if has_ledger(site_dir):
            raise InputError(f"{path} exists already", hint="a ledger is never overwritten; adopt the plan again")
        path.parent.mkdir(parents=True, exist_ok=True)
        replica = replica_of(site_dir)
        ledger = cls(site_dir, file_engine(path), clock=clock, replica=replica)
        try:
            with ledger._explained():
                create_schema(ledger.engine, copy=replica is not None)
            with ledger.write() as writing:
                writing.append(genesis.owner, genesis, subject=genesis.site_uuid)
        except ClusterwrightError:
            ledger.close()
            if replica is not None:
                path.unlink(missing_ok=True)
            raise
        return ledger

    def catch_up(self) -> None:
        """Take over what others recorded in a shared log; a ledger that is a file has nobody else's."""
        if self.replica is None or self.replica.is_current():
            return
        with self._turn, self._explained(), Session(self.engine) as session, session.begin():
            self.replica.catch_up(session)
        self._lose_names()

    def _lose_names(self) -> None:
        """Write the copy anew once a name was redacted elsewhere, whichever way that was heard of."""
        if self.replica is not None and self.replica.names_linger:
            write_anew(self.engine)
            self.replica.names_linger = False

    @contextmanager
    def write(self) -> Iterator[Writing]:
        """Give the open transaction of a batch, or a new one that commits at the end."""
        with self._turn:
            if self._joined is not None:
                yield self._joined
                return
            self.catch_up()
            try:
                with (
                    self._explained(),
                    Session(self.engine) as session,
                    session.begin(),
                    self._held(session) as machine,
                ):
                    yield Writing(session, self.site_dir, self.clock, machine, signer=self.signer)
                self._lose_names()
            except NotSatisfiedError:
                self.catch_up()  # whoever is refused is to see what they were refused for
                raise

    @contextmanager
    def batch(self) -> Iterator[None]:
        """Join all decisions inside into one transaction: all are recorded, or none."""
        with self.write() as writing:
            outer, self._joined = self._joined, writing
            try:
                yield
            finally:
                self._joined = outer

    @contextmanager
    def dry_run(self) -> Iterator[None]:
        """Let decisions inside ask every rule, then forget them."""
        self.catch_up()
        with self._turn, self._explained(), Session(self.engine) as session, session.begin() as transaction:
            outer, self._joined = self._joined, Writing(session, self.site_dir, self.clock)
            try:
                yield
            finally:
                self._joined = outer
                transaction.rollback()

    def drafted(self, decide: Callable[[], object]) -> tuple[str, ...]:
        """Give the statements of the decisions that a function takes; every rule is asked and nothing recorded."""
        with self.dry_run():
            assert self._joined is not None
            drafts: list[str] = []
            self._joined.drafts = drafts
            decide()
        return tuple(drafts)

    def proved(self, proof: Proof, decide: Callable[[], Decided]) -> Decided:
        """Take one decision with the statement that was signed of it, as of the time it names."""
        at = decided_at(proof)
        with self.batch():
            assert self._joined is not None
            self._joined.proof, self._joined.clock = proof, lambda: at
            return decide()

    def append(self, *drafts: Draft) -> list[Event]:
        """Record events whose rules the caller has asked; services do, nothing else should."""
        with self.write() as writing:
            return append(writing.session, self.site_dir, *drafts, machine=writing.machine)

    def close(self) -> None:
        """Let go of the file, and of the database behind it."""
        self.engine.dispose()
        if self.replica is not None:
            self.replica.log.close()

    def __enter__(self) -> Self:
        """Give the ledger."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        """Close it."""
        self.close()

    def _held(self, session: Session) -> AbstractContextManager[Clock]:
        """Give the machine time of a decision, and hold others off meanwhile: the file's own lock does, or the log's turn."""
        return nullcontext(machine_clock) if self.replica is None else self.replica.turn(session)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except DatabaseError as error:
            said = error.orig or error
            raise world_error(self.site_dir / LEDGER_FILE, said) from error
