"""What may still come of one delivery, and what each serial number is that is scanned at the door."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import NamedTuple

from ledger.questions.orders import order_named, require_tranche, serials_received
from ledger.questions.snapshot import Snapshot
from ledger.subjects.orders.manifest_rules import BEFORE, ELSEWHERE, TWICE, UNEXPECTED, Received, Serials

EXPECTED = "expected"
COUNTED = "counts"
SURPLUS = "more than is outstanding"
NO_SERIAL = "no serial number"
LONGEST = 100
"""The most characters of a serial number, as `ledger.subjects.orders.manifest_rules` has it."""


class Awaited(NamedTuple):
    """A delivery at the door. `received` has every serial number that came before."""

    delivery: str
    title: str
    outstanding: Decimal
    unit_of_measure: str
    serialised: bool
    received: Received


class Scan(NamedTuple):
    """A scanned line. `said` is what it is; `counts` says whether it is a piece that came."""

    number: int
    serial: str
    said: str
    counts: bool


def awaited(snapshot: Snapshot, delivery: str) -> Awaited:
    """Return what is expected of a delivery. Raise InputError for an unknown id."""
    order, one = order_named(snapshot, delivery), require_tranche(snapshot, delivery)
    return Awaited(
        delivery,
        order.title,
        one.to_come,
        order.unit_of_measure,
        order.serialised,
        serials_received(snapshot),
    )


def judged(
    scanned: Iterable[str],
    of: Awaited,
    manifest: Serials | None,
) -> list[Scan]:
    """Return what each scanned line is, in the order of scanning. Without a manifest, as many count as are outstanding."""
    found: list[Scan] = []
    seen: set[str] = set()
    counted = 0
    for number, serial in enumerate(scanned, 1):
        said = _said(serial, of, manifest, seen, counted)
        counts = said in {EXPECTED, COUNTED}
        counted += counts
        seen.add(serial.casefold())
        found.append(Scan(number, serial, said, counts))
    return found


def missing(scans: Sequence[Scan], manifest: Serials) -> list[str]:
    """Return the serial numbers of the manifest that nobody scanned."""
    seen = {scan.serial.casefold() for scan in scans}
    return [entry.serial for key, entry in manifest.items() if key not in seen]


def _said(
    serial: str,
    of: Awaited,
    manifest: Serials | None,
    seen: set[str],
    counted: int,
) -> str:
    key = serial.casefold()
    if len(serial) > LONGEST or not serial.isprintable():
        return NO_SERIAL
    if key in seen:
        return TWICE
    if key in of.received:
        _, where = of.received[key]
        return BEFORE if where == of.delivery else f"{ELSEWHERE}: {where}"
    if manifest is not None:
        return EXPECTED if key in manifest else UNEXPECTED
    return COUNTED if counted < of.outstanding else SURPLUS
