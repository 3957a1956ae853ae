"""A host's own InfiniBand ports: ibstat.

The list has no end mark: a host that shows fewer ports than the design has rails is short of ports, never
complete, and where the design states no rails the number found is in the note.
"""

from __future__ import annotations

import re
from decimal import ROUND_DOWN, Decimal
from typing import NamedTuple

from steps.acceptance.handed import Found, Handed, NotMeasuredError, number
from steps.acceptance.metric import Metric, Tool

CARD = re.compile(r"^CA '(\S+)'$", re.MULTILINE)
PORT = re.compile(
    r"^\s+Port (\d+):\n\s+State: (\w+)\n\s+Physical state: (\w+)\n\s+Rate: (\d+)[^\n]*\n.*?"
    r"^\s+Link layer: (InfiniBand|IB|Ethernet)$",
    re.MULTILINE | re.DOTALL | re.ASCII,
)
PORTS = re.compile(r"^\s+Number of ports: (\d+)$", re.MULTILINE | re.ASCII)
SHARE = Decimal("0.000001")


class Port(NamedTuple):
    """A port of a card; the rate in Gbit/s."""

    name: str
    active: bool
    rate: Decimal


def devices(handed: Handed) -> Found:
    """Count ports that are active."""
    ports = _ports(handed)
    dark = [port.name for port in ports if not port.active]
    return Found(Decimal(len(ports) - len(dark)), f"down: {', '.join(dark)}" if dark else f"{len(ports)} ports")


def active_ratio(handed: Handed) -> Found:
    """Give the share of the planned rails, else of the ports there are, that is active, rounded down."""
    ports = _ports(handed)
    planned = max(Decimal(str(handed.design.get("rails") or 0)), Decimal(len(ports)))
    share = Decimal(sum(port.active for port in ports)) / planned
    return Found(share.quantize(SHARE, ROUND_DOWN).normalize(), f"{len(ports)} ports of {planned:f}")


def rate_min(handed: Handed) -> Found:
    """Give the Gbit/s of the slowest active port; fewer active ports than rails leave the slowest unknown."""
    ports = [port for port in _ports(handed) if port.active]
    rails = Decimal(str(handed.design.get("rails") or 1))
    if len(ports) < rails:
        raise NotMeasuredError(f"{len(ports)} ports are active, the design has {rails:f}")
    slowest = min(ports, key=lambda port: port.rate)
    return Found(slowest.rate, f"slowest: {slowest.name}")


def _ports(handed: Handed) -> list[Port]:
    parts = CARD.split(handed.text("ibstat"))
    found: list[Port] = []
    for card, text in zip(parts[1::2], parts[2::2], strict=True):
        own = [Port(f"{card}/{p[0]}", p[1] == "Active" and p[2] == "LinkUp", number(p[3])) for p in PORT.findall(text)]
        stated = PORTS.findall(text)
        if len(stated) != 1 or int(stated[0]) != len(own):
            handed.garbled()
        found += own
    if not found or parts[0].strip():
        handed.garbled()
    return found


TOOL = Tool(
    "ibstat",
    "ibstat",
    "ibstat",
    (
        Metric("rdma.rail_devices", "count", devices),
        Metric("rdma.port_active_ratio", "ratio", active_ratio),
        Metric("rdma.port_rate_min_gbit", "Gbit/s", rate_min),
    ),
)
