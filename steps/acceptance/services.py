"""Services of the operating system: failed units, the container runtime."""

from __future__ import annotations

import re
from decimal import Decimal

from steps.acceptance.handed import Found, Handed, number

UNIT = re.compile(r"(?:[●*×] )?(\S+)\s+\S+\s+failed\s+\S+.*")
VERSION = re.compile(
    r"Docker version (?P<docker>\d+)\.\d\S*(?:, build \S+)?"
    r"|containerd \S+ v?(?P<containerd>\d+)\.\d\S*(?: \S+)?"
    r"|podman version (?P<podman>\d+)\.\d\S*",
    re.ASCII,
)
OLDEST = {"docker": 20, "containerd": 1, "podman": 4}
"""The oldest supported major version of each container runtime; assumption."""


def failed_units(handed: Handed) -> Found:
    """Count units that systemd calls failed; systemctl prints nothing if there are none."""
    units: list[str] = []
    for line in filter(str.strip, handed.text("systemctl_failed").splitlines()):
        unit = UNIT.fullmatch(line.strip())
        if not unit:
            handed.garbled()
        units.append(unit[1])
    return Found(Decimal(len(units)), ", ".join(sorted(units)))


def runtime_supported(handed: Handed) -> Found:
    """Return whether the container runtime's major version is one that is supported; not measured if no runtime answers."""
    said = handed.text("docker").strip()
    found = VERSION.fullmatch(said)
    if not found:
        handed.garbled()
    ((name, major),) = ((name, major) for name, major in found.groupdict().items() if major)
    return Found(number(major) >= OLDEST[name], said)
