"""The rows that questions answer with. Values only; named tuples, since importing them is cheap."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from typing import NamedTuple

from ledger.transitions import State
from steps.value import Value


class Head(NamedTuple):
    """The last event."""

    seq: int
    hash: str
    recorded_at: datetime


class AsOf(NamedTuple):
    """Where in the past a reader stands: after which event, and at what time its questions are asked."""

    seq: int
    hash: str
    time: datetime


class SiteRow(NamedTuple):
    """The site and the plan revision in force; revision 0 means that no plan was adopted yet."""

    name: str
    uuid: str
    time_zone: str
    rehearsal: bool
    owner: str
    revision: int
    plan_start: datetime | None
    plan_finish: datetime | None
    currency: str
    preset: str
    facility: str
    adopted_at: datetime | None
    adopted_by: str
    baseline: str | None


class PhaseRow(NamedTuple):
    """How many activities of a phase are in which state. `failed` counts checked-not-met too."""

    phase: str
    total: int
    done: int
    ready: int
    running: int
    in_progress: int
    awaiting: int
    failed: int
    blocked: int
    on_hold: int
    not_applicable: int
    waived: int
    attested: int
    late: int
    early_start: datetime | None
    finish: datetime | None


class Counts(NamedTuple):
    """The whole site in figures; `total` includes what is not applicable."""

    total: int
    by_state: dict[State, int]
    waived: int
    attested: int
    stale: int
    simulated: int
    before: int
    late: int


class ActivityRow(NamedTuple):
    """An activity as it stands; `state` is blocked, ready or a stored state, never open."""

    id: str
    step: str
    unit: str
    title: str
    phase: str
    kind: str
    scope: str
    state: State
    role: str
    crew_size: int
    assignee: str | None
    attempt: int
    flags: frozenset[str]
    ready_from: datetime | None
    started_at: datetime | None
    finished_at: datetime | None
    early_start: datetime | None
    early_finish: datetime | None
    late_start: datetime | None
    late_finish: datetime | None
    total_float_h: float | None
    critical: bool
    late: bool
    effect: str | None
    playbook: str | None
    hold_point: bool
    needed: str
    quorum: int
    roles: tuple[str, ...]
    evidence: tuple[str, ...]
    signed: int
    items_of: str | None
    items: int | None
    items_done: int | None
    percent: float | None
    na_reason: str | None
    completed_by: tuple[str, ...]
    last_note: str
    duration_m_h: float
    calendar: str
    organisation: str
    witnesses: tuple[str, ...]
    notice_h: float
    valid_until: datetime | None


class Standing(NamedTuple):
    """How an activity that has begun stands, in a word: what a plan revision asks."""

    state: State
    attempt: int
    stale: bool


class FactRow(NamedTuple):
    """What is known of the facility at a unit of the site; `evidence` are digests of what shows it."""

    seq: int
    unit: str
    name: str
    value: Value
    unit_of_measure: str
    source: str
    activity: str
    by: str
    at: datetime
    evidence: tuple[str, ...]


class FactNeedRow(NamedTuple):
    """A fact that an activity needs, and what is recorded of it; None while nobody has."""

    name: str
    unit_of_measure: str
    meaning: str
    options: tuple[str, ...]
    evidence: str
    known: FactRow | None


class Unmet(NamedTuple):
    """A predecessor that an activity still waits for; `state` is in words."""

    predecessor: str
    title: str
    state: str
    type: str
    lag_h: float
    reason: str
    bridged: tuple[str, ...]
    ready_at: datetime | None


class Why(NamedTuple):
    """Why an activity does not go on."""

    activity: str
    state: State
    state_sentence: str
    unmet: tuple[Unmet, ...]
    needs: tuple[str, ...]


class LinkRow(NamedTuple):
    """One link; `state` and `title` are those of the other end."""

    before: str
    after: str
    type: str
    lag_h: float
    lag_calendar: str
    reason: str
    bridged: tuple[str, ...]
    state: str
    title: str
    satisfied_at: datetime | None


class CriterionRow(NamedTuple):
    """A criterion and its verdict in this attempt; `worst` is the item that decides.

    `fleet_z` is how many robust deviations an item may lie off the others; `causes` are a failure's likely ones.
    `readers` are the people who read it, where software did not.
    """

    metric: str
    op: str
    value: Value
    unit: str
    each: str | None
    source: str
    verdict: str
    measured: str
    worst: str
    fleet_z: Decimal | None = None
    causes: tuple[str, ...] = ()
    readers: tuple[str, ...] = ()


class InboxRow(NamedTuple):
    """Something that waits for a person; `action` is the verb of the command line."""

    activity: str
    title: str
    action: str
    role: str
    since: datetime | None
    missing_evidence: tuple[str, ...]


class TrancheRow(NamedTuple):
    """One delivery of an order."""

    id: str
    number: int
    quantity: Decimal
    units: tuple[str, ...]
    need_by: datetime | None
    promised: date | None
    received_at: datetime | None
    received_quantity: Decimal
    planned_quantity: Decimal
    carrier: str
    tracking: str
    shipped: date | None
    handling: str


class OrderRow(NamedTuple):
    """An order; `state` is planned, placed, part received or received.

    `quantity` is what is ordered, change orders included; `value` is None where nobody said.
    """

    id: str
    step: str
    unit: str
    item: str
    title: str
    quantity: Decimal
    unit_of_measure: str
    supplier: str
    supplier_name: str
    reference: str
    order_by: datetime | None
    need_by: datetime | None
    state: str
    ready_from: datetime | None
    promised: date | None
    placed_at: datetime | None
    lead_m_h: float
    float_h: float | None
    critical: bool
    late: bool
    tranches: tuple[TrancheRow, ...]
    organisation: str
    value: Decimal | None
    currency: str
    budget_line: str
    acknowledged: date | None
    acknowledgement: str
    expedite_cost: Decimal


class BudgetRow(NamedTuple):
    """A budget line in one currency; `unpriced` counts placed orders without a value."""

    budget_line: str
    currency: str
    orders: int
    unpriced: int
    committed: Decimal
    received: Decimal
    open: Decimal


class ChangeRow(NamedTuple):
    """A change order; `state` is open, approved or refused. Figures are what is to stand afterwards."""

    id: str
    subject: str
    state: str
    quantity: Decimal | None
    value: Decimal | None
    currency: str
    reason: str
    asked_by: str
    asked_at: datetime | None
    decided_by: str | None
    decided_at: datetime | None
    role: str | None
    comment: str


class HistoryRow(NamedTuple):
    """Something that happened to an order or a delivery of it, in words."""

    seq: int
    at: datetime | None
    person: str
    kind: str
    subject: str
    said: str


class PersonRow(NamedTuple):
    """A person in force."""

    id: str
    name: str
    roles: tuple[str, ...]
    organisation: str
    account: str | None


class NameRow(NamedTuple):
    """What a person is called; their id once redacted."""

    id: str
    name: str
    redacted: bool


class UnitRow(NamedTuple):
    """A node of the site's tree."""

    id: str
    kind: str
    parent: str | None
    title: str
    hosts: tuple[str, ...]
    shared: tuple[str, ...]
