"""Counts on the cable schedule: ports and switches in use, rails, trays.

Everything is counted on the cables as they are drawn. The formulas that laid the fabric out are not used, so that both can be
compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from hashlib import sha256
from math import pi

import numpy as np
from numpy.typing import NDArray

from steps.design.cable_runs import CableRun
from steps.design.cables import CableSchedule
from steps.design.floor import Index

TRAY_MM2 = 600 * 100
"""Cross-section of the tray over a row in square millimetres (assumption: 600 by 100 mm)."""

CABLE_MM = {"copper": 11.0, "active-copper": 9.0}
"""Outer diameter of a cable by type in mm (assumption, makers' 400G lists); any other type is a fibre."""

FIBRE_MM = 3.0
"""Outer diameter of a multi-fibre patch cable in mm (assumption)."""

PORTS, ROWS = 100_000, 100_000
"""More than the ports of a device and the rows of a hall, so that a pair makes one number."""

LEVEL = {
    "node-leaf": (None, "leaf"),
    "manager-leaf": (None, "leaf"),
    "leaf-spine": ("leaf", "spine"),
    "spine-core": ("spine", "core"),
    "local": ("leaf", "leaf"),
    "global": ("leaf", "leaf"),
}
"""The tiers of the two ends of a cable."""


BELOW_AND_ABOVE = (
    (("node-leaf", "manager-leaf"), "leaf-spine"),
    (("leaf-spine",), "spine-core"),
)
"""The tiers of cables below and above leaves, and below and above spines."""

Row = tuple[int, int]
"""A hall and a row."""


class Wiring:
    """The counts of a cable schedule."""

    def __init__(self, cables: CableSchedule) -> None:
        self.cables = cables
        self._pods = np.cumsum(cables.fabric.pods)
        self._leaves = np.cumsum(cables.fabric.leaves)

    def switches(self, level: str) -> int:
        """Return the number of switches of a tier with at least one cable."""
        return len(np.unique(self._ends(level)[0]))

    def ports_over(self, level: str, radix: int) -> int:
        """Return the number of cables on a port that a switch of this radix does not have."""
        return int((self._ends(level)[1] > radix).sum())

    def ports_twice(self) -> int:
        """Return the number of cables on a port that another cable uses, ports of servers included."""
        twice = 0
        for level in ("node", "leaf", "spine", "core"):
            device, port = self._ends(level)
            twice += len(device) - len(np.unique(device * PORTS + port))
        return twice

    def ports_in_use(self, level: str) -> int:
        """Return the number of ports of a tier with a cable."""
        return len(self._ends(level)[0])

    def links(self, *tiers: str) -> int:
        """Return the number of cables of these tiers."""
        return sum(len(run.a) for run in self.cables.runs if run.tier in tiers)

    def oversubscription(self) -> float:
        """Return the ports down for each port up of the worst switch; 1 without cables between switches."""
        worst = [1.0] if self.links("leaf-spine") == 0 else []
        for below, above in BELOW_AND_ABOVE:
            up = self._count([above], up=True)
            down = self._count(below, up=False)
            if not len(up):
                continue
            size = max(len(up), len(down))
            up = np.pad(up, (0, size - len(up)))
            down = np.pad(down, (0, size - len(down)))
            # a switch without uplinks counts as if it had one, so that it does not pass
            worst.append(float((down / np.maximum(up, 1)).max()))
        return max(worst)

    def rails(self) -> int:
        """Return the number of rails with a cable of the server that has the fewest."""
        servers = [_distinct(run.a, run.rail)[0] for run in self._servers()]
        if not servers:
            return 0
        counts = np.bincount(np.concatenate(servers), minlength=self.cables.shape.nodes)
        return int(counts.min())

    def leaves_with_mixed_rails(self) -> int:
        """Return the number of leaf switches that carry more than one rail."""
        leaves = [_distinct(run.b, run.rail)[0] for run in self._servers()]
        if not leaves:
            return 0
        counts = np.bincount(np.concatenate(leaves))
        return int((counts > 1).sum())

    def of_pod(self, pod: int) -> list[tuple[CableRun, Index]]:
        """Return the cables of a pod (from 0), those of its servers and of its leaf switches, by tier."""
        found = []
        for run in self.cables.runs:
            if run.tier in ("node-leaf", "leaf-spine", "local"):
                limits = self._pods if run.tier == "node-leaf" else self._leaves
                first = 0 if pod == 0 else limits[pod - 1]
                inside = (run.a >= first) & (run.a < limits[pod])
                found.append((run, np.flatnonzero(inside)))
        return [(run, at) for run, at in found if len(at)]

    def over_reach(self, pod: int) -> int:
        """Return the number of a pod's cables that are longer than the reach of every type."""
        too_long = 0
        for run, at in self.of_pod(pod):
            kinds = [self.cables.type_of(stock) for stock in run.stock_m[at].tolist()]
            too_long += kinds.count("over reach")
        return too_long

    def tray_fill(self, pod: int) -> float:
        """Return the fill of the fullest tray over the rows of a pod, in percent of its cross-section."""
        fills = [0.0]
        for run, at in self.of_pod(pod):
            halls, rows, _ = run.a_place
            pairs = _distinct(halls[at], rows[at]).T.tolist()
            fills += [self._fills.get((hall, row), 0.0) for hall, row in pairs]
        return max(fills)

    def digest(self, pod: int | None = None) -> str:
        """Return a short digest of the cables of one pod, or of all; it changes with every end, length and type."""
        total = sha256()
        for run, at in self._all() if pod is None else self.of_pod(pod):
            total.update(run.tier.encode())
            ends = (run.a, run.a_port, run.b, run.b_port)
            for column in (*ends, run.stock_m, *run.a_place, *run.b_place):
                total.update(np.ascontiguousarray(column[at]).tobytes())
        return total.hexdigest()[:16]

    @cached_property
    def _fills(self) -> dict[Row, float]:
        """The fill of the fullest stretch of tray over each row, in percent. A cable follows the row in which it begins."""
        width = self.cables.floor.racks_per_row + 1
        areas: dict[Row, NDArray[np.float64]] = {}
        for run in self.cables.runs:
            stocks, kind = np.unique(run.stock_m, return_inverse=True)
            kinds = [self.cables.type_of(stock) for stock in stocks.tolist()]
            area = np.array([_area(name) for name in kinds])[kind]
            hall, row_in_hall, rack = run.a_place
            ends = np.sort((rack, run.b_place[2]), axis=0)
            low, high = np.minimum(ends, width)
            row = hall * ROWS + row_in_hall
            for number in np.unique(row).tolist():
                mine = row == number
                steps = areas.setdefault(divmod(number, ROWS), np.zeros(width + 1))
                np.add.at(steps, low[mine], area[mine])
                np.add.at(steps, high[mine], -area[mine])
        fills: dict[Row, float] = {}
        for at, steps in areas.items():
            fills[at] = float(np.cumsum(steps).max()) / TRAY_MM2 * 100
        return fills

    def _all(self) -> list[tuple[CableRun, Index]]:
        runs = self.cables.runs
        return [(run, np.arange(len(run.a))) for run in runs]

    def _servers(self) -> list[CableRun]:
        return [run for run in self.cables.runs if run.tier == "node-leaf"]

    def _ends(self, level: str) -> tuple[Index, Index]:
        """Return device and port of every cable end at a tier."""
        devices, ports = [], []
        for run in self.cables.runs:
            at_a, at_b = LEVEL[run.tier]
            if at_a == level or (level == "node" and run.tier == "node-leaf"):
                devices.append(run.a)
                ports.append(run.a_port)
            if at_b == level:
                devices.append(run.b)
                ports.append(run.b_port)
        none = np.empty(0, dtype=np.int64)
        return np.concatenate([none, *devices]), np.concatenate([none, *ports])

    def _count(self, tiers: Sequence[str], *, up: bool) -> Index:
        """Return the cables of some tiers by device: by the lower end with `up`, by the upper end without."""
        runs = [run for run in self.cables.runs if run.tier in tiers]
        ends = [run.a if up else run.b for run in runs]
        none = np.empty(0, dtype=np.int64)
        return np.bincount(np.concatenate([none, *ends]))


def _distinct(first: Index, second: Index) -> Index:
    """Return the distinct pairs of two columns, as two columns."""
    return np.unique(np.stack((first, second)), axis=1)


def _area(kind: str) -> float:
    return pi / 4 * CABLE_MM.get(kind, FIBRE_MM) ** 2
