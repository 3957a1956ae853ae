"""What a cable schedule adds up to: cables by purchase, and the transceivers at their ends.

A transceiver fills a cage, which may carry two links: a cage counts once, however many of its links are optical.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from steps.design.cable_runs import STOCK_M, CableRun
from steps.design.cables import CableSchedule
from steps.design.figures import Figures
from steps.design.floor import Index
from steps.design.service_cables import ServiceCables

OPTICAL = ("multimode", "single-mode")
"""Types of cable that need a transceiver at both ends."""

PURCHASES = {
    "node-leaf": "server",
    "manager-leaf": "server",
    "leaf-spine": "trunk",
    "spine-core": "trunk",
    "local": "trunk",
    "global": "trunk",
    "storage": "storage",
    "storage-up": "storage",
    "in-band": "management",
    "in-band-up": "management",
    "out-of-band": "management",
    "out-of-band-up": "management",
}
"""The supply line of step 045 that buys the cables of a tier."""

Cages = tuple[Index, Index]
"""Cages by device and number."""


class CableLine(NamedTuple):
    """Cables of one tier, stock length in metres and type."""

    tier: str
    stock_m: int
    type: str
    number: int


class OpticLine(NamedTuple):
    """Transceivers of one network, at servers and appliances (`server`) or at switches (`switch`), of one type."""

    network: str
    end: str
    type: str
    number: int


class CableLists(NamedTuple):
    """The cables and transceivers of all networks, without spares."""

    cables: tuple[CableLine, ...]
    optics: tuple[OpticLine, ...]

    def bought(self, purchase: str) -> int:
        """Return the cables of a supply line of step 045: `server`, `trunk`, `storage` or `management`."""
        return sum(line.number for line in self.cables if PURCHASES[line.tier] == purchase)

    def transceivers(self, end: str) -> int:
        """Return the transceivers at servers and appliances, or at switches."""
        return sum(line.number for line in self.optics if line.end == end)


def cable_lists(f: Figures, cables: CableSchedule, services: ServiceCables) -> CableLists:
    """Return the cables and transceivers of a design."""
    both = (*cables.lengths().items(), *services.lengths().items())
    lines = tuple(CableLine(*key, count) for key, count in sorted(both))
    optics: Counter[tuple[str, str, str]] = Counter()
    for line in (*_fabric_optics(f, cables), *_service_optics(f, services)):
        optics[line[:3]] += line.number
    return CableLists(lines, tuple(OpticLine(*key, count) for key, count in sorted(optics.items())))


def _fabric_optics(f: Figures, cables: CableSchedule) -> Iterator[OpticLine]:
    in_switch = int(f["ports_per_cage"])
    in_server = int(f.get("node_ports_per_cage", 1))
    for kind in OPTICAL:
        ends: dict[str, list[Cages]] = {}
        for run in cables.runs:
            at = _of_type(cables, run, kind)
            from_server = run.tier in ("node-leaf", "manager-leaf")
            lower, upper = _levels(run)
            a_cage = in_server if run.tier == "node-leaf" else 1 if from_server else in_switch
            ends.setdefault(lower, []).append((run.a[at], (run.a_port[at] - 1) // a_cage))
            ends.setdefault(upper, []).append((run.b[at], (run.b_port[at] - 1) // in_switch))
        for level, cages in ends.items():
            count = _distinct(cages)
            if count:
                yield OpticLine("compute", "server" if level in ("node", "manager") else "switch", kind, count)


def _levels(run: CableRun) -> tuple[str, str]:
    return {
        "node-leaf": ("node", "leaf"),
        "manager-leaf": ("manager", "leaf"),
        "leaf-spine": ("leaf", "spine"),
        "spine-core": ("spine", "core"),
        "local": ("leaf", "leaf"),
        "global": ("leaf", "leaf"),
    }[run.tier]


def _of_type(cables: CableSchedule, run: CableRun, kind: str) -> Index:
    return np.flatnonzero(np.isin(run.stock_m, [stock for stock in STOCK_M if cables.type_of(stock) == kind]))


def _distinct(cages: list[Cages]) -> int:
    """Return the number of cages, each counted once."""
    devices, numbers = (np.concatenate(column) for column in zip(*cages, strict=True))
    if not len(devices):
        return 0
    is_filled = np.zeros((devices.max() + 1, numbers.max() + 1), bool)
    is_filled[devices, numbers] = True
    return int(np.count_nonzero(is_filled))


def _service_optics(f: Figures, services: ServiceCables) -> Iterator[OpticLine]:
    in_switch = int(f["ports_per_cage"])
    laid = services.laid
    cages: dict[tuple[str, str, str], list[Cages]] = {}
    for buys, (tier, _, kind) in enumerate(laid.bought):
        if kind not in OPTICAL:
            continue
        at = np.flatnonzero(laid.buys == buys)
        network = tier.removesuffix("-up")
        in_cage = in_switch if network == "storage" else 1
        is_up = tier != network
        a = (laid.a[at], (laid.a_port[at] - 1) // (in_cage if is_up else 1))
        cages.setdefault((network, "switch" if is_up else "server", kind), []).append(a)
        cages.setdefault((network, "switch", kind), []).append((laid.b[at], (laid.b_port[at] - 1) // in_cage))
    for key, filled in cages.items():
        yield OpticLine(*key, _distinct(filled))
