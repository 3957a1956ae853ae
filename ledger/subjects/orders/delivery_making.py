"""Payloads about deliveries: shipped, received by quantity or by serial number, and received by manifest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from typing import NamedTuple

from ledger.evidence.store import load
from ledger.log.chain import Event
from ledger.log.payload import Left, Payload
from ledger.questions.case import require_activity
from ledger.questions.moment import Moment
from ledger.questions.orders import order_named, require_placed, require_tranche, serials_received
from ledger.rules.rows import TrancheRow
from ledger.rules.version import DATES_AND_TIMES, ITEMS_AND_WAIVERS
from ledger.subjects.again import Tables, about_supply
from ledger.subjects.orders import rules
from ledger.subjects.orders.manifest_rules import Compared, compared, read_manifest, read_scan
from ledger.subjects.orders.payloads import Difference, TrancheReceived, TrancheShipped
from schedule.errors import InputError, NotSatisfiedError
from steps.amount import first_of

NAMED = 20
"""How many differences a note names. The event has all of them."""


class FileRead(NamedTuple):
    """A file that was read: its content and its name."""

    content: bytes
    name: str


class Kept(NamedTuple):
    """A manifest and a scan as they are stored."""

    manifest: Left
    scan: Left


def left_supplier(
    moment: Moment,
    actor: str,
    tranche_id: str,
    *,
    shipped: date,
    carrier: str,
    tracking: str = "",
    handling: str = "",
) -> TrancheShipped:
    """Return that a delivery left the supplier. `handling` says what its tilt and shock indicators must show."""
    if not carrier.strip():
        raise InputError("a shipment needs a carrier", hint="add --carrier")
    tranche = require_tranche(moment.snapshot, tranche_id)
    order = require_placed(moment.snapshot, tranche_id)
    moment.may(actor, "ship", tranche_id, organisation=order.organisation)
    rules.refuse_nothing_to_come(order, tranche)
    rules.refuse_ahead(shipped, "shipped", moment.latest_day)
    if moment.rules >= DATES_AND_TIMES:
        rules.refuse_before_order(order, shipped, "shipped")
    return TrancheShipped(shipped=shipped, carrier=carrier, tracking=tracking, handling=handling)


def receivable(moment: Moment, actor: str, tranche_id: str) -> TrancheRow:
    """Return a delivery that can be received now. Raise if it cannot, or if the actor may not record it."""
    moment.may(actor, "receive", tranche_id)
    tranche = require_tranche(moment.snapshot, tranche_id)
    rules.refuse_unreceivable(order_named(moment.snapshot, tranche_id), tranche, moment.snapshot.now)
    return tranche


def received(
    moment: Moment,
    actor: str,
    tranche_id: str,
    quantity: Decimal | float | None = None,
    *,
    serials: Sequence[str] = (),
    note: str = "",
    unscanned: str = "",
) -> TrancheReceived:
    """Return that a delivery arrived. Without a quantity, everything arrived that is still to come.

    Activities that wait for the delivery may start when it is complete. `unscanned` says why pieces that have serial numbers
    are received without them.
    """
    tranche = receivable(moment, actor, tranche_id)
    order = order_named(moment.snapshot, tranche_id)
    came = tranche.to_come if quantity is None else Decimal(str(quantity))
    if moment.rules >= ITEMS_AND_WAIVERS and came != tranche.to_come:
        rules.refuse_fraction(order, came)
    rules.refuse_serials(tranche_id, came, serials, serials_received(moment.snapshot) if serials else {})
    rules.refuse_surplus(tranche, came)
    rules.refuse_unscanned(order, tranche_id, came, serials, unscanned)
    return TrancheReceived(
        quantity=came,
        serials=tuple(serials),
        note=note,
        complete=came == tranche.outstanding,
        manifest=None,
        scan=None,
        differences=(),
        ncr=None,
        ncr_class="",
        unscanned=unscanned.strip(),
    )


def compared_delivery(
    moment: Moment,
    actor: str,
    tranche_id: str,
    manifest: FileRead,
    scan: FileRead,
) -> Compared:
    """Return what came by manifest and scan, and every difference. Raise if the actor may not record it, or if more came than is outstanding."""
    tranche = receivable(moment, actor, tranche_id)
    expected, there = read_manifest(*manifest), read_scan(*scan)
    found = compared(expected, there, serials_received(moment.snapshot), tranche.id)
    if found.came:
        rules.refuse_surplus(tranche, Decimal(len(found.came)))
    return found


def received_by_manifest(
    moment: Moment,
    tranche_id: str,
    found: Compared,
    kept: Kept,
    note: str,
) -> TrancheReceived:
    """Return that a delivery arrived, by serial number. Differences open a non-conformance against the order's activity."""
    if not found.came:
        raise NotSatisfiedError(f"{tranche_id}: nothing on the manifest was scanned; there is nothing to record")
    tranche = require_tranche(moment.snapshot, tranche_id)
    activity = require_activity(moment.snapshot, tranche_id.partition("#")[0])
    opens = not found.is_conforming
    return TrancheReceived(
        quantity=Decimal(len(found.came)),
        serials=found.came,
        note="; ".join(part for part in (note, summary(found)) if part),
        complete=tranche.outstanding == len(found.came),
        manifest=kept.manifest,
        scan=kept.scan,
        differences=tuple(Difference(**d._asdict()) for d in found.differences),
        ncr=moment.next_id("ncr") if opens else None,
        ncr_class=activity.plan.ncr_class if opens else "",
        unscanned="",
    )


def summary(found: Compared) -> str:
    """Return the differences in one line: how many of each kind, and the first ones by name. Empty if there are none."""
    if not found.differences:
        return ""
    counts = Counter(difference.why for difference in found.differences)
    named = first_of([*map(str, found.differences)], NAMED, "; ")
    counted = ", ".join(f"{n} {why}" for why, n in counts.items())
    return f"manifest and scan differ: {counted}. {named}"


def _stored(moment: Moment, left: Left) -> FileRead:
    return FileRead(load(moment.snapshot.site_dir, left.digest), left.name)


_by_quantity = about_supply(received)


def _received_again(moment: Moment, event: Event, p: TrancheReceived) -> Payload:
    """Return a receipt again. Manifest and scan are read from the evidence store and compared again."""
    if p.manifest is None or p.scan is None:
        return _by_quantity(moment, event, p)
    manifest, scan = _stored(moment, p.manifest), _stored(moment, p.scan)
    found = compared_delivery(moment, event.actor, event.subject, manifest, scan)
    note = p.note.removesuffix(summary(found)).removesuffix("; ")
    return received_by_manifest(moment, event.subject, found, Kept(p.manifest, p.scan), note)


AGAIN: Tables = {
    TrancheShipped: about_supply(left_supplier),
    TrancheReceived: _received_again,
}
