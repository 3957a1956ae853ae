"""Services of the operating system: failed units, the container runtime."""

from __future__ import annotations

import re
from decimal import Decimal

from steps.acceptance.handed import Found, Handed, number

UNIT = re.compile(r"(?:[●*×] )?(\S+)\s+\S+\s+failed\s+\S+.*")
VERSION = re.compile(
    r"Docker version (\d+)\.\d\S*(?:, build \S+)?"
    r"|containerd \S+ v?(\d+)\.\d\S*(?: \S+)?"
    r"|podman version (\d+)\.\d\S*",
    re.ASCII,
)


def failed_units(handed: Handed) -> Found:
    """Count units that systemd calls failed; systemctl prints nothing if there are none."""
    units: list[str] = []
    for line in filter(str.strip, handed.text("systemctl_failed").splitlines()):
        unit = UNIT.fullmatch(line.strip())
        if not unit:
            handed.garbled()
        units.append(unit[1])
    return Found(Decimal(len(units)), ", ".join(sorted(units)))


def runtime_present(handed: Handed) -> Found:
    """Return that a container runtime answers; it is not measured if none does."""
    said, _ = _runtime(handed)
    return Found(value=True, note=said)


def runtime_major(handed: Handed) -> Found:
    """Return the first number of the container runtime's version."""
    said, major = _runtime(handed)
    return Found(number(major), said)


def _runtime(handed: Handed) -> tuple[str, str]:
    said = handed.text("docker").strip()
    found = VERSION.fullmatch(said)
    if not found:
        handed.garbled()
    return said, next(filter(None, found.groups()))
