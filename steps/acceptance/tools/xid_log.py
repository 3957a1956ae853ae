"""Xid events of NVIDIA's driver out of the kernel's log, read with the table of what they mean.

As with other kernel errors, what is in the log counts, and nought counts only of a log that reaches back to
the boot.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import NamedTuple

from steps.acceptance.handed import Found, Handed, NotMeasuredError
from steps.acceptance.kernel import BOOT
from steps.acceptance.metric import Metric, Tool
from steps.acceptance.severity import ACTIONS, Severity, worst
from steps.acceptance.xids import Xid, xid

LINE = re.compile(
    r"NVRM: Xid \((?:PCI:)?([0-9a-f:.]+?)(?: GPU-I:\d+| GPU-CI:\d+)*\): (\d{1,3}),", re.IGNORECASE | re.ASCII
)
RECOVERY = {"Drain and Reset": Severity.RESET, "GPU Reset": Severity.RESET, "Node Reboot": Severity.REBOOT}
"""What Xid 154 asks for, in its own words."""


class Event(NamedTuple):
    """One Xid event: the GPU's address, what it is, and how bad in this line."""

    gpu: str
    xid: Xid
    severity: Severity


def event_of(line: str) -> Event | None:
    """Give the Xid event of a line of the kernel's log, None where it has none."""
    match = LINE.search(line)
    return _event(match, line) if match else None


def events(handed: Handed) -> Found:
    """Count Xid events of whatever number."""
    found = _events(handed)
    return Found(Decimal(len(found)), _sentence(found))


def hardware_events(handed: Handed) -> Found:
    """Count Xid events that hardware may be to blame for."""
    found = [event for event in _events(handed) if event.xid.hardware]
    return Found(Decimal(len(found)), _sentence(found))


def _sentence(found: list[Event]) -> str:
    """Name the numbers, and what the worst of them asks for."""
    level = worst([event.severity for event in found])
    if level is None:
        return ""
    said = dict.fromkeys(f"{event.gpu} Xid {event.xid.number}: {event.xid.meaning}" for event in found)
    return f"{'; '.join(list(said)[:3])}; {ACTIONS[level].sentence}"


def _events(handed: Handed) -> list[Event]:
    lines = handed.text("kernel_log").splitlines()
    found = [_event(match, line) for line in lines if (match := LINE.search(line))]
    if sum("Xid (" in line for line in lines) > len(found):
        handed.garbled()
    if not found and not any(BOOT in line for line in lines[:5]):
        raise NotMeasuredError("the kernel log does not reach back to the boot, or is readable by root only")
    return found


def _event(match: re.Match[str], line: str) -> Event:
    known = xid(int(match[2]))
    asked = next((level for words, level in RECOVERY.items() if known.number == 154 and words in line), known.severity)
    return Event(match[1], known, asked)


TOOL = Tool(
    "NVIDIA driver",
    "kernel_log",
    "dmesg",
    (Metric("gpu.xid_events", "count", events), Metric("gpu.xid_hardware_events", "count", hardware_events)),
)
