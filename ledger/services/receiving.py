"""A delivery held against its manifest: every difference is known before anything is recorded.

What is on the manifest and was scanned came; what is not on it is set aside and counts for nothing. Both files
are kept, and differences open a non-conformance against the order's activity.
"""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from pathlib import Path

from ledger import evidence
from ledger.database import Ledger
from ledger.events import Event
from ledger.manifest import Compared, compared, read_manifest, read_scan
from ledger.payloads import Difference, Left, TrancheReceived
from ledger.services.buying import outstanding, receivable, refuse_surplus, serials_received
from ledger.services.taking import take
from ledger.tables import Ncr
from ledger.writing import Writing
from steps.errors import InputError, NotSatisfiedError

MANIFEST, SCAN = "delivery-manifest", "delivery-scan"
"""The kinds of evidence under which both files are kept."""

NAMED = 20
"""How many differences a note spells out; the event holds all."""


def check_manifest(ledger: Ledger, actor: str, tranche_id: str, manifest: Path, scanned: Path) -> Compared:
    """Give what came and every difference; records nothing, and refuses what recording would refuse."""
    with ledger.write() as writing:
        return _checked(writing, actor, tranche_id, (_read(manifest), _read(scanned)), (manifest.name, scanned.name))


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
    """Record what came by serial number; `accept` are the differences that the actor has seen, as lines.

    A difference that is not among them is refused: someone else received meanwhile, or nobody looked.
    """
    contents = (_read(manifest), _read(scanned))
    names = (manifest.name, scanned.name)
    with ledger.write() as writing:
        _agreed(_checked(writing, actor, tranche_id, contents, names, at), tranche_id, accept)
    kept = (_kept(ledger, contents[0], MANIFEST, names[0]), _kept(ledger, contents[1], SCAN, names[1]))
    with ledger.write() as writing:
        found = _agreed(_checked(writing, actor, tranche_id, contents, names, at), tranche_id, accept)
        tranche = receivable(writing, actor, tranche_id, at)
        row = writing.activity(tranche_id.partition("#")[0])
        opens = not found.is_conforming
        payload = TrancheReceived(
            quantity=Decimal(len(found.came)),
            serials=found.came,
            note="; ".join(part for part in (note, summary(found)) if part),
            complete=outstanding(tranche) == len(found.came),
            manifest=kept[0],
            scan=kept[1],
            differences=tuple(Difference(serial=d.serial, why=d.why, where=d.where) for d in found.differences),
            ncr=writing.next_id(Ncr, "NCR") if opens else None,
            ncr_class=row.ncr_class if opens else "",
        )
        return writing.append(actor, payload, subject=tranche_id, at=at)


def summary(found: Compared) -> str:
    """Give the differences in one line, the first of them spelled out; empty where there is none."""
    if not found.differences:
        return ""
    counts: dict[str, int] = {}
    for difference in found.differences:
        counts[difference.why] = counts.get(difference.why, 0) + 1
    named = "; ".join(str(d) for d in found.differences[:NAMED])
    more = len(found.differences) - NAMED
    said = ", ".join(f"{n} {why}" for why, n in counts.items())
    return f"manifest and scan differ: {said}. {named}" + (f"; and {more} more" if more > 0 else "")


def _agreed(found: Compared, tranche: str, accept: tuple[str, ...]) -> Compared:
    """Give the comparison, once its every difference was seen and something came."""
    unseen = [str(d) for d in found.differences if str(d) not in accept]
    if unseen:
        raise NotSatisfiedError(
            f"{tranche}: manifest and scan differ: {'; '.join(unseen[:NAMED])}", hint="look, then accept them"
        )
    if not found.came:
        raise NotSatisfiedError(f"{tranche}: nothing on the manifest was scanned; there is nothing to record")
    return found


def _checked(
    writing: Writing,
    actor: str,
    tranche_id: str,
    contents: tuple[bytes, bytes],
    names: tuple[str, str],
    at: datetime | None = None,
) -> Compared:
    tranche = receivable(writing, actor, tranche_id, at)
    expected, there = read_manifest(contents[0], names[0]), read_scan(contents[1], names[1])
    found = compared(expected, there, serials_received(writing), tranche_id)
    if found.came:
        refuse_surplus(tranche, Decimal(len(found.came)))
    return found


def _read(path: Path) -> bytes:
    try:
        if path.stat().st_size > evidence.MAX_BYTES:
            raise InputError(f"{path} is over the limit of {evidence.MAX_BYTES:,} bytes")
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from None


def _kept(ledger: Ledger, content: bytes, kind: str, name: str) -> Left:
    """Keep a file under the site's rules of evidence."""
    taken = take(ledger, content, name)
    return Left(digest=taken.digest, evidence=kind, name=taken.name, size=taken.size)
