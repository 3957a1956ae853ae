"""Error counters of ports before and after a soak: perfquery's on InfiniBand, the kernel's on Ethernet. Only their growth counts.

A counter that is lower afterwards was cleared in between and is not measured, and neither is one that is at its limit.
"""

from __future__ import annotations

import re
from decimal import Decimal
from functools import partial

from steps.acceptance.handed import Found, Handed, NotMeasuredError, number
from steps.acceptance.metric import Metric, Tool

HEAD = re.compile(r"^# Port (?:extended )?counters: (.+?)(?: \(CapMask: \w+\))?$", re.MULTILINE)
COUNTER = re.compile(r"^(\w+):\.*(\d+|0x[0-9a-f]+)$", re.MULTILINE | re.ASCII)
LAST = "PortXmitWait"
"""The last counter of a port; a port without it was cut."""

SYMBOL, DOWN = ("SymbolErrorCounter",), ("LinkDownedCounter",)
ERRORS = (
    "SymbolErrorCounter",
    "LinkErrorRecoveryCounter",
    "LinkDownedCounter",
    "PortRcvErrors",
    "PortRcvRemotePhysicalErrors",
    "LocalLinkIntegrityErrors",
    "ExcessiveBufferOverrunErrors",
)
FULL = {255, 65535, 4294967295}

Ports = dict[str, dict[str, Decimal]]


def _growth(handed: Handed, counters: tuple[str, ...]) -> Found:
    """Count by how much counters grew during the soak."""
    before, after = _ports(handed, "perfquery_before"), _ports(handed, "perfquery")
    if set(before) != set(after):
        raise NotMeasuredError("perfquery read other ports after the soak than before")
    total, bad = Decimal(0), []
    for port, now in after.items():
        for counter in counters:
            grown = now[counter] - before[port][counter]
            if grown < 0:
                raise NotMeasuredError(f"{counter} of {port} was cleared during the soak")
            if int(before[port][counter]) in FULL:
                raise NotMeasuredError(f"{counter} of {port} is at its limit; clear it with perfquery -R")
            if grown:
                bad.append(f"{port} {counter}: {grown}")
            total += grown
    return Found(total, "; ".join(bad[:5]))


def _ports(handed: Handed, name: str) -> Ports:
    """Return the counters of every port. A host that hands over its neighbours by LLDP alone is on an Ethernet fabric."""
    if handed.named("lldp") and not handed.named("ibnetdiscover"):
        return _ethernet(handed, name.replace("perfquery", "port_counters"))
    return _infiniband(handed, name)


def _ethernet(handed: Handed, name: str) -> Ports:
    """Return the kernel's counters of the planned ports: how often each went down, and frames with a wrong sum or of a wrong length."""
    found: Ports = {}
    for line in handed.text(name).splitlines():
        port, down, *broken = line.split()
        if len(broken) != 2 or port in found:
            handed.garbled()
        found[port] = dict.fromkeys(ERRORS, Decimal(0)) | {
            "LinkDownedCounter": number(down),
            "SymbolErrorCounter": sum(map(number, broken), Decimal(0)),
        }
    planned = handed.document("planned_ends")
    if missing := sorted(set(planned) - set(found)):
        raise NotMeasuredError(f"{', '.join(missing)} is not there")
    return {port: found[port] for port in planned}


def _infiniband(handed: Handed, name: str) -> Ports:
    ports: Ports = {}
    for port, text in handed.sections(name, HEAD, (0,)):
        lines = [line for line in text.splitlines() if line.strip()]
        said = COUNTER.findall(text)
        found = {counter: Decimal(int(value, 0)) for counter, value in said}
        if len(found) != len(lines) or port in ports:
            handed.garbled()
        if not {LAST, *ERRORS} <= set(found):
            handed.garbled()
        ports[port] = found
    return ports


TOOL = Tool(
    "perfquery",
    "perfquery",
    "perfquery LID PORT",
    (
        Metric("port.symbol_error_growth", "count", partial(_growth, counters=SYMBOL)),
        Metric("port.link_down_growth", "count", partial(_growth, counters=DOWN)),
        Metric("port.error_growth", "count", partial(_growth, counters=ERRORS)),
    ),
)
