"""The ledger's tables: one append-only event table, its projections, and one operational table.

Projections are rebuilt by replay, exactly; `claim` is not: it holds machine time and processes. Attempts
count from 1. Ids of runs, NCRs, waivers, releases and requests are given by the event that made them.
"""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from typing import Any

from sqlalchemy import Index
from sqlmodel import Field, SQLModel

from ledger.columns import DecimalText, ListText, UtcText


def _utc() -> Any:
    return Field(default=None, sa_type=UtcText)


def _list() -> Any:
    return Field(default=(), sa_type=ListText)


def _decimal() -> Any:
    return Field(default=Decimal(0), sa_type=DecimalText)


class EventRow(SQLModel, table=True):
    """An event; text columns hold exactly what was hashed."""

    __tablename__ = "event"
    seq: int = Field(primary_key=True)
    recorded_at: str
    effective_at: str
    actor: str
    kind: str
    schema_version: int
    subject: str = Field(index=True)
    plan_revision: int
    payload: str
    prev_hash: str
    hash: str
    signature: str | None = None


class Site(SQLModel, table=True):
    """One row: what genesis said."""

    __tablename__ = "site"
    id: int = Field(primary_key=True)
    uuid: str
    name: str
    time_zone: str
    rehearsal: bool
    owner: str
    owner_key: str | None = None


class PlanRevision(SQLModel, table=True):
    """An adopted plan; the last one is in force. The calendar's facts lie beside it for readiness."""

    __tablename__ = "plan_revision"
    revision: int = Field(primary_key=True)
    document: str
    reason: str
    baseline: str | None = None
    adopted_by: str
    adopted_at: datetime = _utc()
    first_at: datetime = _utc()
    site: str
    preset: str
    facility: str
    country: str
    currency: str
    time_zone: str
    start: datetime = _utc()
    finish: datetime = _utc()
    working_days: str
    working_hours: str
    holidays: tuple[str, ...] = _list()


class Unit(SQLModel, table=True):
    """A node of the site's tree."""

    __tablename__ = "unit"
    id: str = Field(primary_key=True)
    ordinal: int
    kind: str
    parent: str | None = None
    title: str
    hosts: tuple[str, ...] = _list()


class Person(SQLModel, table=True):
    """A person in force."""

    __tablename__ = "person"
    id: str = Field(primary_key=True)
    name: str
    organisation: str
    account: str | None = Field(default=None, index=True)
    ssh_key: str | None = None


class PersonRole(SQLModel, table=True):
    """A role that a person holds."""

    __tablename__ = "person_role"
    person: str = Field(primary_key=True)
    role: str = Field(primary_key=True, index=True)


class Activity(SQLModel, table=True):
    """A step at a unit: what the plan says of it, and how it stands."""

    __tablename__ = "activity"
    __table_args__ = (
        Index("activity_phase_state", "phase", "state"),
        Index("activity_state_ready", "state", "ready_from"),
    )
    id: str = Field(primary_key=True)
    ordinal: int
    step: str = Field(index=True)
    unit: str
    title: str
    phase: str
    kind: str
    scope: str
    role: str
    crew_size: int
    calendar: str
    duration_m_h: float
    items_of: str | None = None
    items: int | None = None
    effect: str | None = None
    playbook: str | None = None
    completed_by: tuple[str, ...] = _list()
    continuing: bool = False
    hold_point: bool = False
    needed: str = "always"
    quorum: int = 1
    separation: str
    roles: tuple[str, ...] = _list()
    evidence: tuple[str, ...] = _list()
    ncr_class: str = "B"
    early_start: datetime | None = _utc()
    early_finish: datetime | None = _utc()
    late_start: datetime | None = _utc()
    late_finish: datetime | None = _utc()
    total_float_h: float | None = None
    in_plan: bool = True
    state: str = "open"
    held_from: str | None = None
    attempt: int = 1
    assignee: str | None = None
    na_reason: str | None = None
    na_at: datetime | None = _utc()
    na_decided: bool = False
    ready_from: datetime | None = _utc()
    finish_from: datetime | None = _utc()
    started_at: datetime | None = _utc()
    finished_at: datetime | None = _utc()
    done_at: datetime | None = _utc()
    performers: tuple[str, ...] = _list()
    items_done: int | None = None
    percent: float | None = None
    last_note: str = ""
    stale_since: int | None = None
    waived: bool = False
    attested: bool = False
    simulated: bool = False
    before: bool = False


class Criterion(SQLModel, table=True):
    """An acceptance criterion in force."""

    __tablename__ = "criterion"
    activity: str = Field(primary_key=True)
    ordinal: int = Field(primary_key=True)
    metric: str
    op: str
    value: str
    unit: str
    each: str | None = None
    source: str


class Link(SQLModel, table=True):
    """`after` waits for `before`; `satisfied_at` is when the wait ends, lag included, once known."""

    __tablename__ = "link"
    __table_args__ = (Index("link_after", "after", "side", "satisfied_at"),)
    id: int = Field(primary_key=True)
    before: str = Field(index=True)
    after: str
    type: str
    side: str
    lag_h: float
    lag_calendar: str
    map: str
    reason: str
    bridged: tuple[str, ...] = _list()
    satisfied_at: datetime | None = _utc()


class OrderLine(SQLModel, table=True):
    """A supply line of the plan, and whether it is placed."""

    __tablename__ = "order_line"
    id: str = Field(primary_key=True)
    ordinal: int
    step: str
    unit: str
    item: str
    title: str
    quantity: Decimal = _decimal()
    unit_of_measure: str
    supplier: str
    lead_m_h: float
    order_by: datetime | None = _utc()
    need_by: datetime | None = _utc()
    total_float_h: float | None = None
    in_plan: bool = True
    ready_from: datetime | None = _utc()
    placed_at: datetime | None = _utc()
    placed_by: str | None = None
    promised: date | None = None
    supplier_name: str = ""
    reference: str = ""


class Tranche(SQLModel, table=True):
    """One delivery of an order."""

    __tablename__ = "tranche"
    id: str = Field(primary_key=True)
    order_line: str = Field(index=True)
    number: int
    quantity: Decimal = _decimal()
    units: tuple[str, ...] = _list()
    need_by: datetime | None = _utc()
    in_plan: bool = True
    promised: date | None = None
    received_quantity: Decimal = _decimal()
    received_at: datetime | None = _utc()


class Delivery(SQLModel, table=True):
    """One receipt for a tranche, with the serial numbers that came."""

    __tablename__ = "delivery"
    seq: int = Field(primary_key=True)
    tranche: str = Field(index=True)
    quantity: Decimal = _decimal()
    serials: tuple[str, ...] = _list()
    note: str
    person: str
    at: datetime = _utc()


class SignOff(SQLModel, table=True):
    """A person's approval or rejection; the printed name is as it was then."""

    __tablename__ = "sign_off"
    seq: int = Field(primary_key=True)
    activity: str = Field(index=True)
    attempt: int
    person: str
    name: str
    role: str
    decision: str
    meaning: str
    comment: str
    assurance: str
    at: datetime = _utc()


class Measurement(SQLModel, table=True):
    """A metric read; `ordinal` numbers those that one event brought."""

    __tablename__ = "measurement"
    __table_args__ = (Index("measurement_activity", "activity", "attempt", "metric"),)
    seq: int = Field(primary_key=True)
    ordinal: int = Field(primary_key=True)
    activity: str
    attempt: int
    metric: str
    item: str
    value: str | None = None
    unit: str
    source: str
    instrument: str
    note: str
    person: str
    at: datetime = _utc()


class EvidenceItem(SQLModel, table=True):
    """A file in the store that somebody laid on the table for an activity."""

    __tablename__ = "evidence_item"
    seq: int = Field(primary_key=True)
    ordinal: int = Field(primary_key=True)
    activity: str = Field(index=True)
    attempt: int
    kind: str
    name: str
    digest: str
    size: int
    person: str
    at: datetime = _utc()


class Ncr(SQLModel, table=True):
    """A non-conformance: opened, dispositioned, closed."""

    __tablename__ = "ncr"
    id: str = Field(primary_key=True)
    activity: str = Field(index=True)
    attempt: int
    ncr_class: str
    reason: str
    opened_by: str
    opened_at: datetime = _utc()
    closed_at: datetime | None = _utc()
    disposition: str = ""


class Waiver(SQLModel, table=True):
    """A criterion left unmet by decision: a punch item with a due date."""

    __tablename__ = "waiver"
    id: str = Field(primary_key=True)
    activity: str = Field(index=True)
    attempt: int
    metric: str
    reason: str
    due: date
    person: str
    role: str
    at: datetime = _utc()


class Attestation(SQLModel, table=True):
    """A statement that a step was done outside; kept for ever."""

    __tablename__ = "attestation"
    seq: int = Field(primary_key=True)
    activity: str = Field(index=True)
    attempt: int
    person: str
    reason: str
    digests: tuple[str, ...] = _list()
    at: datetime = _utc()


class Run(SQLModel, table=True):
    """A run of software for one attempt of an activity."""

    __tablename__ = "run"
    id: str = Field(primary_key=True)
    activity: str = Field(index=True)
    attempt: int
    owner: str
    host: str
    status: str = Field(index=True)
    result: str | None = None
    summary: str = ""
    started_at: datetime = _utc()
    settled_at: datetime | None = _utc()
    playbook_digest: str | None = None
    simulated: bool = False
    items: int = 0


class ItemResultRow(SQLModel, table=True):
    """What a run did to one host."""

    __tablename__ = "item_result"
    run: str = Field(primary_key=True)
    host: str = Field(primary_key=True)
    status: str
    duration_s: Decimal = _decimal()
    failed_task: str


class Comment(SQLModel, table=True):
    """Something a person wrote down."""

    __tablename__ = "comment"
    seq: int = Field(primary_key=True)
    activity: str = Field(index=True)
    person: str
    text: str
    at: datetime = _utc()


class Request(SQLModel, table=True):
    """What a front end asked the dispatcher for."""

    __tablename__ = "request"
    id: str = Field(primary_key=True)
    activity: str
    action: str
    person: str
    at: datetime = _utc()
    answered_at: datetime | None = _utc()
    answer: str = ""


class Release(SQLModel, table=True):
    """Leave to change these hosts with this playbook, once, in this attempt."""

    __tablename__ = "release"
    id: str = Field(primary_key=True)
    activity: str = Field(index=True)
    attempt: int
    hosts: tuple[str, ...] = _list()
    count: int
    playbook_digest: str
    person: str
    role: str
    at: datetime = _utc()
    consumed_by: str | None = None


class Forecast(SQLModel, table=True):
    """A published forecast; `phases` is JSON of phase and finish."""

    __tablename__ = "forecast"
    seq: int = Field(primary_key=True)
    at: datetime = _utc()
    person: str
    finish: datetime = _utc()
    phases: str
    note: str = ""


class ClaimRow(SQLModel, table=True):
    """Who runs an activity now. Machine time, not an event's: lost with the machine, and may be."""

    __tablename__ = "claim"
    activity: str = Field(primary_key=True)
    attempt: int
    run: str
    owner: str
    lease_until: datetime = _utc()
    host: str
    boot_id: str
    pid: int
    pgid: int
    hosts: tuple[str, ...] = _list()


OPERATIONAL = frozenset({"event", "claim"})
"""Tables that replay does not rebuild."""
