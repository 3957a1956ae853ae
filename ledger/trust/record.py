"""The record that a judge asks, in the tables that the earlier events made. What nearly every event asks is answered from memory."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from ledger.log.chain import Event
from ledger.log.payload import ReadingPart
from ledger.machine_time import machine_time
from ledger.questions.case import (
    ApprovalRow,
    LookedUp,
    actor,
    approvals,
    lapsed,
    organisations_there,
    still_whose,
    valid,
)
from ledger.questions.moment import CaseOfMoment, Moment, SiteTerms, terms_of
from ledger.questions.records import PREFIXES, signer_keys
from ledger.questions.snapshot import Snapshot
from ledger.rules.access import ENGINE
from ledger.rules.activity import Activity, State, is_expired, seen
from ledger.rules.case import OpenA, RunEnd
from ledger.rules.permission import Actor
from ledger.rules.readiness import is_out_of_sequence
from ledger.rules.rows import SignerKey
from ledger.rules.subjects import is_supply
from ledger.state.projection import Projection
from ledger.state.readiness import Readiness
from ledger.subjects.orders.payloads import (
    OrderAcknowledged,
    OrderExpedited,
    OrderPlaced,
    OrderPromised,
    TrancheReceived,
    TrancheShipped,
)
from ledger.subjects.runs.payloads import RunClaimed, RunSettled
from ledger.subjects.sign_off.kinds.signed import Signed
from ledger.subjects.work.payloads import (
    Assigned,
    Attached,
    Commented,
    Finished,
    MeasurementRecorded,
    Progressed,
    Started,
)
from ledger.trust import sshsig
from schedule.errors import InputError
from steps.acceptance.measured import Measured
from steps.stamps import instant, stamped
from steps.value import text_value

Expected = tuple[str, tuple[str, ...]]
"""The namespace in which a signature must be made, and the keys one of which must have made it."""

Deferred = dict[int, Expected]
"""By number of a signed event: how its signature must be made."""

Found = TypeVar("Found")
Find = Callable[[], Sequence[Measured]]
"""Finds readings."""

OF_WORK = (
    Commented,
    Progressed,
    MeasurementRecorded,
    RunClaimed,
    RunSettled,
    Started,
    Finished,
    Attached,
    Assigned,
    Signed,
)
OF_ORDERS = (OrderPlaced, OrderAcknowledged, OrderPromised, OrderExpedited, TrancheShipped, TrancheReceived)
EVERYDAY = frozenset((*OF_WORK, *OF_ORDERS))
"""Kinds of events that change nobody's authority and no plan. After any other event, all that was read is read again."""


class Recorded(NamedTuple):
    """A recorded event, as later events refer to it."""

    hash: str
    recorded_at: datetime
    effective_at: datetime


_EVENT = "SELECT hash, recorded_at, effective_at FROM event WHERE seq = ?"


class AttemptReads(NamedTuple):
    """The readings of an attempt, in the order of recording."""

    attempt: int
    reads: list[Measured]


class AttemptRun(NamedTuple):
    """The last run of an attempt: who runs it, and how it ended."""

    attempt: int
    run: str
    owner: str
    end: RunEnd


@dataclass
class Counting(Snapshot):
    """A snapshot of the tables that events fill. The rows of numbered tables are counted once, and then as they are added."""

    earlier: dict[str, int] = field(default_factory=dict)

    def count(self, name: str) -> int:
        """Return how many rows one of our tables has."""
        if name not in PREFIXES:
            return super().count(name)
        rows: Any = self.db
        if name not in self.earlier:
            self.earlier[name] = super().count(name) - rows.added[name]
        return int(self.earlier[name] + rows.added[name])


class Record:
    """The tables that events fill, in memory or in a copy, as they are before each event. Before the first event there is no site.

    `deferred` notes who may have made each signature, which another process finds out. None verifies each one here.
    """

    def __init__(
        self,
        projection: Projection,
        site_dir: Path,
        events: sqlite3.Connection | None = None,
        deferred: Deferred | None = None,
    ) -> None:
        """Take the projection that events change, the site's folder, and the file that has the events, if it is another one."""
        self.projection = projection
        self._events = events or projection.driver
        self.deferred = deferred
        self._readiness = Readiness(projection)
        db: Any = projection
        self._snapshot = Counting(db, site_dir, machine_time())
        self._kept: dict[Any, Any] = {}
        self._expected: dict[Expected, Expected] = {}
        self._reads: dict[str, AttemptReads] = {}
        self._runs: dict[str, AttemptRun] = {}
        self._approved: dict[str, list[ApprovalRow]] = {}

    def _keep(self, key: object, find: Callable[[], Found]) -> Found:
        """Return what was found before an event that is not of every day. Otherwise find it."""
        if key not in self._kept:
            self._kept[key] = find()
        found: Found = self._kept[key]
        return found

    def terms(self) -> SiteTerms:
        """Return how the site is judged."""
        return self._keep("terms", lambda: terms_of(self._snapshot))

    def refused(self) -> set[int]:
        """Return the events that the rules refused."""
        return {seq for (seq,) in self.projection.ask("SELECT seq FROM refused")}

    def moment(self, event: Event, present: datetime) -> Moment:
        """Return the record as of when an event happened, until the next one. `present` is project time when it was recorded."""
        self._snapshot.now, self._snapshot.lapsed = event.effective_at, None
        return MomentOfRecord(self, self._snapshot, present)

    def account(self, person: str) -> str | None:
        """Return the account of a person in the plan in force. None if they have none, or are not in the plan."""
        found = self._snapshot.first("SELECT account FROM person WHERE id = :person", person=person)
        return found[0] if found else None

    def keys(self, person: str) -> Sequence[SignerKey]:
        """Return the keys of a person or of the engine, with the times in which they are valid."""
        return self._keep(("keys", person), lambda: signer_keys(self._snapshot, person))

    def refusal(
        self,
        event: Event,
        text: str,
        keys: Sequence[SignerKey],
        namespace: str,
    ) -> str | None:
        """Return why an event's signature of a text is invalid. None if it is valid, or if another process verifies it."""
        if self.deferred is None:
            return sshsig.refusal(text, event.signature or "", event.actor, keys, namespace, event.recorded_at)
        counting = tuple([key.key for key in keys if sshsig.counts(key, event.recorded_at)])
        expected = (namespace, counting)
        self.deferred[event.seq] = self._expected.setdefault(expected, expected)
        return None

    def apply(self, event: Event) -> None:
        """Apply an event, note what it has changed, and forget what it may have changed."""
        self.projection.apply(event)
        self._readiness.settle()
        if type(event.payload) in EVERYDAY:
            if not is_supply(event.subject):
                self._after_work(event, self.projection.activity(event.subject))
            return
        for kept in (self._kept, self._reads, self._runs, self._approved):
            kept.clear()

    def _after_work(self, event: Event, row: Activity) -> None:
        name = row.id
        if row.valid_until is not None:
            self._kept.pop("end", None)
        match event.payload:
            case MeasurementRecorded(reading=reading):
                self._note(event, row, (reading,))
            case RunClaimed(run=run, attempt=attempt, owner=owner):
                self._runs[name] = AttemptRun(attempt, run, owner, RunEnd("running", {}))
                if name in self._reads and self._reads[name].attempt != attempt:
                    self._reads[name] = AttemptReads(attempt, [])  # the run began it
            case RunSettled() as settled:
                last = self._runs.pop(name, None)
                if last is not None and not settled.results:
                    self._runs[name] = last._replace(end=RunEnd(settled.status, {}))
                if settled.measurement_batches:
                    self._reads.pop(name, None)
                self._note(event, row, settled.measurements)
            case Signed():
                self._approved.pop(name, None)
                self._reads.pop(name, None)
            case _:
                pass

    def _note(self, event: Event, row: Activity, readings: Sequence[ReadingPart]) -> None:
        kept = self._reads.get(row.id)
        if kept is None:
            return
        if kept.attempt != row.attempt:
            del self._reads[row.id]
            return
        for part in readings:
            said = part.unit, part.item, part.source, part.note, event.actor == ENGINE
            kept.reads.append(Measured(part.metric, text_value(part.value), *said))

    def reads_of(self, row: Activity, find: Find) -> Sequence[Measured]:
        """Return the readings of an activity's attempt. They are found once, and later ones are added."""
        kept = self._reads.get(row.id)
        if kept is None or kept.attempt != row.attempt:
            kept = self._reads[row.id] = AttemptReads(row.attempt, list(find()))
        return kept.reads

    def approvers_of(self, row: Activity) -> list[str]:
        """Return the people whose approvals of an activity are valid now, in the order of their approvals."""
        found = self._approved.get(row.id)
        if found is None:
            found = self._approved[row.id] = list(approvals(self._snapshot, row.id))
        return [approval.person for approval in valid(row, found)] if found else []

    def run_of(self, row: Activity) -> AttemptRun | None:
        """Return the last run of an activity's attempt. None if it is not kept."""
        kept = self._runs.get(row.id)
        return kept if kept is not None and kept.attempt == row.attempt else None

    def actor_at(self, person: str, present: datetime) -> Actor:
        """Return a person with their roles at a time. Roles change only with plans, unless somebody delegated one."""

        def find() -> Actor:
            return actor(self._snapshot.at(present), person)

        is_lent = self._keep("lent", lambda: bool(self._snapshot.count("delegation")))
        return find() if is_lent else self._keep(("actor", person), find)

    def row(self, name: str, now: datetime) -> Activity:
        """Return an activity as it is seen at a time. Raise InputError for an unknown id."""
        found = self.projection.find(name)
        if found is None:
            raise InputError(f"there is no activity {name!r}")
        row = found.copied()
        if row.state is State.OPEN or row.early_because:
            is_lapsed = self._is_lapsed(name, now)
            row.state = seen(row.state, row.ready_from, now, lapsed=is_lapsed)
            row.out_of_sequence = is_out_of_sequence(row, now, lapsed=is_lapsed)
        row.expired = is_expired(row.valid_until, now)
        if row.organisation:
            row.organisation = still_whose(row.organisation, row.state, organisations_there(self._snapshot))
        return row

    def _is_lapsed(self, name: str, now: datetime) -> bool:
        """Return whether an approval before an activity has ended. Nothing is asked before the first one of all ends."""

        def find() -> datetime | None:
            (end,) = self._snapshot.first("SELECT min(valid_until) FROM activity")
            return instant(end)

        end = self._keep("end", find)
        return is_expired(end, now) and name in lapsed(self._snapshot.at(now))

    def event_at(self, seq: int) -> Recorded | None:
        """Return a recorded event by its number. None if there is none, or if its times cannot be read."""
        found = self._events.execute(_EVENT, (seq,)).fetchone()
        if found is None:
            return None
        at, effective_at = map(stamped, found[1:])
        return None if at is None or effective_at is None else Recorded(found[0], at, effective_at)


class MomentOfRecord(Moment):
    """The record before an event. What most events ask is kept."""

    def __init__(self, record: Record, snapshot: Snapshot, present: datetime) -> None:
        """Take the record, its tables as of when the event happened, and project time at the recording."""
        super().__init__(snapshot, present)
        self.record, self.terms = record, record.terms()

    def present_actor(self, person: str) -> Actor:
        """Return a person with their present roles."""
        return self.record.actor_at(person, self.present)

    def case(self, activity: str, person: str) -> LookedUp:
        """Return an activity as it was when it happened, and the person who decides about it now."""
        return CaseOfRecord(self, self.record.row(activity, self.now), self.actor(person))


class CaseOfRecord(CaseOfMoment):
    """A case of a record."""

    moment: MomentOfRecord

    @cached_property
    def reads(self) -> Sequence[Measured]:
        """Every reading of this attempt, in the order in which they were recorded."""
        return self.moment.record.reads_of(self.row, lambda: super(CaseOfRecord, self).reads)

    @property
    def approvals(self) -> Sequence[str]:
        """The people whose approvals are valid now."""
        return self.moment.record.approvers_of(self.row)

    @cached_property
    def open_a(self) -> Sequence[OpenA]:
        """The open class A non-conformances that keep the activity from passing."""
        return super().open_a if self.snapshot.count("ncr") else ()

    @cached_property
    def last_run(self) -> RunEnd | None:
        """The last run of this attempt."""
        kept = self.moment.record.run_of(self.row)
        return super().last_run if kept is None else kept.end

    def running(self, owner: str) -> str | None:
        """Return the id of the run that an owner has running in this attempt. None if there is none."""
        kept = self.moment.record.run_of(self.row)
        if kept is None:
            return super().running(owner)
        return kept.run if (kept.owner, kept.end.status) == (owner, "running") else None
