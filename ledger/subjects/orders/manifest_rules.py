"""Comparing a supplier's manifest with what was scanned at the door and with what was received before.

Upper and lower case of serial numbers are the same, and the manifest's spelling is recorded. A manifest that names a serial
number twice is refused. A scanner that reads one twice is only noted.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from schedule.csv_lines import numbered_rows, text_of
from schedule.errors import InputError

HEADERS = frozenset({"serial", "serialnumber", "serialno", "sn"})
"""Accepted headers of the column of serial numbers, in lower case and without spaces and punctuation."""

MISSING = "missing"
UNEXPECTED = "unexpected"
TWICE = "scanned twice"
ELSEWHERE = "received elsewhere"
BEFORE = "received before"


class ManifestEntry(NamedTuple):
    """A serial number and its lines, counted from 1."""

    serial: str
    lines: tuple[int, ...]


Serials = Mapping[str, ManifestEntry]
"""The serial numbers of a file, by their case-folded form."""

Received = Mapping[str, tuple[str, str]]
"""Serial numbers that were received, by their case-folded form: how each was written, and the delivery in which it came."""


class Mismatch(NamedTuple):
    """A serial number on which manifest, scan and record disagree. `why` is the kind of difference.

    `where` names lines of a file, or a delivery.
    """

    serial: str
    why: str
    where: str

    def __str__(self) -> str:
        """Return it as one line."""
        return f"{self.serial}: {self.why}" + (f" ({self.where})" if self.where else "")


class Compared(NamedTuple):
    """The serial numbers that are on the manifest and were scanned, and every difference."""

    came: tuple[str, ...]
    differences: tuple[Mismatch, ...]

    @property
    def is_conforming(self) -> bool:
        """True if the only differences are serial numbers that were scanned twice."""
        return all(d.why == TWICE for d in self.differences)


def read_manifest(content: bytes, name: str = "the manifest") -> Serials:
    """Return a manifest's serial numbers. Raise for one that is there twice, with its lines."""
    rows = numbered_rows(content, name)
    column = _column(rows[0][1] if rows else [], name)
    found: dict[str, ManifestEntry] = {}
    for line, row in rows[1:]:
        serial = row[column].strip() if len(row) > column else ""
        if serial:
            _add(found, serial, line)
        elif any(cell.strip() for cell in row):
            raise InputError(f"{name}, line {line}: there is no serial number")
    repeated = [entry for entry in found.values() if len(entry.lines) > 1]
    if repeated:
        twice = [f"{entry.serial} on lines {', '.join(map(str, entry.lines))}" for entry in repeated]
        raise InputError(
            f"{name} names a serial number twice: {'; '.join(twice)}",
            hint="ask the supplier for a manifest that is right; nothing was recorded",
        )
    if not found:
        raise InputError(f"{name} names no serial number")
    return found


def read_scan(content: bytes, name: str = "the scan") -> Serials:
    """Return the serial numbers in a scanner's file, one on each line."""
    found: dict[str, ManifestEntry] = {}
    for line, text in enumerate(text_of(content, name).splitlines(), start=1):
        if text.strip():
            _add(found, text.strip(), line)
    if not found:
        raise InputError(f"{name} holds no serial number", hint="one a line")
    return found


def compared(manifest: Serials, scan: Serials, received: Received, tranche: str) -> Compared:
    """Compare a scan with its manifest and with what was received before."""
    came: list[str] = []
    found: list[Mismatch] = []
    for key, entry in manifest.items():
        before = received.get(key)
        if before is not None and (key in scan or before[1] != tranche):
            found.append(_earlier(entry, before[1], tranche))
        elif before is None and key in scan:
            came.append(entry.serial)
        elif before is None:
            found.append(Mismatch(entry.serial, MISSING, f"manifest line {entry.lines[0]}"))
    for key, entry in scan.items():
        if len(entry.lines) > 1:
            found.append(Mismatch(entry.serial, TWICE, f"scan lines {', '.join(map(str, entry.lines))}"))
        if key not in manifest:
            found.append(Mismatch(entry.serial, UNEXPECTED, f"scan line {entry.lines[0]}"))
            if key in received:
                found.append(_earlier(entry, received[key][1], tranche))
    return Compared(tuple(came), tuple(found))


def _earlier(entry: ManifestEntry, delivery: str, tranche: str) -> Mismatch:
    return Mismatch(entry.serial, BEFORE if delivery == tranche else ELSEWHERE, delivery)


def _column(header: list[str], name: str) -> int:
    plain = ["".join(filter(str.isalnum, cell.casefold())) for cell in header]
    wanted = [index for index, cell in enumerate(plain) if cell in HEADERS]
    if len(wanted) != 1:
        what = f"{len(wanted)} columns of serial numbers" if wanted else "no serial column"
        raise InputError(f"{name} has {what}", hint="a CSV whose first line names one column `serial`")
    return wanted[0]


def _add(found: dict[str, ManifestEntry], serial: str, line: int) -> None:
    if len(serial) > 100 or not serial.isprintable():
        raise InputError(f"line {line}: {serial[:40]!r} is no serial number")
    entry = found.get(serial.casefold(), ManifestEntry(serial, ()))
    found[serial.casefold()] = entry._replace(lines=(*entry.lines, line))
