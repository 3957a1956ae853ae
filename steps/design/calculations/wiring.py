"""What the cable schedule says when it is counted: ports and switches in use, rails, trays.

Everything is counted on the cables as they are drawn, not taken from the formulas that laid the fabric out, so
that the two can be held against each other.
"""

from __future__ import annotations

from functools import cached_property
from hashlib import sha256
from math import pi

import numpy as np
from numpy.typing import NDArray

from steps.design.cables import CableRun, CableSchedule
from steps.design.floor import Index

TRAY_MM2 = 600 * 100
"""Cross-section of the tray over a row, square millimetres (assumption: 600 by 100 mm)."""

CABLE_MM = {"copper": 11.0, "active-copper": 9.0}
"""Outer diameter of a cable by type, mm (assumption, makers' 400G lists); anything else is a fibre."""

FIBRE_MM = 3.0
"""Outer diameter of a multi-fibre patch cable, mm (assumption)."""

PORTS, ROWS = 100_000, 100_000
"""More than a device has ports, and a hall has rows: so that a pair becomes one number."""

LEVEL = {
    "node-leaf": (None, "leaf"),
    "manager-leaf": (None, "leaf"),
    "leaf-spine": ("leaf", "spine"),
    "spine-core": ("spine", "core"),
    "local": ("leaf", "leaf"),
    "global": ("leaf", "leaf"),
}
"""Which tier the two ends of a cable belong to."""


class Wiring:
    """A cable schedule, counted."""

    def __init__(self, cables: CableSchedule) -> None:
        self.cables = cables
        self._pods = np.cumsum(cables.fabric.pods)
        self._leaves = np.cumsum(cables.fabric.leaves)

    def switches(self, level: str) -> int:
        """Return how many switches of a tier have at least one cable."""
        return len(np.unique(self._ends(level)[0]))

    def ports_over(self, level: str, radix: int) -> int:
        """Return how many cables end on a port that a switch of this radix does not have."""
        return int((self._ends(level)[1] > radix).sum())

    def ports_twice(self) -> int:
        """Return how many cables end on a port that another cable uses, servers' ports included."""
        twice = 0
        for level in ("node", "leaf", "spine", "core"):
            device, port = self._ends(level)
            twice += len(device) - len(np.unique(device * PORTS + port))
        return twice

    def ports_in_use(self, level: str) -> int:
        """Return how many ports of a tier have a cable."""
        return len(self._ends(level)[0])

    def links(self, *tiers: str) -> int:
        """Return how many cables there are of these kinds."""
        return sum(len(run.a) for run in self.cables.runs if run.tier in tiers)

    def oversubscription(self) -> float:
        """Return the most ports down for each port up of a switch that servers reach others through; 1 where none is."""
        worst = [1.0] if self.links("leaf-spine") == 0 else []
        for down_tiers, up_tier in ((("node-leaf", "manager-leaf"), "leaf-spine"), (("leaf-spine",), "spine-core")):
            up = self._count(up_tier, up=True)
            down = np.zeros(max(len(up), 1), dtype=np.int64)
            for tier in down_tiers:
                counted = self._count(tier, up=False)
                down = np.pad(down, (0, max(0, len(counted) - len(down))))
                down[: len(counted)] += counted
            if up.any():
                # a switch that has lost all its uplinks counts as if it had one: it must not pass
                worst.append(float((down / np.maximum(np.pad(up, (0, len(down) - len(up))), 1)).max()))
        return max(worst)

    def rails(self) -> int:
        """Return the fewest rails that any server has cabled."""
        pairs = [np.unique(np.stack((run.a, run.rail)), axis=1)[0] for run in self._servers()]
        return int(np.bincount(np.concatenate(pairs), minlength=self.cables.shape.nodes).min()) if pairs else 0

    def leaves_with_mixed_rails(self) -> int:
        """Return how many leaf switches carry more than one rail."""
        pairs = [np.unique(np.stack((run.b, run.rail)), axis=1)[0] for run in self._servers()]
        return int((np.bincount(np.concatenate(pairs)) > 1).sum()) if pairs else 0

    def of_pod(self, pod: int) -> list[tuple[CableRun, Index]]:
        """Return the cables that a pod (from 0) is wired with, its servers' and its leaf switches', by tier."""
        found = []
        for run in self.cables.runs:
            if run.tier in ("node-leaf", "leaf-spine", "local"):
                limits = self._pods if run.tier == "node-leaf" else self._leaves
                first = 0 if pod == 0 else limits[pod - 1]
                found.append((run, np.flatnonzero((run.a >= first) & (run.a < limits[pod]))))
        return [(run, at) for run, at in found if len(at)]

    def over_reach(self, pod: int) -> int:
        """Return how many of a pod's cables are longer than any type reaches."""
        return sum(
            int(sum(self.cables.type_of(int(stock)) == "over reach" for stock in run.stock_m[at]))
            for run, at in self.of_pod(pod)
        )

    def tray_fill(self, pod: int) -> float:
        """Return the fill of the fullest tray over the rows of a pod, percent of its cross-section."""
        rows = {
            (int(hall), int(row))
            for run, at in self.of_pod(pod)
            for hall, row in zip(*np.unique(np.stack((run.a_place[0][at], run.a_place[1][at])), axis=1), strict=True)
        }
        return max((self._fills.get(row, 0.0) for row in rows), default=0.0)

    def digest(self, pod: int | None = None) -> str:
        """Return a short digest of the cables, of one pod or of all: it changes with any end, length or type."""
        total = sha256()
        picked = [(run, slice(None)) for run in self.cables.runs] if pod is None else self.of_pod(pod)
        for run, at in picked:
            total.update(run.tier.encode())
            for column in (run.a, run.a_port, run.b, run.b_port, run.stock_m, *run.a_place, *run.b_place):
                total.update(np.ascontiguousarray(column[at]).tobytes())
        return total.hexdigest()[:16]

    @cached_property
    def _fills(self) -> dict[tuple[int, int], float]:
        """The fill of the fullest stretch of tray over each row, percent: cables run along the row they begin in."""
        width = self.cables.floor.racks_per_row + 1
        areas: dict[tuple[int, int], NDArray[np.float64]] = {}
        for run in self.cables.runs:
            stocks, kind = np.unique(run.stock_m, return_inverse=True)
            area = np.array([_area(self.cables.type_of(int(stock))) for stock in stocks])[kind]
            low, high = np.minimum(run.a_place[2], run.b_place[2]), np.maximum(run.a_place[2], run.b_place[2])
            row = run.a_place[0] * ROWS + run.a_place[1]
            for number in np.unique(row):
                mine = row == number
                steps = areas.setdefault((int(number) // ROWS, int(number) % ROWS), np.zeros(width + 1))
                np.add.at(steps, np.minimum(low[mine], width), area[mine])
                np.add.at(steps, np.minimum(high[mine], width), -area[mine])
        return {row: float(np.cumsum(steps).max()) / TRAY_MM2 * 100 for row, steps in areas.items()}

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

    def _count(self, tier: str, *, up: bool) -> Index:
        """Return the cables of a tier by device, of the end that goes up or of the other."""
        ends = [run.a if up else run.b for run in self.cables.runs if run.tier == tier]
        return np.bincount(np.concatenate(ends)) if ends else np.empty(0, dtype=np.int64)


def _area(kind: str) -> float:
    return pi / 4 * CABLE_MM.get(kind, FIBRE_MM) ** 2
