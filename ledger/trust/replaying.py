"""The record during a replay of many events: what nearly every event asks is answered from memory, everything else in SQL.

Readiness is not kept in the tables during a replay: it would be worked out again after every event, and few events ask for it.
Here it is worked out for one node when an event asks, from the times of the nodes before it. A test compares both ways.
"""

from __future__ import annotations

from collections import Counter
from copy import copy
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from ledger.log.chain import Event
from ledger.log.payloads.people import Delegated
from ledger.log.payloads.plan import Genesis, PlanAdopted, ProgressAdopted, RulesRaised
from ledger.log.payloads.runs import RunClaimed, RunSettled
from ledger.questions.case import LookedUp, actor, lapsed
from ledger.questions.moment import CaseOfMoment, Moment
from ledger.questions.records import PREFIXES
from ledger.questions.snapshot import Snapshot
from ledger.rules.activity import Activity, State, is_expired, seen
from ledger.rules.nearest import unknown_activity
from ledger.rules.permission import Actor
from ledger.rules.readiness import NEVER, Times, activity_times, satisfied_at, side_of
from ledger.rules.subjects import is_supply
from ledger.rules.working_time import SiteCalendar
from ledger.state.projection import Projection
from ledger.state.readiness import settle
from ledger.trust.record import EventAt, Record, SiteTerms
from steps.stamps import instant
from steps.stamps import moment as instant_of

_LINKS = 'SELECT "before", "after", type, lag_h, lag_calendar FROM link'
_REVISION = """
SELECT first_at, time_zone, start, working_days, working_hours, holidays
FROM plan_revision ORDER BY revision DESC LIMIT 1"""
_SUPPLY = """
SELECT placed_at FROM order_line WHERE id = :name UNION ALL SELECT received_at FROM tranche WHERE id = :name"""
_RUNNING = "SELECT activity, id, attempt, owner FROM run WHERE status = 'running'"


class Flushing:
    """A connection that first writes what the projection has collected, so that a query sees every event before it."""

    def __init__(self, projection: Projection) -> None:
        """Take the projection."""
        self._projection = projection

    def execute(self, sql: str, values: Any = ()) -> Any:
        """Return the cursor of a query."""
        self._projection.flush()
        return self._projection.driver.execute(sql, values)


@dataclass
class ReplaySnapshot(Snapshot):
    """A snapshot of the tables that a replay fills. The rows of numbered tables are counted as they are added."""

    counts: Counter[str] = field(default_factory=Counter)

    def count(self, name: str) -> int:
        """Return how many rows one of our tables has."""
        return self.counts[name] if name in PREFIXES else super().count(name)


class PlannedLink(NamedTuple):
    """A link from a node before."""

    before: str
    type: str
    lag_h: float
    lag_calendar: str


class Ready(NamedTuple):
    """From when a node may start and finish. None while something before it has not happened."""

    start: datetime | None
    finish: datetime | None


class Network:
    """The links of the plan in force, and when nodes may start and finish by them."""

    def __init__(self, record: ReplayRecord) -> None:
        """Read the links and the calendar of the plan in force."""
        self._record = record
        first, *calendar = record.projection.ask(_REVISION)[0]
        self._first = instant_of(first)
        self._calendar = SiteCalendar(*calendar)
        self._before: dict[tuple[str, str], list[PlannedLink]] = {}
        for before, after, kind, lag_h, lag_calendar in record.projection.ask(_LINKS):
            link = PlannedLink(before, kind, lag_h, lag_calendar)
            self._before.setdefault((after, side_of(kind)), []).append(link)

    def ready(self, node: str) -> Ready:
        """Return from when a node may start and finish."""
        bridged: dict[str, datetime | None] = {}
        return Ready(self._from(node, "start", bridged), self._from(node, "finish", bridged))

    def _from(self, node: str, side: str, bridged: dict[str, datetime | None]) -> datetime | None:
        latest = self._first
        links = self._before.get((node, side))
        for number, link in enumerate(links or ()):
            times = self._times(link.before, bridged)
            ends = satisfied_at(link.type, link.lag_h, link.lag_calendar, times, self._calendar)
            if ends is None:
                return None
            latest = ends if number == 0 else max(latest, ends)
        return latest

    def _times(self, node: str, bridged: dict[str, datetime | None]) -> Times:
        if is_supply(node):
            at = self._record.supplied_at(node)
            return Times(at, at)
        row = self._record.projection.activities([node]).get(node)
        if row is None:
            return NEVER
        if row.state is State.NOT_APPLICABLE:
            if node not in bridged:
                bridged[node] = self._from(node, "start", bridged)
            row = copy(row)
            row.ready_from = bridged[node]
        return activity_times(row)


class ReplayRecord(Record):
    """The tables that a replay fills, in memory or in a copy, as they are before each event."""

    def __init__(self, projection: Projection, site_dir: Path, event_at: EventAt | None = None) -> None:
        """Take the projection, the site's folder, and what finds earlier events, if not the same file."""
        super().__init__(projection, site_dir, event_at)
        db: Any = Flushing(projection)
        self._snapshot = ReplaySnapshot(db, site_dir, self._snapshot.now, counts=projection.added)
        projection.added.update({name: Snapshot.count(self._snapshot, name) for name in PREFIXES})
        self._terms: SiteTerms | None = None
        self._actors: dict[str, Actor] = {}
        self._network: Network | None = None
        self._supplied: dict[str, datetime | None] = {}
        self._is_lent = bool(self._snapshot.first("SELECT 1 FROM delegation LIMIT 1"))
        self._expiring: bool | None = None
        self.owner = ""
        self.runs = {name: (run, attempt, owner) for name, run, attempt, owner in projection.ask(_RUNNING)}

    def terms(self) -> SiteTerms | None:
        """Return how the site is judged. None before genesis."""
        if self._terms is None:
            self._terms = super().terms()
            if self._terms is not None:
                (self.owner,) = self._snapshot.first("SELECT owner FROM site")
        return self._terms

    def moment(self, event: Event, present: datetime) -> Moment:
        """Return the record as of when an event happened."""
        return ReplayMoment(self, self._snapshot.at(event.effective_at), present)

    def after(self, event: Event) -> None:
        """Forget what an event may have changed."""
        match event.payload:
            case RunClaimed(run=run, attempt=attempt, owner=owner):
                self.runs[event.subject] = (run, attempt, owner)
            case RunSettled():
                self.runs.pop(event.subject, None)
            case Genesis() | RulesRaised():
                self._terms = None
            case PlanAdopted():
                self._terms = self._network = self._expiring = None
                self._actors.clear()
                self._supplied.clear()
            case Delegated():
                self._is_lent = True
            case ProgressAdopted():
                self._supplied.clear()
            case _ if is_supply(event.subject):
                self._supplied.pop(event.subject, None)
            case _:
                pass

    def actor_at(self, person: str, present: datetime) -> Actor:
        """Return a person with their roles at a time. Roles change only with plans, unless somebody delegated one."""
        if self._is_lent:
            return actor(self._snapshot.at(present), person)
        if person not in self._actors:
            self._actors[person] = actor(self._snapshot.at(present), person)
        return self._actors[person]

    def row(self, name: str, now: datetime) -> Activity:
        """Return an activity as it is seen at a time. Raise InputError for an unknown id."""
        found = self.projection.activities([name]).get(name)
        if found is None:
            raise unknown_activity(name, [])
        row = copy(found)
        if self._network is None:
            self._network = Network(self)
        row.ready_from, row.finish_from = self._network.ready(name)
        row.state = seen(row.state, row.ready_from, now, lapsed=self._is_lapsed(row, now))
        row.expired = is_expired(row.valid_until, now)
        return row

    def _is_lapsed(self, row: Activity, now: datetime) -> bool:
        if row.state is not State.OPEN or not self._has_expiring():
            return False
        return row.id in lapsed(self._snapshot.at(now))

    def _has_expiring(self) -> bool:
        """Return whether an approval of this plan can expire."""
        if self._expiring is None:
            plans = self.projection.ask("SELECT document FROM plan_revision")
            policies = (a.policy for (document,) in plans for a in self.projection.plan(document).activities)
            self._expiring = any(policy.valid_days is not None for policy in policies)
        return self._expiring

    def supplied_at(self, name: str) -> datetime | None:
        """Return when an order was placed or a delivery was received. None if it was not."""
        if name not in self._supplied:
            found = self.projection.ask(_SUPPLY, name=name)
            self._supplied[name] = instant(found[0][0]) if found else None
        return self._supplied[name]


class ReplayMoment(Moment):
    """The record before an event of a replay."""

    def __init__(self, record: ReplayRecord, snapshot: Snapshot, present: datetime) -> None:
        """Take the replay's record, the snapshot of its tables, and project time at the recording."""
        super().__init__(snapshot, present)
        self.record = record

    @property
    def owner(self) -> str:
        """The owner that the first event names."""
        return self.record.owner

    def actor(self, person: str) -> Actor:
        """Return a person with their present roles."""
        return self.record.actor_at(person, self.present)

    def case(self, activity: str, person: str) -> LookedUp:
        """Return an activity as it was when it happened, and the person who decides about it now."""
        row = self.record.row(activity, self.snapshot.now)
        return ReplayCase(self, row, self.actor(person))

    def settled(self) -> None:
        """Work out readiness in the tables, for questions that read it there."""
        settle(self.record.projection)


class ReplayCase(CaseOfMoment):
    """A case during a replay."""

    moment: ReplayMoment

    @property
    def owner(self) -> str:
        """The owner that the first event names."""
        return self.moment.owner

    @property
    def is_rehearsal(self) -> bool:
        """Whether the site is a rehearsal."""
        terms = self.moment.record.terms()
        return terms is not None and terms.is_rehearsal

    def running(self, owner: str) -> str | None:
        """Return the id of the run that an owner has running in this attempt. None if there is none."""
        run, attempt, its_owner = self.moment.record.runs.get(self.row.id, (None, None, None))
        return run if (attempt, its_owner) == (self.row.attempt, owner) else None
