"""What a supplier's manifest says, what was scanned at the door, and where the two and the record disagree.

Serial numbers are compared without regard to case and kept as the manifest writes them. A manifest that names one twice is
refused. A scanner that reads one twice is a remark.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ledger.rules.csv_lines import numbered_rows, text_of
from steps.errors import InputError

HEADERS = frozenset({"serial", "serialnumber", "serialno", "sn"})
"""What the column of serial numbers may be called, without spaces and marks."""

MISSING = "missing"
UNEXPECTED = "unexpected"
TWICE = "scanned twice"
ELSEWHERE = "received elsewhere"
BEFORE = "received before"


class ManifestEntry(NamedTuple):
    """A serial number and the lines on which it is, counted from 1."""

    serial: str
    lines: tuple[int, ...]


class Mismatch(NamedTuple):
    """A serial number on which the papers disagree; `why` is the sort, `where` lines or a delivery."""

    serial: str
    why: str
    where: str

    def __str__(self) -> str:
        """Return it as one line."""
        return f"{self.serial}: {self.why}" + (f" ({self.where})" if self.where else "")


class Compared(NamedTuple):
    """What came as the manifest says, and every difference."""

    came: tuple[str, ...]
    differences: tuple[Mismatch, ...]

    @property
    def is_conforming(self) -> bool:
        """True where nothing but a second reading by the scanner stands out."""
        return all(d.why == TWICE for d in self.differences)


def read_manifest(content: bytes, name: str = "the manifest") -> dict[str, ManifestEntry]:
    """Return a manifest's serial numbers by their folded form. Raise for one that is there twice, with its lines."""
    rows = numbered_rows(content, name)
    column = _column(rows[0][1] if rows else [], name)
    found: dict[str, ManifestEntry] = {}
    for line, row in rows[1:]:
        serial = row[column].strip() if len(row) > column else ""
        if not serial and not any(cell.strip() for cell in row):
            continue
        if not serial:
            raise InputError(f"{name}, line {line}: there is no serial number")
        _add(found, serial, line)
    twice = [f"{e.serial} on lines {', '.join(map(str, e.lines))}" for e in found.values() if len(e.lines) > 1]
    if twice:
        raise InputError(
            f"{name} names a serial number twice: {'; '.join(twice)}",
            hint="ask the supplier for a manifest that is right; nothing was recorded",
        )
    if not found:
        raise InputError(f"{name} names no serial number")
    return found


def read_scan(content: bytes, name: str = "the scan") -> dict[str, ManifestEntry]:
    """Return the serial numbers that a scanner wrote, one a line, by their folded form."""
    found: dict[str, ManifestEntry] = {}
    for line, text in enumerate(text_of(content, name).splitlines(), start=1):
        if text.strip():
            _add(found, text.strip(), line)
    if not found:
        raise InputError(f"{name} holds no serial number", hint="one a line")
    return found


def compared(
    manifest: Mapping[str, ManifestEntry],
    scan: Mapping[str, ManifestEntry],
    received: Mapping[str, tuple[str, str]],
    tranche: str,
) -> Compared:
    """Compare a scan with its manifest and with what was received earlier (folded serial to serial, delivery)."""
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
    plain = ["".join(c for c in cell.casefold() if c.isalnum()) for cell in header]
    wanted = [index for index, cell in enumerate(plain) if cell in HEADERS]
    if len(wanted) != 1:
        raise InputError(
            f"{name} has {len(wanted) or 'no'} columns of serial numbers" if wanted else f"{name} has no serial column",
            hint="a CSV whose first line names one column `serial`",
        )
    return wanted[0]


def _add(found: dict[str, ManifestEntry], serial: str, line: int) -> None:
    if len(serial) > 100 or not serial.isprintable():
        raise InputError(f"line {line}: {serial[:40]!r} is no serial number")
    held = found.get(serial.casefold())
    found[serial.casefold()] = ManifestEntry(held.serial if held else serial, (*(held.lines if held else ()), line))
