"""Deliveries: record that they were shipped, and that they were received by quantity, serial number, or manifest.

A serial number counts as received if it is on the manifest and was scanned. One that was scanned and is not on the manifest
is set aside and does not count. Both files are stored. Differences open a non-conformance against the order's activity.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import NamedTuple

from ledger.evidence.store import content_of
from ledger.evidence.taking import Intake
from ledger.log.chain import Event
from ledger.log.payloads.base import Left
from ledger.log.payloads.orders import Difference, TrancheReceived, TrancheShipped
from ledger.questions.case import require_activity
from ledger.questions.orders import order_named, require_placed, require_tranche, serials_received
from ledger.questions.records import next_id
from ledger.questions.snapshot import Snapshot
from ledger.rules import orders as rules
from ledger.rules.manifest import Compared, compared, read_manifest, read_scan
from ledger.rules.rows import TrancheRow
from ledger.writing import Ledger, Transaction
from steps.errors import InputError, NotSatisfiedError

MANIFEST, SCAN = "delivery-manifest", "delivery-scan"
"""The kinds of evidence as which both files are stored."""

NAMED = 20
"""How many differences a note names. The event has all of them."""


class FileRead(NamedTuple):
    """A file that was read: its content and its name."""

    content: bytes
    name: str

    def kept(self, intake: Intake, kind: str) -> Left:
        """Store the file under the site's rules of evidence. Return it as an event names it."""
        taken = intake.take(self.content, self.name)
        return Left(digest=taken.digest, evidence=kind, name=taken.name, size=taken.size)


def ship(
    ledger: Ledger,
    actor: str,
    tranche_id: str,
    *,
    shipped: date,
    carrier: str,
    tracking: str = "",
    handling: str = "",
    at: datetime | None = None,
) -> Event:
    """Record that a delivery left the supplier. `handling` says what its tilt and shock indicators must show."""
    if not carrier.strip():
        raise InputError("a shipment needs a carrier", hint="add --carrier")
    with ledger.write() as writing:
        asked = writing.at(at)
        tranche, order = require_tranche(asked, tranche_id), require_placed(asked, tranche_id)
        writing.may(actor, "ship", tranche_id, organisation=order.organisation)
        if tranche.outstanding <= 0:
            raise NotSatisfiedError(f"{tranche_id} is received in full already")
        rules.refuse_ahead(shipped, "shipped", writing.latest_day)
        payload = TrancheShipped(shipped=shipped, carrier=carrier, tracking=tracking, handling=handling)
        return writing.append(actor, payload, subject=tranche_id, at=asked.now)


def receive(
    ledger: Ledger,
    actor: str,
    tranche_id: str,
    quantity: Decimal | float | None = None,
    *,
    serials: Sequence[str] = (),
    note: str = "",
    at: datetime | None = None,
) -> Event:
    """Record that a delivery arrived. Without a quantity, everything outstanding arrived.

    Activities that wait for the delivery may start when it is complete.
    """
    with ledger.write() as writing:
        asked = writing.at(at)
        tranche = _receivable(writing, asked, actor, tranche_id)
        left = tranche.outstanding
        came = left if quantity is None else Decimal(str(quantity))
        rules.refuse_serials(tranche_id, came, serials, serials_received(asked) if serials else {})
        rules.refuse_surplus(tranche, came)
        payload = TrancheReceived(
            quantity=came,
            serials=tuple(serials),
            note=note,
            complete=came == left,
            manifest=None,
            scan=None,
            differences=(),
            ncr=None,
            ncr_class="",
        )
        return writing.append(actor, payload, subject=tranche_id, at=asked.now)


def check_manifest(
    ledger: Ledger,
    actor: str,
    tranche_id: str,
    manifest: Path,
    scanned: Path,
) -> Compared:
    """Return what came and every difference, and record nothing. Raise the errors that recording would raise."""
    with ledger.write() as writing:
        asked = writing.at()
        tranche = _receivable(writing, asked, actor, tranche_id)
        return _compared(asked, tranche, _read(manifest), _read(scanned))


def receive_manifest(
    ledger: Ledger,
    actor: str,
    tranche_id: str,
    manifest: Path,
    scanned: Path,
    *,
    accept: tuple[str, ...] = (),
    note: str = "",
    at: datetime | None = None,
) -> Event:
    """Record a delivery by serial number. `accept` are the differences that the actor has seen, as `check_manifest` words them.

    Raise NotSatisfiedError for any other difference: nobody looked, or somebody else recorded a delivery in the meantime.
    """
    listed, scan = _read(manifest), _read(scanned)
    with ledger.write() as writing:  # before any file is stored, in case it is refused
        asked = writing.at(at)
        tranche = _receivable(writing, asked, actor, tranche_id)
        _refuse_unseen(_compared(asked, tranche, listed, scan), tranche_id, accept)
    intake = ledger.intake()
    kept = (listed.kept(intake, MANIFEST), scan.kept(intake, SCAN))
    with ledger.write() as writing:
        asked = writing.at(at)
        tranche = _receivable(writing, asked, actor, tranche_id)
        found = _compared(asked, tranche, listed, scan)
        _refuse_unseen(found, tranche_id, accept)
        activity, opens = require_activity(asked, tranche_id.partition("#")[0]), not found.is_conforming
        payload = TrancheReceived(
            quantity=Decimal(len(found.came)),
            serials=found.came,
            note="; ".join(part for part in (note, summary(found)) if part),
            complete=tranche.outstanding == len(found.came),
            manifest=kept[0],
            scan=kept[1],
            differences=tuple(Difference(**d._asdict()) for d in found.differences),
            ncr=next_id(asked, "ncr", "NCR") if opens else None,
            ncr_class=activity.plan.ncr_class if opens else "",
        )
        return writing.append(actor, payload, subject=tranche_id, at=asked.now)


def summary(found: Compared) -> str:
    """Return the differences in one line: how many of each kind, and the first ones by name. Empty if there are none."""
    if not found.differences:
        return ""
    counts = Counter(difference.why for difference in found.differences)
    named = "; ".join(map(str, found.differences[:NAMED]))
    more = len(found.differences) - NAMED
    counted = ", ".join(f"{n} {why}" for why, n in counts.items())
    return f"manifest and scan differ: {counted}. {named}" + (f"; and {more} more" if more > 0 else "")


def _receivable(writing: Transaction, asked: Snapshot, actor: str, tranche_id: str) -> TrancheRow:
    """Return a delivery that can be received now. Raise if it cannot, or if the actor may not record it."""
    writing.may(actor, "receive", tranche_id)
    tranche = require_tranche(asked, tranche_id)
    rules.refuse_unreceivable(order_named(asked, tranche_id), tranche, asked.now)
    return tranche


def _refuse_unseen(found: Compared, tranche: str, accept: Collection[str]) -> None:
    """Raise for differences that the actor has not seen, and if nothing came."""
    unseen = [str(difference) for difference in found.differences if str(difference) not in accept]
    if unseen:
        raise NotSatisfiedError(
            f"{tranche}: manifest and scan differ: {'; '.join(unseen[:NAMED])}",
            hint="look at them, then accept them",
        )
    if not found.came:
        raise NotSatisfiedError(f"{tranche}: nothing on the manifest was scanned; there is nothing to record")


def _compared(asked: Snapshot, tranche: TrancheRow, manifest: FileRead, scan: FileRead) -> Compared:
    expected, there = read_manifest(*manifest), read_scan(*scan)
    found = compared(expected, there, serials_received(asked), tranche.id)
    if found.came:
        rules.refuse_surplus(tranche, Decimal(len(found.came)))
    return found


def _read(path: Path) -> FileRead:
    return FileRead(content_of(path, str(path)), path.name)
