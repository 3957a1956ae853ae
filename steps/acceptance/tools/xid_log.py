"""Xid events of NVIDIA's driver in the kernel's log, with their meaning.

As with other kernel errors, a count of zero is measured only if the log reaches back to the boot.
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
ASKS = 154
RECOVERY = {"Drain and Reset": Severity.RESET, "GPU Reset": Severity.RESET, "Node Reboot": Severity.REBOOT}
"""The severity of what Xid 154 asks for, by its words."""


class Event(NamedTuple):
    """One Xid event: the GPU's address, its number, and the severity in this line."""

    gpu: str
    xid: Xid
    severity: Severity


def event_of(line: str) -> Event | None:
    """Return the Xid event in a line of the kernel's log, None if there is none."""
    match = LINE.search(line)
    return _event(match, line) if match else None


def events(handed: Handed) -> Found:
    """Count Xid events of any number."""
    found = _events(handed)
    return Found(Decimal(len(found)), _sentence(found))


def hardware_events(handed: Handed) -> Found:
    """Count Xid events that hardware may have caused."""
    found = [event for event in _events(handed) if event.xid.hardware]
    return Found(Decimal(len(found)), _sentence(found))


def _sentence(found: list[Event]) -> str:
    """Return up to three numbers with their meaning, and what the worst of all asks for."""
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
    said = [level for words, level in RECOVERY.items() if words in line]
    severity = said[0] if said and known.number == ASKS else known.severity
    return Event(match[1], known, severity)


TOOL = Tool(
    "NVIDIA driver",
    "kernel_log",
    "dmesg",
    (Metric("gpu.xid_events", "count", events), Metric("gpu.xid_hardware_events", "count", hardware_events)),
)
