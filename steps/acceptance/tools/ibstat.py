"""A host's own InfiniBand ports: ibstat.

The list has no end mark. If a host shows fewer ports than the design has rails, ports are missing. If the design has no
rails, the note says how many ports were found.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import NamedTuple

from steps.acceptance.handed import Found, Handed, NotMeasuredError, number, share_of
from steps.acceptance.metric import Metric, Tool

CARD = re.compile(r"^CA '(\S+)'$", re.MULTILINE)
PORT = re.compile(
    r"^\s+Port (\d+):\n\s+State: (\w+)\n\s+Physical state: (\w+)\n\s+Rate: (\d+)[^\n]*\n"
    r"(?:(?!\s+Port \d).*\n)*?\s+Link layer: (InfiniBand|IB|Ethernet)$",
    re.MULTILINE | re.ASCII,
)
PORTS = re.compile(r"^\s+Number of ports: (\d+)$", re.MULTILINE | re.ASCII)


class Port(NamedTuple):
    """A port of a card; the rate is in Gbit/s."""

    name: str
    active: bool
    rate: Decimal


def active_ratio(handed: Handed) -> Found:
    """Return the share of active ports, rounded down: of the planned rails, or of the ports if there are more."""
    ports = _ports(handed)
    rails = Decimal(str(handed.design.get("rails") or 0))
    planned = max(rails, Decimal(len(ports)))
    active = sum(port.active for port in ports)
    return Found(share_of(active, planned), f"{len(ports)} ports of {planned:f}")


def rate_min(handed: Handed) -> Found:
    """Return the Gbit/s of the slowest active port; not measured with fewer active ports than rails."""
    ports = [port for port in _ports(handed) if port.active]
    rails = Decimal(str(handed.design.get("rails") or 1))
    if len(ports) < rails:
        raise NotMeasuredError(f"{len(ports)} ports are active, the design has {rails:f}")
    slowest = min(ports, key=lambda port: port.rate)
    return Found(slowest.rate, f"slowest: {slowest.name}")


def _ports(handed: Handed) -> list[Port]:
    found: list[Port] = []
    for card, text in handed.sections("ibstat", CARD, (0,)):
        own = [_port(card, said) for said in PORT.finditer(text)]
        stated = PORTS.findall(text)
        if len(stated) != 1 or int(stated[0]) != len(own):
            handed.garbled()
        found += own
    if not found:
        handed.garbled()
    return found


def _port(card: str, said: re.Match[str]) -> Port:
    active = said[2] == "Active" and said[3] == "LinkUp"
    return Port(f"{card}/{said[1]}", active, number(said[4]))


TOOL = Tool(
    "ibstat",
    "ibstat",
    "ibstat",
    (
        Metric("rdma.port_active_ratio", "ratio", active_ratio),
        Metric("rdma.port_rate_min_gbit", "Gbit/s", rate_min),
    ),
)
