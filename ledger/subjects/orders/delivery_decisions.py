"""Deliveries: record that they were shipped, and that they were received by quantity, serial number, or manifest.

A serial number counts as received if it is on the manifest and was scanned. One that was scanned and is not on the manifest
is set aside and does not count. Both files are stored. Differences open a non-conformance against the order's activity.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from ledger.evidence.store import content_of
from ledger.evidence.taking import Intake
from ledger.log.chain import Event
from ledger.log.payload import Left
from ledger.subjects.orders import delivery_making as made
from ledger.subjects.orders.delivery_making import FileRead, Kept
from ledger.subjects.orders.manifest_rules import Compared
from ledger.subjects.recording import about_supply
from ledger.writing import Ledger
from schedule.errors import NotSatisfiedError

MANIFEST, SCAN = "delivery-manifest", "delivery-scan"
"""The kinds of evidence as which both files are stored."""


ship = about_supply(made.left_supplier)
receive = about_supply(made.received)


def check_manifest(
    ledger: Ledger,
    actor: str,
    tranche_id: str,
    manifest: Path,
    scanned: Path,
) -> Compared:
    """Return what came and every difference, and record nothing. Raise the errors that recording would raise."""
    with ledger.write() as writing:
        return made.compared_delivery(writing.moment(), actor, tranche_id, _read(manifest), _read(scanned))


def receive_manifest(
    ledger: Ledger,
    actor: str,
    tranche_id: str,
    manifest: Path,
    scanned: Path,
    *,
    accept: tuple[str, ...] = (),
    note: str = "",
) -> Event:
    """Record a delivery by serial number. `accept` are the differences that the actor has seen, as `check_manifest` words them.

    Raise NotSatisfiedError for any other difference: nobody looked, or somebody else recorded a delivery in the meantime.
    """
    listed, scan = _read(manifest), _read(scanned)
    with ledger.write() as writing:  # before any file is stored, in case it is refused
        found = made.compared_delivery(writing.moment(), actor, tranche_id, listed, scan)
        _refuse_unseen(found, tranche_id, accept)
    intake = ledger.intake()
    kept = Kept(_kept(intake, listed, MANIFEST), _kept(intake, scan, SCAN))
    with ledger.write() as writing:
        moment = writing.moment()
        found = made.compared_delivery(moment, actor, tranche_id, listed, scan)
        _refuse_unseen(found, tranche_id, accept)
        payload = made.received_by_manifest(moment, tranche_id, found, kept, note)
        return writing.record(moment, actor, payload, subject=tranche_id)


def _kept(intake: Intake, file: FileRead, kind: str) -> Left:
    """Store a file under the site's rules of evidence. Return it as an event names it."""
    taken = intake.take(file.content, file.name)
    return Left(digest=taken.digest, evidence=kind, name=taken.name, size=taken.size)


def _refuse_unseen(found: Compared, tranche: str, accept: Collection[str]) -> None:
    """Raise for differences that the actor has not seen."""
    unseen = [str(difference) for difference in found.differences if str(difference) not in accept]
    if unseen:
        raise NotSatisfiedError(
            f"{tranche}: manifest and scan differ: {'; '.join(unseen[: made.NAMED])}",
            hint="look at them, then accept them",
        )


def _read(path: Path) -> FileRead:
    return FileRead(content_of(path, str(path)), path.name)
