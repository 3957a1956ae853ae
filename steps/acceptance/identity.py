"""The identity of a server: serial number and firmware, from the DMI files and the firmware list."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from decimal import Decimal

from steps.acceptance.handed import Found, Handed, NotMeasuredError

PLACEHOLDERS = {
    "",
    "0",
    "0123456789",
    "none",
    "n/a",
    "default string",
    "not applicable",
    "not available",
    "not specified",
    "system serial number",
    "to be filled by o.e.m.",
    "unknown",
}
"""What makers leave in place of a value."""


def serial_recorded(handed: Handed) -> Found:
    """Return whether the server has a serial number that is not a placeholder of its maker."""
    serial = _dmi(handed, "product_serial")
    if serial is None:
        raise NotMeasuredError("product_serial was not readable; let the playbook become root")
    return Found(serial.casefold() not in PLACEHOLDERS and set(serial) != {"0"}, serial)


def bios_age_days(handed: Handed) -> Found:
    """Return the days since the firmware's release; a date in the future means a wrong clock and is not measured."""
    said = _dmi(handed, "bios_date")
    if said is None:
        raise NotMeasuredError("the host states no bios_date")
    released = datetime.strptime(said, "%m/%d/%Y").date()  # noqa: DTZ007  a date has no zone
    if released > handed.today + timedelta(days=1):
        raise NotMeasuredError(f"bios_date {said} is in the future")
    return Found(Decimal(max((handed.today - released).days, 0)), said)


def components_unversioned(handed: Handed) -> Found:
    """Count firmware components without a version; an empty list is not measured."""
    components = list(_pairs(handed, "firmware"))
    if not components:
        raise NotMeasuredError("no firmware component was listed")
    bare = sorted(name for name, version in components if version.casefold() in PLACEHOLDERS - {"0"})
    return Found(Decimal(len(bare)), ", ".join(bare))


def _dmi(handed: Handed, key: str) -> str | None:
    """Return a DMI value, None if it is absent; a key that occurs twice is garbled."""
    found = [value for name, value in _pairs(handed, "dmi") if name == key]
    if len(found) > 1:
        handed.garbled()
    return found[0] if found else None


def _pairs(handed: Handed, name: str) -> Iterator[tuple[str, str]]:
    """Yield the pairs of `key=value` lines; a line without `=` is garbled. Two drives may share a name."""
    for line in filter(str.strip, handed.text(name).splitlines()):
        key, sign, value = line.partition("=")
        if not sign or not key.strip():
            handed.garbled()
        yield key.strip(), value.strip()
