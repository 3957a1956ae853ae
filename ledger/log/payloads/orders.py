"""Orders, deliveries and their changes."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from ledger.log.payloads.base import Decided, Left, Part, Payload


class OrderPlaced(Payload):
    """An order went out; `organisation` is whose people report on it, `value` is in `currency`."""

    kind = "order.placed"
    version = 2
    promised: date | None
    supplier: str
    reference: str
    value: Decimal | None
    currency: str
    budget_line: str
    organisation: str


class OrderAcknowledged(Payload):
    """The supplier accepted an order on a day, under its own reference."""

    kind = "order.acknowledged"
    on: date
    reference: str
    promised: date | None


class OrderPromised(Payload):
    """The supplier named another date."""

    kind = "order.promised"
    promised: date
    reason: str


class OrderExpedited(Payload):
    """Somebody pays, or presses, for an order or a delivery to come sooner."""

    kind = "order.expedited"
    reason: str
    cost: Decimal
    currency: str


class TrancheShipped(Payload):
    """A delivery left the supplier; `handling` is what tilt and shock indicators are to show."""

    kind = "tranche.shipped"
    shipped: date
    carrier: str
    tracking: str
    handling: str


class Difference(Part):
    """A serial number on which manifest, scan and record disagree; `why` is the sort, `where` lines or a delivery."""

    serial: str
    why: str
    where: str


class TrancheReceived(Payload):
    """Something arrived; `complete` when the whole delivery is here.

    Where it was held against a manifest, both files and every difference are named, and the non-conformance.
    """

    kind = "tranche.received"
    version = 2
    quantity: Decimal
    serials: tuple[str, ...]
    note: str
    complete: bool
    manifest: Left | None
    scan: Left | None
    differences: tuple[Difference, ...]
    ncr: str | None
    ncr_class: str


class ChangeAsked(Payload):
    """Somebody asks for another quantity of a delivery, or another value of an order."""

    kind = "change.asked"
    change: str
    quantity: Decimal | None
    value: Decimal | None
    reason: str


class ChangeDecided(Decided):
    """A change order is approved or refused; `completes` says that what came is then all of the delivery."""

    kind = "change.decided"
    change: str
    approved: bool
    meaning: str
    asked_by: str
    quantity: Decimal | None
    quantity_before: Decimal | None
    value: Decimal | None
    value_before: Decimal | None
    currency: str
    completes: bool
    role: str
    reason: str
