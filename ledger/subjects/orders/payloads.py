"""Orders, deliveries and change orders."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from ledger.log.payload import Decided, Left, Part, Payload


class OrderPlaced(Payload):
    """An order was placed. People of `organisation` report on it. `value` is in `currency`.

    `out_of_sequence` says why, if something before it was open. It is empty otherwise. `ordered` has the quantity of each delivery;
    before version 5 of the rules no event has the field.
    """

    kind = "order.placed"
    version = 3
    promised: date | None
    supplier: str
    reference: str
    value: Decimal | None
    currency: str
    budget_line: str
    organisation: str
    out_of_sequence: str
    ordered: dict[str, Decimal] | None = None


class OrderAcknowledged(Payload):
    """The supplier accepted an order. `reference` is the supplier's own."""

    kind = "order.acknowledged"
    on: date
    reference: str
    promised: date | None


class OrderPromised(Payload):
    """The supplier promised another delivery date."""

    kind = "order.promised"
    promised: date
    reason: str


class OrderExpedited(Payload):
    """An order or a delivery was expedited, so that it comes sooner. The cost may be 0."""

    kind = "order.expedited"
    reason: str
    cost: Decimal
    currency: str


class TrancheShipped(Payload):
    """A delivery left the supplier. `handling` says what its tilt and shock indicators must show."""

    kind = "tranche.shipped"
    shipped: date
    carrier: str
    tracking: str
    handling: str


class Difference(Part):
    """A serial number on which manifest, scan and record disagree. `why` is the kind of difference, for example `missing`.

    `where` names the lines of the file, or another delivery.
    """

    serial: str
    why: str
    where: str


class TrancheReceived(Payload):
    """All or a part of a delivery arrived. `complete` is true if nothing of it is outstanding.

    If it was compared with a manifest, the event names the manifest, the scan, every difference, and the non-conformance that
    differences open. `unscanned` says why pieces that have serial numbers were received without them.
    """

    kind = "tranche.received"
    version = 3
    quantity: Decimal
    serials: tuple[str, ...]
    note: str
    complete: bool
    manifest: Left | None
    scan: Left | None
    differences: tuple[Difference, ...]
    ncr: str | None
    ncr_class: str
    unscanned: str


class ChangeAsked(Payload):
    """A change order was requested: another quantity of a delivery, or another value of an order.

    `asked_in` is the currency of the value; before version 5 of the rules no event has the field.
    """

    kind = "change.asked"
    change: str
    quantity: Decimal | None
    value: Decimal | None
    reason: str
    asked_in: str | None = None


class ChangeDecided(Decided):
    """A change order was approved or refused. `completes` is true if the delivery is complete with the new quantity.

    `planned` is the quantity that the plan has of the delivery; before version 5 of the rules no event has the field.
    """

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
    planned: Decimal | None = None
