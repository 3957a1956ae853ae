"""The cable schedule: every cable of the compute fabric with both ends, rail, length, type and label.

Lengths follow rows and aisles and include the rise to the tray. Cables are bought in stock lengths.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from math import ceil
from typing import Literal, TextIO

from steps.design.cable_runs import CableRun, Layout, Tier
from steps.design.fabric import node_names
from steps.design.figures import Chosen, Figures
from steps.design.floor import Place

Row = tuple[str | int | float, ...]

COLUMNS = (
    "cable",
    "tier",
    "rail",
    "a_device",
    "a_port",
    "a_rack",
    "b_device",
    "b_port",
    "b_rack",
    "length_m",
    "stock_m",
    "type",
    "label",
)

REACHES = {
    "copper": "copper_m",
    "active-copper": "active_copper_m",
    "multimode": "multimode_m",
    "single-mode": "single_mode_m",
}
"""Types of cable, shortest first, each with the figure that is its reach in metres."""


class CableSchedule:
    """All cables of a design's compute fabric."""

    def __init__(self, figures: Figures, choices: Chosen) -> None:
        """Lay out the fabric that figures and choices ask for."""
        self._f = figures
        self.layout = Layout(figures, choices)
        self.shape = self.layout.shape
        self.fabric = self.layout.fabric
        self.floor = self.layout.floor

    @cached_property
    def runs(self) -> tuple[CableRun, ...]:
        """The tiers that have cables, those of servers first."""
        return self.layout.runs()

    def lengths(self) -> Counter[tuple[Tier, int, str]]:
        """Return the number of cables by tier, stock length in metres and type."""
        counts: Counter[tuple[Tier, int, str]] = Counter()
        for run in self.runs:
            for stock, count in sorted(Counter(run.stock_m.tolist()).items()):
                counts[run.tier, stock, self.type_of(stock)] = count
        return counts

    def type_of(self, stock_m: int) -> str:
        """Return the type of cable for a stock length in metres, `over reach` if none is long enough."""
        fitting = (name for name, reach in REACHES.items() if stock_m <= self._f[reach])
        return next(fitting, "over reach")

    def rows(self, pod: int | None = None) -> Iterator[Row]:
        """Yield the rows of the schedule in the order of COLUMNS; for a pod (from 0) those of its servers and leaves."""
        number = 1
        for run in self.runs:
            yield from self._run_rows(run, number, pod)
            number += len(run.a)

    def write(self, file: TextIO, pod: int | None = None) -> None:
        """Write the schedule as CSV with a header."""
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(self.rows(pod))

    def rack_names(self, pod: int | None = None) -> list[str]:
        """Return the names of the compute racks by their place, of one pod (from 0) or of all."""
        return place_names(self.layout.racks(pod))

    def switch_names(self, tier: Literal["leaf", "spine", "core"]) -> list[str]:
        """Return the names of all switches of a tier in order."""
        if tier == "leaf":
            return self._leaf_names
        count = self.fabric.spine if tier == "spine" else self.fabric.core
        return [f"{tier}-{n:03}" for n in range(1, count + 1)]

    def ports(self) -> Iterator[tuple[str, int, str, int, str]]:
        """Yield device, port, peer, the peer's port and the tier of every switch port in use."""
        for run in self.runs:
            a_names, b_names = self._ends(run)
            a_ports, b_ports = run.a_port.tolist(), run.b_port.tolist()
            for a, a_port, b, b_port in zip(a_names, a_ports, b_names, b_ports, strict=True):
                if run.tier not in ("node-leaf", "manager-leaf"):
                    yield a, a_port, b, b_port, run.tier
                yield b, b_port, a, a_port, run.tier

    @cached_property
    def node_names(self) -> list[str]:
        """Names of all servers in order."""
        return node_names(self.fabric.pods, self.shape.pod_size)

    @cached_property
    def _leaf_names(self) -> list[str]:
        names = []
        for pod, count in enumerate(self.fabric.leaves, 1):
            names += [f"pod-{pod:03}-leaf-{n:02}" for n in range(1, count + 1)]
        return names

    def _ends(self, run: CableRun) -> tuple[list[str], list[str]]:
        spines, cores = self.switch_names("spine"), self.switch_names("core")
        managers = [f"fabric-manager-{n}" for n in range(1, ceil(self.shape.manager_ports / 2) + 1)]
        leaves = self._leaf_names
        a, b = {
            "node-leaf": (self.node_names, leaves),
            "manager-leaf": (managers, leaves),
            "leaf-spine": (leaves, spines),
            "spine-core": (spines, cores),
            "local": (leaves, leaves),
            "global": (leaves, leaves),
        }[run.tier]
        a_names = [a[number] for number in run.a.tolist()]
        return a_names, [b[number] for number in run.b.tolist()]

    def _run_rows(self, run: CableRun, number: int, pod: int | None) -> Iterator[Row]:
        prefix = "" if pod is None else f"pod-{pod + 1:03}-"
        kinds = {stock: self.type_of(stock) for stock in set(run.stock_m.tolist())}
        a_names, b_names = self._ends(run)
        here = [at for at, name in enumerate(a_names) if name.startswith(prefix)]
        columns = zip(
            here,
            run.rail[here].tolist(),
            run.a_port[here].tolist(),
            names_at(run.a_place, here),
            run.b_port[here].tolist(),
            names_at(run.b_place, here),
            run.length_m[here].round(1).tolist(),
            run.stock_m[here].tolist(),
            strict=True,
        )
        for at, rail, a_port, a_rack, b_port, b_rack, length, stock in columns:
            a, b = a_names[at], b_names[at]
            label = f"{a}:{a_port} <> {b}:{b_port}"
            ends = (a, a_port, a_rack, b, b_port, b_rack)
            bought = (length, stock, kinds[stock])
            yield (f"C{number + at:06}", run.tier, rail or "", *ends, *bought, label)


def names_at(place: Place, here: Sequence[int]) -> list[str]:
    """Return the names of the racks at some of the places, which are named by their numbers in the columns."""
    hall, row, rack = (column[here] for column in place)
    return place_names((hall, row, rack))


def place_names(place: Place) -> list[str]:
    """Return the name of the rack at each place, `hall-1/row-02/rack-03`."""
    names: dict[tuple[int, int, int], str] = {}
    found = []
    for at in zip(*(column.tolist() for column in place), strict=True):
        hall, row, rack = at
        if at not in names:
            names[at] = f"hall-{hall + 1}/row-{row + 1:02}/rack-{rack + 1:02}"
        found.append(names[at])
    return found
