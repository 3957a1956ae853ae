"""The record during a replay of many events: what nearly every event asks is answered from memory, everything else in SQL.

Readiness is not kept in the tables during a replay: it would be worked out again after every event, and few events ask for it.
Here it is worked out for one node when an event asks, from the times of the nodes before it. A test compares both ways.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from ledger.log.chain import Event
from ledger.log.payloads.base import ReadingPart
from ledger.log.payloads.orders import (
    OrderAcknowledged,
    OrderExpedited,
    OrderPlaced,
    OrderPromised,
    TrancheReceived,
    TrancheShipped,
)
from ledger.log.payloads.people import Delegated
from ledger.log.payloads.plan import PlanAdopted
from ledger.log.payloads.runs import RunClaimed, RunSettled
from ledger.log.payloads.sign_off import Signed
from ledger.log.payloads.work import (
    Assigned,
    Attached,
    Commented,
    Finished,
    MeasurementRecorded,
    Progressed,
    Started,
)
from ledger.questions.case import ApprovalRow, LookedUp, actor, approvals, lapsed, valid
from ledger.questions.moment import CaseOfMoment, Moment, TimeTerms, terms_of
from ledger.questions.records import PREFIXES, signer_keys
from ledger.questions.snapshot import Snapshot
from ledger.rules.access import ENGINE
from ledger.rules.activity import Activity, State, is_expired, seen
from ledger.rules.case import OpenA, RunEnd
from ledger.rules.nearest import unknown_activity
from ledger.rules.permission import Actor
from ledger.rules.readiness import is_out_of_sequence
from ledger.rules.rows import OrderRow, SignerKey
from ledger.rules.subjects import is_supply
from ledger.state.projection import Projection
from ledger.state.readiness import settle
from ledger.trust import sshsig
from ledger.trust.network import PlanNetwork
from ledger.trust.record import EventAt, Record, SiteTerms
from ledger.trust.replay_snapshot import Flushing, ReplaySnapshot
from steps.acceptance.measured import Measured
from steps.stamps import instant
from steps.value import text_value

Expected = tuple[str, tuple[str, ...]]
"""The namespace in which a signature must be made, and the keys one of which must have made it."""

Deferred = dict[int, Expected]
"""By number of a signed event: how its signature must be made."""

_RUNNING = "SELECT activity, id, attempt, owner FROM run WHERE status = 'running'"

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


class AttemptReads(NamedTuple):
    """The readings of an attempt, in the order of recording."""

    attempt: int
    reads: list[Measured]


class AttemptRun(NamedTuple):
    """The last run of an attempt."""

    attempt: int
    end: RunEnd


class ReplayRecord(Record):
    """The tables that a replay fills, in memory or in a copy, as they are before each event.

    `deferred` notes who may have made each signature, which another process finds out. None verifies each one here.
    """

    def __init__(
        self,
        projection: Projection,
        site_dir: Path,
        event_at: EventAt | None = None,
        deferred: Deferred | None = None,
    ) -> None:
        """Take the projection, the site's folder, and what finds earlier events, if not the same file."""
        super().__init__(projection, site_dir, event_at)
        db: Any = Flushing(projection)
        self._snapshot = ReplaySnapshot(db, site_dir, self._snapshot.now, counts=projection.added)
        projection.added.update({name: Snapshot.count(self._snapshot, name) for name in PREFIXES})
        projection.touched.clear()
        self.deferred = deferred
        self._terms: SiteTerms | None = None
        self._dated_by: TimeTerms | None = None
        self._actors: dict[str, Actor] = {}
        self._keys: dict[str, list[SignerKey]] = {}
        self._expected: dict[Expected, Expected] = {}
        self._reads: dict[str, AttemptReads] = {}
        self._ended: dict[str, AttemptRun] = {}
        self._approved: dict[str, list[ApprovalRow]] = {}
        self._network: PlanNetwork | None = None
        self._is_lent = bool(self._snapshot.first("SELECT 1 FROM delegation LIMIT 1"))
        self._first_end: datetime | None = None
        self._knows_end = False
        self._attempt_before: int | None = None
        self.owner = ""
        self.runs = {name: tuple(run) for name, *run in projection.ask(_RUNNING)}

    def terms(self) -> SiteTerms | None:
        """Return how the site is judged. None before genesis."""
        if self._terms is None:
            self._terms = super().terms()
            if self._terms is not None:
                (self.owner,) = self._snapshot.first("SELECT owner FROM site")
        return self._terms

    def dated_by(self) -> TimeTerms:
        """Return what the rules of dates and times need to know about the site. Only a plan or other rules change it."""
        self._dated_by = self._dated_by or terms_of(self._snapshot)
        return self._dated_by

    def moment(self, event: Event, present: datetime) -> Moment:
        """Return the record as of when an event happened."""
        self._attempt_before = None
        return ReplayMoment(self, self._snapshot, event.effective_at, present)

    def about(self, moment: Moment, subject: str) -> Activity | None:  # noqa: ARG002  the tables are of the same moment
        """Return the activity that a decision is about. None if it is about no activity."""
        return self.projection.find(subject)

    def keys(self, moment: Moment, person: str) -> Sequence[SignerKey]:
        """Return the keys of a person or of the engine. Only few kinds of events change any."""
        found = self._keys.get(person)
        if found is None:
            found = self._keys[person] = signer_keys(moment.snapshot, person)
        return found

    def refusal(
        self,
        event: Event,
        text: str,
        keys: Sequence[SignerKey],
        namespace: str,
    ) -> str | None:
        """Return why an event's signature of a text is invalid. None if it is valid, or if another process verifies it."""
        if self.deferred is None:
            return super().refusal(event, text, keys, namespace)
        counting = tuple([key.key for key in keys if sshsig.counts(key, event.recorded_at)])
        expected = (namespace, counting)
        self.deferred[event.seq] = self._expected.setdefault(expected, expected)
        return None

    def after(self, event: Event) -> None:
        """Note what an event has changed, and forget what it may have changed."""
        touched = self.projection.touched
        if touched:
            if self._network is not None:
                self._network.forget(touched)
            self._note_end(event.subject)
            touched.clear()
        if type(event.payload) in EVERYDAY:
            self._after_work(event)
            return
        self._is_lent = self._is_lent or isinstance(event.payload, Delegated)
        self._terms = self._dated_by = None
        self._knows_end = False
        if isinstance(event.payload, PlanAdopted):
            self._network = None
        for kept in (self._actors, self._keys, self._reads, self._ended, self._approved):
            kept.clear()

    def _after_work(self, event: Event) -> None:
        name = event.subject
        match event.payload:
            case MeasurementRecorded(reading=reading):
                self._note(event, (reading,))
            case RunClaimed(run=run, attempt=attempt, owner=owner):
                self.runs[name] = (run, attempt, owner)
                self._ended[name] = AttemptRun(attempt, RunEnd("running", {}))
                if self._attempt_before not in {None, attempt}:
                    self._reads[name] = AttemptReads(attempt, [])
            case RunSettled() as settled:
                self.runs.pop(name, None)
                self._note(event, settled.measurements)
                if settled.results or settled.measurement_batches:
                    self._ended.pop(name, None)
                    self._reads.pop(name, None)
                else:
                    self._ended[name] = AttemptRun(settled.attempt, RunEnd(settled.status, {}))
            case Signed():
                self._approved.pop(name, None)
                self._reads.pop(name, None)
            case _:
                pass

    def _note(self, event: Event, readings: Sequence[ReadingPart]) -> None:
        kept = self._reads.get(event.subject)
        if kept is None:
            return
        for part in readings:
            said = (part.unit, part.item, part.source, part.note, event.actor == ENGINE)
            kept.reads.append(Measured(part.metric, text_value(part.value), *said))

    def reads_of(self, row: Activity) -> Sequence[Measured] | None:
        """Return the readings of an activity's attempt. None if they are not kept."""
        kept = self._reads.get(row.id)
        return kept.reads if kept is not None and kept.attempt == row.attempt else None

    def keep_reads(self, row: Activity, reads: Sequence[Measured]) -> None:
        """Keep the readings of an activity's attempt. Later ones are added."""
        self._reads[row.id] = AttemptReads(row.attempt, list(reads))

    def approvers_of(self, row: Activity) -> list[str]:
        """Return the people whose approvals of an activity are valid now, in the order of their approvals."""
        found = self._approved.get(row.id)
        if found is None:
            found = self._approved[row.id] = list(approvals(self._snapshot, row.id))
        return [approval.person for approval in valid(row, found)] if found else []

    def last_run_of(self, row: Activity) -> RunEnd | None:
        """Return the last run of an activity's attempt. None if it is not kept."""
        kept = self._ended.get(row.id)
        return kept.end if kept is not None and kept.attempt == row.attempt else None

    def actor_at(self, person: str, present: datetime) -> Actor:
        """Return a person with their roles at a time. Roles change only with plans, unless somebody delegated one."""
        if self._is_lent or person not in self._actors:
            self._actors[person] = actor(self._snapshot.at(present), person)
        return self._actors[person]

    def row(self, name: str, now: datetime) -> Activity:
        """Return an activity as it is seen at a time. Raise InputError for an unknown id."""
        found = self.projection.find(name)
        if found is None:
            raise unknown_activity(name, [])
        self._attempt_before = found.attempt
        row = found.copied()
        row.ready_from, row.finish_from = self.network().ready(name)
        if row.state is State.OPEN or row.early_because:
            is_lapsed = self._is_lapsed(name, now)
            row.state = seen(row.state, row.ready_from, now, lapsed=is_lapsed)
            row.out_of_sequence = is_out_of_sequence(row, now, lapsed=is_lapsed)
        row.expired = is_expired(row.valid_until, now)
        return row

    def network(self) -> PlanNetwork:
        """Return the links of the plan in force, with what is known of when nodes are ready."""
        if self._network is None:
            self._network = PlanNetwork(self.projection)
        return self._network

    def _is_lapsed(self, name: str, now: datetime) -> bool:
        """Return whether an approval before an activity has ended. Nothing is asked before the first one of all ends."""
        if not self._knows_end:
            (end,) = self._snapshot.first("SELECT min(valid_until) FROM activity")
            self._first_end, self._knows_end = instant(end), True
        return is_expired(self._first_end, now) and name in lapsed(self._snapshot.at(now))

    def _note_end(self, name: str) -> None:
        """Note when the approval of an activity ends, if it is the first one of all to end."""
        row = None if is_supply(name) else self.projection.find(name)
        end = None if row is None else row.valid_until
        if end is not None and (self._first_end is None or end < self._first_end):
            self._first_end = end


class ReplayMoment(Moment):
    """The record before an event of a replay. Most events ask no tables, and so the snapshot is made when it is first needed."""

    def __init__(self, record: ReplayRecord, tables: Snapshot, now: datetime, present: datetime) -> None:
        """Take the replay's record and its tables, when the event happened, and project time at the recording."""
        self.record = record
        self.now, self.present = now, present
        self._tables = tables

    @cached_property
    def snapshot(self) -> Snapshot:  # type: ignore[override]  # read as the attribute is
        """The tables, for questions as of when the event happened."""
        return self._tables.at(self.now)

    @property
    def owner(self) -> str:
        """The owner that the first event names."""
        return self.record.owner

    @property
    def terms(self) -> TimeTerms:
        """What the rules of dates and times need to know about the site."""
        return self.record.dated_by()

    def present_actor(self, person: str) -> Actor:
        """Return a person with their present roles."""
        return self.record.actor_at(person, self.present)

    def case(self, activity: str, person: str) -> LookedUp:
        """Return an activity as it was when it happened, and the person who decides about it now."""
        return ReplayCase(self, self.record.row(activity, self.now), self.actor(person))

    def order(self, name: str) -> OrderRow:
        """Return an order. What it waits for is worked out in the tables only if there may be something."""
        found = super().order(name)
        ready = self.record.network().ready(name).start
        if ready is None or ready > self.now:
            self.settled()
            return super().order(name)
        return found._replace(ready_from=ready)

    def settled(self) -> None:
        """Work out readiness in the tables, for questions that read it there."""
        settle(self.record.projection)


class ReplayCase(CaseOfMoment):
    """A case during a replay."""

    moment: ReplayMoment

    def __init__(self, moment: ReplayMoment, row: Activity, actor: Actor) -> None:
        """Take the moment, the activity, and the person who decides."""
        self.moment = moment
        self.row = row
        self.actor = actor

    @property
    def snapshot(self) -> Snapshot:  # type: ignore[override]  # read as the attribute is
        """The tables, for questions as of when the event happened."""
        return self.moment.snapshot

    @property
    def now(self) -> datetime:
        """When the decision was taken."""
        return self.moment.now

    @property
    def owner(self) -> str:
        """The owner that the first event names."""
        return self.moment.owner

    @property
    def is_rehearsal(self) -> bool:
        """Whether the site is a rehearsal."""
        terms = self.moment.record.terms()
        return terms is not None and terms.is_rehearsal

    @cached_property
    def reads(self) -> Sequence[Measured]:
        """Every reading of this attempt, in the order in which they were recorded."""
        record = self.moment.record
        kept = record.reads_of(self.row)
        if kept is None:
            kept = super().reads
            record.keep_reads(self.row, kept)
        return kept

    @property
    def approvals(self) -> Sequence[str]:
        """The people whose approvals are valid now."""
        return self.moment.record.approvers_of(self.row)

    @cached_property
    def open_a(self) -> Sequence[OpenA]:
        """The open class A non-conformances that keep the activity from passing."""
        return super().open_a if self.moment.record.projection.added["ncr"] else ()

    @cached_property
    def last_run(self) -> RunEnd | None:
        """The last run of this attempt."""
        return self.moment.record.last_run_of(self.row) or super().last_run

    def running(self, owner: str) -> str | None:
        """Return the id of the run that an owner has running in this attempt. None if there is none."""
        runs = self.moment.record.runs
        run, attempt, its_owner = runs.get(self.row.id, (None, None, None))
        return run if (attempt, its_owner) == (self.row.attempt, owner) else None
