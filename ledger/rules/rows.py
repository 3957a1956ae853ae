"""Rows that the rules ask and the questions answer with: links, orders, releases, non-conformances. Values only."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from typing import NamedTuple

from ledger.rules.activity import State

RUN_DONE = frozenset({"ok", "changed", "kept"})
"""What a run did to a host, where it did everything."""

RUN_NOT_DONE = frozenset({"failed", "unreachable"})


class LinkRow(NamedTuple):
    """One link; `state` and `title` are those of the other end, `valid_until` is when its approval ends."""

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
    valid_until: datetime | None = None


class Begun(NamedTuple):
    """How an activity is that has begun: what a plan revision asks."""

    state: State
    attempt: int
    stale: bool


class Unmet(NamedTuple):
    """A predecessor that something still waits for; `state` is in words."""

    predecessor: str
    title: str
    state: str
    type: str
    lag_h: float
    reason: str
    bridged: tuple[str, ...]
    ready_at: datetime | None


class TrancheRow(NamedTuple):
    """One delivery of an order. `quantity` is what is ordered now, `planned_quantity` what the plan says."""

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

    @property
    def outstanding(self) -> Decimal:
        """How much has not come."""
        return self.quantity - self.received_quantity


class OrderRow(NamedTuple):
    """An order; `state` is planned, placed, part received or received.

    `quantity` is what is ordered, change orders included. `value` is None where nobody said.
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


class ChangeRow(NamedTuple):
    """A change order; `state` is open, approved or refused. Figures are what is to be in force afterwards."""

    id: str
    subject: str
    state: str
    quantity: Decimal | None
    value: Decimal | None
    currency: str
    reason: str
    asked_by: str
    asked_at: datetime
    decided_by: str | None
    decided_at: datetime | None
    role: str | None
    comment: str


class ReleaseRow(NamedTuple):
    """A person's word that a run may change these hosts, this once. `live` ones are of the present attempt and not used."""

    id: str
    activity: str
    attempt: int
    hosts: tuple[str, ...]
    host_count: int
    playbook_digest: str
    by: str
    role: str
    at: datetime
    consumed_by: str | None
    live: bool


class PreviewRow(NamedTuple):
    """What check mode showed of a playbook; `differences` is the digest of the text among the evidence."""

    hosts: tuple[str, ...]
    playbook_digest: str
    summary: str
    differences: str
    at: datetime


class NcrRow(NamedTuple):
    """A non-conformance; `decided` is what is to be done, `disposition` how it was closed.

    `inspections` counts the later attempts that somebody, or a run, has judged again, and the later entries of what failed.
    """

    id: str
    activity: str
    attempt: int
    ncr_class: str
    reason: str
    opened_by: str
    opened_at: datetime
    closed_at: datetime | None
    disposition: str
    decided: str
    owner: str
    due: date | None
    inspections: int
