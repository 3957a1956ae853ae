"""Rows that the rules read and the questions return: links, orders, releases, non-conformances, checked items. They are values only."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import NamedTuple, TypeVar

from ledger.rules.activity import State
from ledger.rules.version import ITEMS_AND_WAIVERS
from steps.amount import counted
from steps.value import Value

Key = TypeVar("Key")
Member = TypeVar("Member")


def grouped(
    pairs: Iterable[tuple[Key, Member]],
) -> dict[Key, list[Member]]:
    """Return what belongs to each key, in the order of the pairs."""
    found: dict[Key, list[Member]] = {}
    for key, member in pairs:
        found.setdefault(key, []).append(member)
    return found


RUN_DONE = frozenset({"ok", "changed", "kept"})
"""Results of hosts on which a run did everything."""

RUN_NOT_DONE = frozenset({"failed", "unreachable"})
"""Results of hosts on which a run did not."""


class ItemRow(NamedTuple):
    """The result of a run on one host. `message` says why the host is not done."""

    run: str
    host: str
    status: str
    duration_s: float
    failed_task: str
    message: str


class LinkRow(NamedTuple):
    """One link. `state`, `title` and `valid_until` (the end of its approval) are those of the node at the other end."""

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
    """The state of an activity that has begun, as far as a plan revision depends on it."""

    state: State
    attempt: int
    stale: bool


class Unmet(NamedTuple):
    """A predecessor that a node still waits for. `state` is in words."""

    predecessor: str
    title: str
    state: str
    type: str
    lag_h: float
    reason: str
    bridged: tuple[str, ...]
    ready_at: datetime | None


def _size(quantity: Decimal, ordered: Decimal, unit_of_measure: str, *, in_plan: bool) -> str:
    words = counted(quantity, unit_of_measure)
    if ordered != quantity:
        words += f", {ordered.normalize():,f} ordered"
    return words if in_plan else f"{words}, not in the plan any more"


ORDERED = """coalesce(t.contracted, (
  SELECT CASE WHEN o.ordered IS NULL THEN t.quantity ELSE coalesce(json_extract(o.ordered, '$."' || t.id || '"'), '0') END
  FROM order_line o WHERE o.id = t.order_line))"""
"""What was ordered of a delivery. An order that is not placed, and one of earlier rules while these are in force, is for what is needed."""

NEEDED = f"""CASE WHEN NOT t.in_plan THEN {ORDERED} WHEN CAST(t.contracted_for AS REAL) <> CAST(t.quantity AS REAL)
  THEN t.quantity ELSE coalesce(t.contracted, t.quantity) END"""
"""How much of a delivery is needed: what a change order says while the plan has what that was decided for, else what the plan has.
What the plan dropped is for what was ordered."""

RECEIVED_AT = f"""CASE WHEN (SELECT rules FROM site) < {ITEMS_AND_WAIVERS} THEN t.received_at
  WHEN CAST(t.received_quantity AS REAL) >= CAST({NEEDED} AS REAL)
  THEN coalesce(t.received_at, (SELECT max(d.at) FROM delivery d WHERE d.tranche = t.id)) END"""  # noqa: S608  our names
"""Since when a delivery is here in full. From version 5 of the rules on it is while nothing more of it is needed."""


class TrancheRow(NamedTuple):
    """One delivery of an order. `quantity` is what is needed: that of a change order, else `planned_quantity`, that of the plan.

    `ordered` is what the supplier owes: less or more than `quantity` where another plan was adopted after the order was placed.
    A delivery that is not `in_plan` was ordered under an earlier plan. Nothing waits for it, and the supplier still owes it.
    """

    id: str
    number: int
    quantity: Decimal
    units: tuple[str, ...]
    need_by: datetime | None
    promised: date | None
    received_at: datetime | None
    received_quantity: Decimal
    planned_quantity: Decimal
    ordered: Decimal
    carrier: str
    tracking: str
    shipped: date | None
    handling: str
    in_plan: bool

    @property
    def outstanding(self) -> Decimal:
        """What is needed and was not received yet."""
        return self.quantity - self.received_quantity

    @property
    def to_come(self) -> Decimal:
        """What is needed, was ordered, and was not received yet."""
        return min(self.quantity, self.ordered) - self.received_quantity

    @property
    def unordered(self) -> Decimal:
        """What is needed and was not ordered. None of it before the order is placed."""
        return max(self.quantity - self.ordered, Decimal(0))

    def size(self, unit_of_measure: str) -> str:
        """Return what is needed in words, and what was ordered where that is another quantity: 64 servers, 32 of them ordered."""
        return _size(self.quantity, self.ordered, unit_of_measure, in_plan=self.in_plan)


class OrderRow(NamedTuple):
    """An order. `state` is planned, placed, part received or received.

    `quantity` and `ordered` are those of its deliveries. `value` is None if nobody recorded it. What is `serialised` is received by serial number.
    `early_because` says why it was placed although something before it was open, and is empty otherwise. `days_late` is how many
    days it is past its order-by date, or once it is placed, how many days after its need-by date `late_delivery` comes. `late_delivery` is None
    if no delivery is late; `need_by` is that of the late one if there is one. `days_overdue` is how many days ago the first of the
    deliveries was promised that are not here. Days are those of the site's `time_zone`. `product_was` says by what the product that was
    ordered differs from that of the plan in force, and is empty if it does not.
    """

    id: str
    step: str
    unit: str
    item: str
    title: str
    quantity: Decimal
    ordered: Decimal
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
    serialised: bool
    early_because: str
    time_zone: str
    days_late: int
    late_delivery: TrancheRow | None
    days_overdue: int
    in_plan: bool
    product_was: str

    @property
    def unordered(self) -> Decimal:
        """What is needed of a placed order and was not ordered."""
        return sum((one.unordered for one in self.tranches), Decimal(0))

    @property
    def size(self) -> str:
        """What is needed in words, and what was ordered where that is another quantity or another product."""
        words = _size(self.quantity, self.ordered, self.unit_of_measure, in_plan=self.in_plan)
        return f"{words}, ordered for {self.product_was}" if self.product_was else words

    @property
    def promised_last(self) -> date | None:
        """The promise of the latest delivery, else that of the order."""
        return self.promised if self.late_delivery is None else self.late_delivery.promised

    @property
    def late_words(self) -> str:
        """By how many days it is late, and which delivery, and by how many its promise is past; empty where it is in time."""
        said = [f"{counted(self.days_late, 'day')} late"] if self.days_late else []
        if said and self.late_delivery is not None and len(self.tranches) > 1:
            said = [f"delivery {self.late_delivery.number} is {said[0]}"]
        if self.days_overdue:
            said.append(f"{counted(self.days_overdue, 'day')} past its promise")
        return ", ".join(said)


class ChangeRow(NamedTuple):
    """A change order. `state` is open, approved or refused. `quantity` and `value` are the new totals, not what is added."""

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


ADOPTION = timedelta(seconds=1)
"""A key that an adoption replaces ends so much later, so that OpenSSH finds it valid for the adoption itself.

OpenSSH's times are whole seconds.
"""

REPLACED = "no longer named by the plan"
"""Why a key ended that an adoption replaced."""


class SignerKey(NamedTuple):
    """A person's public key (type and blob), and when its signatures are valid. `until` is None while it is not revoked."""

    person: str
    key: str
    since: datetime
    until: datetime | None
    reason: str = ""

    def counts_after(self, at: datetime) -> bool:
        """Return whether the key still counts for what is recorded now, at this time. Its end was recorded before that."""
        if self.until is None:
            return True
        return at < self.until - (ADOPTION if self.reason == REPLACED else timedelta())


class ReleaseRow(NamedTuple):
    """A release: a person permitted one run to change these hosts. It is `live` if no run used it and the attempt is the present."""

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
    """A preview: what check mode showed of a playbook, and the hosts that it would change.

    `differences` is the digest of that text in the evidence store.
    """

    hosts: tuple[str, ...]
    playbook_digest: str
    summary: str
    differences: str
    changed: tuple[str, ...]
    at: datetime


class NcrRow(NamedTuple):
    """A non-conformance. `decided` is the disposition that was decided, `disposition` the one with which it was closed.

    `inspections` counts how often the work was inspected again: attempts with a sign-off or a run, and new entries of items or
    readings that had failed.
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


class ItemReadingRow(NamedTuple):
    """One metric read at an item."""

    metric: str
    value: Value | None
    unit: str


class CheckRow(NamedTuple):
    """One entry of a checklist. It passed if `failing` is empty. `photos` are digests.

    `readings` are those at the item. They are filled in where a question asks for them.
    """

    seq: int
    attempt: int
    item: str
    failing: tuple[str, ...]
    readings: tuple[ItemReadingRow, ...]
    note: str
    serial: str
    photos: tuple[str, ...]
    ncr: str | None
    by: str
    at: datetime
