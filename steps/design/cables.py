"""The cable schedule: every cable of the compute fabric with both ends, rail, length, type and label.

Built as columns, so that hundreds of thousands of cables take a fraction of a second; a port is used once.
Lengths run along rows and aisles with the rise to the tray, and are bought in stock lengths.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import ceil
from typing import Any, Literal, TextIO

import numpy as np

from steps.design.fabric import Fabric, FabricShape, fabric_of, node_names, shape_of
from steps.design.floor import Floor, Index, Metres

Tier = Literal["node-leaf", "manager-leaf", "leaf-spine", "spine-core", "local", "global"]
Place = tuple[Index, Index, Index]

STOCK_M = np.array([1, 2, 3, 5, 7, 10, 15, 20, 25, 30, 40, 50, 75, 100, 150, 200, 300, 400, 500, 1000, 2000])
"""Lengths that cables are sold in, metres (makers' lists)."""

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


@dataclass(frozen=True)
class CableRun:
    """The cables of one tier as columns of equal length; devices are numbers from 0, ports from 1, rail 0 is none."""

    tier: Tier
    a: Index
    a_port: Index
    a_place: Place
    b: Index
    b_port: Index
    b_place: Place
    rail: Index
    length_m: Metres

    @property
    def stock_m(self) -> Index:
        """The stock length of each cable, metres."""
        return STOCK_M[np.minimum(np.searchsorted(STOCK_M, self.length_m), len(STOCK_M) - 1)]


class CableSchedule:
    """All cables of a design's compute fabric."""

    def __init__(self, figures: Mapping[str, float], choices: Mapping[str, Any]) -> None:
        """Lay out the fabric that figures and choices ask for."""
        self.shape: FabricShape = shape_of(figures, choices)
        self.fabric: Fabric = fabric_of(self.shape)
        self._f = figures
        f = self.fabric
        per_rack = int(figures["nodes_per_rack"])
        self._pod_racks = np.array([ceil(size / per_rack) for size in f.pods])
        self._first_rack = np.concatenate(([0], np.cumsum(self._pod_racks)))
        halls = min(int(figures["halls"]), len(f.pods))
        pods_per_hall = ceil(len(f.pods) / halls)
        racks = int(self._first_rack[-1])
        self.floor = Floor(
            compute_racks=racks,
            network_racks=ceil((f.spine + f.core) / figures["switches_per_rack"]),
            racks_per_hall=int(self._first_rack[min(pods_per_hall, len(f.pods))]),
            racks_per_row=int(figures["racks_per_row"]),
            rack_pitch_m=figures["rack_pitch_m"],
            row_pitch_m=figures["row_pitch_m"],
            hall_gap_m=figures["hall_gap_m"],
        )
        self._leaf_pod = np.repeat(np.arange(len(f.pods)), f.leaves)
        self._first_leaf = np.concatenate(([0], np.cumsum(f.leaves)))

    @cached_property
    def runs(self) -> tuple[CableRun, ...]:
        """The tiers that have cables, servers' first."""
        if self.shape.topology == "dragonfly":
            runs = [self._servers(), self._managers(), self._local(), self._global()]
        else:
            runs = [self._servers(), self._managers(), self._leaf_spine(), self._spine_core()]
        return tuple(run for run in runs if len(run.a))

    def lengths(self) -> dict[tuple[Tier, int, str], int]:
        """Return the number of cables by tier, stock length and type."""
        counts: dict[tuple[Tier, int, str], int] = {}
        for run in self.runs:
            for stock, count in zip(*np.unique(run.stock_m, return_counts=True), strict=True):
                counts[run.tier, int(stock), self.type_of(int(stock))] = int(count)
        return counts

    def type_of(self, stock_m: int) -> str:
        """Return the kind of cable that spans a stock length, `over reach` where none does."""
        for name, reach in (
            ("copper", "copper_m"),
            ("active-copper", "active_copper_m"),
            ("multimode", "multimode_m"),
            ("single-mode", "single_mode_m"),
        ):
            if stock_m <= self._f[reach]:
                return name
        return "over reach"

    def rows(self, pod: int | None = None) -> Iterator[tuple[str | int | float, ...]]:
        """Return the schedule's rows in the order of COLUMNS; of one pod (from 0), those of its servers and leaf switches."""
        number = 0
        for run in self.runs:
            yield from self._run_rows(run, number, pod)
            number += len(run.a)

    def write(self, file: TextIO, pod: int | None = None) -> None:
        """Write the schedule as CSV with a header."""
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(self.rows(pod))

    def rack_names(self, pod: int | None = None) -> list[str]:
        """Return the places of the compute racks, of one pod (from 0) or of all."""
        first, last = (0, len(self._pod_racks)) if pod is None else (pod, pod + 1)
        return _rack_names(self.floor.compute(np.arange(self._first_rack[first], self._first_rack[last])))

    def switch_names(self, tier: Literal["leaf", "spine", "core"]) -> list[str]:
        """Return the names of all switches of a tier in order."""
        if tier == "leaf":
            return self._leaf_names
        count = self.fabric.spine if tier == "spine" else self.fabric.core
        return [f"{tier}-{n:03}" for n in range(1, count + 1)]

    def ports(self) -> Iterator[tuple[str, int, str, int, str]]:
        """Return the port map: device, port, peer, its port and tier, of every switch port in use."""
        for run in self.runs:
            a_names, b_names = self._ends(run)
            ends = zip(a_names, run.a_port.tolist(), b_names, run.b_port.tolist(), strict=True)
            for a, a_port, b, b_port in ends:
                if run.tier not in ("node-leaf", "manager-leaf"):
                    yield a, a_port, b, b_port, run.tier
                yield b, b_port, a, a_port, run.tier

    # servers and managers

    def _servers(self) -> CableRun:
        s, f = self.shape, self.fabric
        sizes = np.array(f.pods)
        pod = np.repeat(np.arange(len(sizes)), sizes * s.rails)
        inside = np.concatenate([np.repeat(np.arange(size), s.rails) for size in f.pods])
        rail = np.tile(np.arange(s.rails), s.nodes)
        node = np.repeat(np.arange(s.nodes), s.rails)
        leaf, port = self._server_port(pod, inside, rail)
        here = self.floor.compute(self._first_rack[pod] + inside // int(self._f["nodes_per_rack"]))
        return self._run("node-leaf", node, rail + 1, here, leaf, port, self._leaf_place(leaf), rail + 1)

    def _managers(self) -> CableRun:
        """Fabric managers take the ports of the servers that the first pod gave up."""
        s, f = self.shape, self.fabric
        number = np.arange(s.manager_ports)
        rail = number % max(1, s.rails)
        one_switch = f.tiers == 1 and s.topology == "fat-tree"
        inside = (s.nodes if one_switch else f.pods[0]) + number // max(1, s.rails)
        leaf, port = self._server_port(np.zeros_like(number), inside, rail)
        place = self._leaf_place(leaf)
        return self._run("manager-leaf", number // 2, number % 2 + 1, place, leaf, port, place, rail + 1)

    def _server_port(self, pod: Index, inside: Index, rail: Index) -> tuple[Index, Index]:
        """Return leaf and port of a server's rail, by the server's number in its pod."""
        s, f = self.shape, self.fabric
        if s.topology == "dragonfly":
            group = pod // f.group_pods
            in_group = inside + (pod % f.group_pods) * s.pod_size
            slot = in_group * s.rails + rail
            return self._first_leaf[group * f.group_pods] + slot // f.leaf_down, slot % f.leaf_down + 1
        rails = max(1, ceil(s.rails / f.planes))
        plane = rail // rails
        if f.tiers == 1:
            node = np.concatenate(([0], np.cumsum(f.pods)))[pod] + inside
            return plane, node * rails + rail % rails + 1
        if s.rail_optimised:
            per_rail = ceil(s.pod_size / f.leaf_down)
            return self._first_leaf[pod] + rail * per_rail + inside // f.leaf_down, inside % f.leaf_down + 1
        slot = inside * rails + rail % rails
        in_plane = np.array(f.leaves)[pod] // f.planes
        return self._first_leaf[pod] + plane * in_plane + slot // f.leaf_down, slot % f.leaf_down + 1

    # upward

    def _leaf_planes(self) -> tuple[Index, Index, Index]:
        """Return each leaf's plane, its number among the plane's leaves of its group, and its group."""
        f = self.fabric
        inside = np.arange(f.leaf) - self._first_leaf[self._leaf_pod]
        in_plane = np.array(f.leaves)[self._leaf_pod] // f.planes
        plane = inside // in_plane
        group = self._leaf_pod // f.group_pods
        before = self._first_leaf[group * f.group_pods]
        return plane, (self._first_leaf[self._leaf_pod] - before) // f.planes + inside % in_plane, group

    def _groups(self) -> tuple[Index, Index]:
        """Return the spines of each group of a plane, and the number of the group's first."""
        f = self.fabric
        if f.tiers == 2:
            return np.array([f.spine // f.planes]), np.array([0])
        leaves = np.array(
            [sum(f.leaves[at : at + f.group_pods]) // f.planes for at in range(0, len(f.pods), f.group_pods)]
        )
        spines = -(-leaves * f.leaf_up // f.spine_down)
        return spines, np.concatenate(([0], np.cumsum(spines)[:-1]))

    def _leaf_spine(self) -> CableRun:
        f = self.fabric
        if not f.leaf_spine_links:
            return self._none("leaf-spine")
        plane, number, group = (np.repeat(x, f.leaf_up) for x in self._leaf_planes())
        up = np.tile(np.arange(f.leaf_up), f.leaf)
        leaf = np.repeat(np.arange(f.leaf), f.leaf_up)
        spines, first = self._groups()
        slot = number * f.leaf_up + up
        spine = plane * (f.spine // f.planes) + first[group] + slot % spines[group]
        rail = np.zeros_like(leaf)
        return self._run(
            "leaf-spine",
            leaf,
            f.leaf_down + up + 1,
            self._leaf_place(leaf),
            spine,
            slot // spines[group] + 1,
            self._network_place(spine),
            rail,
        )

    def _spine_core(self) -> CableRun:
        f = self.fabric
        if not f.core:
            return self._none("spine-core")
        spine = np.repeat(np.arange(f.spine), f.spine_up)
        up = np.tile(np.arange(f.spine_up), f.spine)
        per_plane, cores = f.spine // f.planes, f.core // f.planes
        slot = (spine % per_plane) * f.spine_up + up
        core = spine // per_plane * cores + slot % cores
        place = self._network_place(spine), self._network_place(f.spine + core)
        return self._run(
            "spine-core",
            spine,
            f.spine_down + up + 1,
            place[0],
            core,
            slot // cores + 1,
            place[1],
            np.zeros_like(spine),
        )

    # dragonfly

    def _local(self) -> CableRun:
        f = self.fabric
        size = f.leaf_up + 1
        low, high = np.triu_indices(size, 1)
        groups = f.leaf // size
        base = np.repeat(np.arange(groups) * size, len(low))
        a, b = np.tile(low, groups), np.tile(high, groups)
        return self._run(
            "local",
            base + a,
            f.leaf_down + b,
            self._leaf_place(base + a),
            base + b,
            f.leaf_down + a + 1,
            self._leaf_place(base + b),
            np.zeros_like(a),
        )

    def _global(self) -> CableRun:
        f = self.fabric
        size, groups = f.leaf_up + 1, f.leaf // (f.leaf_up + 1)
        if groups < 2:
            return self._none("global")
        pair = f.spine_core_links // (groups * (groups - 1) // 2)
        low, high = (np.repeat(x, pair) for x in np.triu_indices(groups, 1))
        link = np.tile(np.arange(pair), len(low) // pair)
        a_slot, b_slot = (high - 1) * pair + link, low * pair + link
        a, b = low * size + a_slot % size, high * size + b_slot % size
        first = f.leaf_down + f.leaf_up + 1
        return self._run(
            "global",
            a,
            first + a_slot // size,
            self._leaf_place(a),
            b,
            first + b_slot // size,
            self._leaf_place(b),
            np.zeros_like(a),
        )

    # places and names

    def _leaf_place(self, leaf: Index) -> Place:
        """Leaf switches stand in the middle rack of their pod."""
        pod = self._leaf_pod[leaf]
        return self.floor.compute(self._first_rack[pod] + self._pod_racks[pod] // 2)

    def _network_place(self, switch: Index) -> Place:
        return self.floor.network(switch // int(self._f["switches_per_rack"]))

    def _none(self, tier: Tier) -> CableRun:
        none = np.empty(0, dtype=np.int64)
        return CableRun(tier, none, none, (none, none, none), none, none, (none, none, none), none, none.astype(float))

    def _run(
        self, tier: Tier, a: Index, a_port: Index, a_place: Place, b: Index, b_port: Index, b_place: Place, rail: Index
    ) -> CableRun:
        way = self.floor.metres(a_place, b_place)
        length = np.where(way == 0, self._f["in_rack_m"], way + self._f["cable_rise_m"])
        return CableRun(tier, a, a_port, a_place, b, b_port, b_place, rail, length)

    @cached_property
    def node_names(self) -> list[str]:
        """Names of all servers in order."""
        return node_names(self.fabric.pods, self.shape.pod_size)

    @cached_property
    def _leaf_names(self) -> list[str]:
        return [
            f"pod-{pod:03}-leaf-{n:02}" for pod, count in enumerate(self.fabric.leaves, 1) for n in range(1, count + 1)
        ]

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
        return [a[n] for n in run.a.tolist()], [b[n] for n in run.b.tolist()]

    def _run_rows(self, run: CableRun, number: int, pod: int | None) -> Iterator[tuple[str | int | float, ...]]:
        a_names, b_names = self._ends(run)
        a_racks, b_racks = _rack_names(run.a_place), _rack_names(run.b_place)
        prefix = None if pod is None else f"pod-{pod + 1:03}-"
        kinds = {int(stock): self.type_of(int(stock)) for stock in np.unique(run.stock_m)}
        columns = zip(
            a_names,
            run.a_port.tolist(),
            a_racks,
            b_names,
            run.b_port.tolist(),
            b_racks,
            run.rail.tolist(),
            run.length_m.round(1).tolist(),
            run.stock_m.tolist(),
            strict=True,
        )
        for a, a_port, a_rack, b, b_port, b_rack, rail, length, stock in columns:
            number += 1
            if prefix is None or a.startswith(prefix):
                label = f"{a}:{a_port} <> {b}:{b_port}"
                yield (
                    f"C{number:06}",
                    run.tier,
                    rail or "",
                    a,
                    a_port,
                    a_rack,
                    b,
                    b_port,
                    b_rack,
                    length,
                    stock,
                    kinds[stock],
                    label,
                )


def _rack_names(place: Place) -> list[str]:
    halls, rows, places = (x.tolist() for x in place)
    names: dict[tuple[int, int, int], str] = {}
    return [
        names.setdefault(at, f"hall-{at[0] + 1}/row-{at[1] + 1:02}/rack-{at[2] + 1:02}")
        for at in zip(halls, rows, places, strict=True)
    ]
