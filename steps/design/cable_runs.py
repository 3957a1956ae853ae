"""The cables of the compute fabric on the floor: which port of which device each joins, and how long it is.

Cables are columns of numbers, one run for each tier, so that hundreds of thousands take a fraction of a second. No port is
used twice.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import Literal, NamedTuple

import numpy as np

from steps.design.fabric import Fabric, fabric_of, shape_of
from steps.design.figures import Chosen, Figures
from steps.design.floor import Floor, Index, Metres, Place

Tier = Literal["node-leaf", "manager-leaf", "leaf-spine", "spine-core", "local", "global"]

STOCK_M = np.array(
    [
        *(1, 2, 3, 5, 7),
        *(10, 15, 20, 25, 30, 40, 50, 75),
        *(100, 150, 200, 300, 400, 500),
        *(1000, 2000),
    ]
)
"""Lengths in which cables are sold, in metres (makers' lists)."""


@dataclass(frozen=True)
class CableRun:
    """The cables of one tier as columns of equal length. Devices are numbers from 0, ports from 1; rail 0 means none."""

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
        """The stock length of each cable, in metres."""
        at = np.searchsorted(STOCK_M, self.length_m)
        return STOCK_M[np.minimum(at, len(STOCK_M) - 1)]


class End(NamedTuple):
    """One end of the cables of a run: device, port and place of each."""

    device: Index
    port: Index
    place: Place


Rail = Index | int
"""The rail of each cable, or one number for all of them."""

NO_RAIL = 0


class Layout:
    """The fabric of a design on its floor, and the cables between its devices."""

    def __init__(self, figures: Figures, choices: Chosen) -> None:
        """Lay out the fabric that figures and choices ask for."""
        self.shape = shape_of(figures, choices)
        self.fabric = fabric_of(self.shape)
        self._f = figures
        f = self.fabric
        per_rack = int(figures["nodes_per_rack"])
        self.pod_racks = np.array([ceil(size / per_rack) for size in f.pods])
        self.first_rack = _starts(self.pod_racks)
        self.leaf_racks = _leaf_racks(figures, f, self.pod_racks)
        self.leaf_pod = np.repeat(np.arange(len(f.pods)), f.leaves)
        self._first_leaf = _starts(np.array(f.leaves))
        halls = min(int(figures["halls"]), len(f.pods))
        pods_per_hall = ceil(len(f.pods) / halls)
        self.floor = Floor(
            compute_racks=int(self.first_rack[-1]),
            network_racks=ceil((f.spine + f.core) / figures["switches_per_rack"]),
            racks_per_hall=int(self.first_rack[min(pods_per_hall, len(f.pods))]),
            racks_per_row=int(figures["racks_per_row"]),
            rack_pitch_m=figures["rack_pitch_m"],
            row_pitch_m=figures["row_pitch_m"],
            hall_gap_m=figures["hall_gap_m"],
        )

    def runs(self) -> tuple[CableRun, ...]:
        """Return the tiers that have cables, those of servers first."""
        if self.shape.topology == "dragonfly":
            upward = (self._local(), self._global())
        else:
            upward = (self._leaf_spine(), self._spine_core())
        runs = (self._servers(), self._managers(), *upward)
        return tuple(run for run in runs if len(run.a))

    def racks(self, pod: int | None = None) -> Place:
        """Return the places of the compute racks, of one pod (from 0) or of all."""
        if pod is None:
            numbers = np.arange(self.first_rack[-1])
        else:
            numbers = self.first_rack[pod] + np.arange(self.pod_racks[pod])
        return self.floor.compute(numbers)

    def _servers(self) -> CableRun:
        s, f = self.shape, self.fabric
        sizes = np.array(f.pods)
        pod = np.repeat(np.arange(len(sizes)), sizes * s.rails)
        first = np.repeat(_starts(sizes)[:-1], sizes)
        inside = np.repeat(np.arange(s.nodes) - first, s.rails)
        rail = np.tile(np.arange(s.rails), s.nodes)
        node = np.repeat(np.arange(s.nodes), s.rails)
        rack = self.first_rack[pod] + inside // int(self._f["nodes_per_rack"])
        server = End(node, rail + 1, self.floor.compute(rack))
        return self._run("node-leaf", server, self._server_port(pod, inside, rail), rail + 1)

    def _managers(self) -> CableRun:
        """Return the cables of the fabric managers, on the ports of the servers that the first pod lacks for them."""
        s, f = self.shape, self.fabric
        number = np.arange(s.manager_ports)
        rails = max(1, s.rails)
        rail = number % rails
        one_switch = f.tiers == 1 and s.topology == "fat-tree"
        inside = (s.nodes if one_switch else f.pods[0]) + number // rails
        leaf = self._server_port(np.zeros_like(number), inside, rail)
        manager = End(number // 2, number % 2 + 1, self.floor.infrastructure(self.manager_rack(number // 2)))
        return self._run("manager-leaf", manager, leaf, rail + 1)

    def _server_port(self, pod: Index, inside: Index, rail: Index) -> End:
        """Return the leaf switch and the port of a server's rail, by the server's number in its pod."""
        s, f = self.shape, self.fabric
        if s.topology == "dragonfly":
            group = pod // f.group_pods
            in_group = inside + (pod % f.group_pods) * s.pod_size
            return self._slot(self._first_leaf[group * f.group_pods], in_group * s.rails + rail)
        rails = max(1, ceil(s.rails / f.planes))
        plane = rail // rails
        if f.tiers == 1:
            node = _starts(np.array(f.pods))[pod] + inside
            return self._leaf_end(plane, node * rails + rail % rails + 1)
        first = self._first_leaf[pod]
        if s.rail_optimised:
            return self._slot(first + rail * ceil(s.pod_size / f.leaf_down), inside)
        in_plane = np.array(f.leaves)[pod] // f.planes
        return self._slot(first + plane * in_plane, inside * rails + rail % rails)

    def _slot(self, first: Index, slot: Index) -> End:
        """Return the leaf switch and the port of a slot, counted over the server ports from a first leaf switch on."""
        down = self.fabric.leaf_down
        return self._leaf_end(first + slot // down, slot % down + 1)

    def _leaf_planes(self) -> tuple[Index, Index, Index]:
        """Return each leaf's plane, its number among the plane's leaves of its group, and its group."""
        f = self.fabric
        own = self._first_leaf[self.leaf_pod]
        inside = np.arange(f.leaf) - own
        in_plane = np.array(f.leaves)[self.leaf_pod] // f.planes
        group = self.leaf_pod // f.group_pods
        before = own - self._first_leaf[group * f.group_pods]
        number = before // f.planes + inside % in_plane
        return inside // in_plane, number, group

    def _groups(self) -> tuple[Index, Index]:
        """Return the number of spines of each group of a plane, and the first of them."""
        f = self.fabric
        if f.tiers == 2:
            return np.array([f.spine // f.planes]), np.array([0])
        at = np.arange(0, len(f.pods), f.group_pods)
        leaves = np.add.reduceat(f.leaves, at) // f.planes
        spines = -(-leaves * f.leaf_up // f.spine_down)
        return spines, _starts(spines)[:-1]

    def _leaf_spine(self) -> CableRun:
        f = self.fabric
        if not f.leaf_spine_links:
            return _no_cables("leaf-spine")
        columns = self._leaf_planes()
        plane, number, group = (np.repeat(column, f.leaf_up) for column in columns)
        up = np.tile(np.arange(f.leaf_up), f.leaf)
        leaf = np.repeat(np.arange(f.leaf), f.leaf_up)
        spines, first = self._groups()
        slot = number * f.leaf_up + up
        spine = plane * (f.spine // f.planes) + first[group] + slot % spines[group]
        upper = End(spine, slot // spines[group] + 1, self._network_place(spine))
        lower = self._leaf_end(leaf, f.leaf_down + up + 1)
        return self._run("leaf-spine", lower, upper, NO_RAIL)

    def _spine_core(self) -> CableRun:
        f = self.fabric
        if not f.core:
            return _no_cables("spine-core")
        spine = np.repeat(np.arange(f.spine), f.spine_up)
        up = np.tile(np.arange(f.spine_up), f.spine)
        per_plane, cores = f.spine // f.planes, f.core // f.planes
        slot = (spine % per_plane) * f.spine_up + up
        core = spine // per_plane * cores + slot % cores
        lower = End(spine, f.spine_down + up + 1, self._network_place(spine))
        upper = End(core, slot // cores + 1, self._network_place(f.spine + core))
        return self._run("spine-core", lower, upper, NO_RAIL)

    def _local(self) -> CableRun:
        """Return the cables inside the groups of a dragonfly: each router to each other one."""
        f = self.fabric
        size = f.leaf_up + 1
        low, high = np.triu_indices(size, 1)
        groups = f.leaf // size
        base = np.repeat(np.arange(groups) * size, len(low))
        a, b = np.tile(low, groups), np.tile(high, groups)
        one = self._leaf_end(base + a, f.leaf_down + b)
        other = self._leaf_end(base + b, f.leaf_down + a + 1)
        return self._run("local", one, other, NO_RAIL)

    def _global(self) -> CableRun:
        """Return the cables between the groups of a dragonfly: the same number between each pair."""
        f = self.fabric
        size = f.leaf_up + 1
        groups = f.leaf // size
        if groups < 2:
            return _no_cables("global")
        pair = f.spine_core_links // (groups * (groups - 1) // 2)
        low, high = (np.repeat(column, pair) for column in np.triu_indices(groups, 1))
        link = np.tile(np.arange(pair), len(low) // pair)
        first = f.leaf_down + f.leaf_up + 1
        a_slot, b_slot = (high - 1) * pair + link, low * pair + link
        one = self._leaf_end(low * size + a_slot % size, first + a_slot // size)
        other = self._leaf_end(high * size + b_slot % size, first + b_slot // size)
        return self._run("global", one, other, NO_RAIL)

    def _leaf_end(self, leaf: Index, port: Index) -> End:
        return End(leaf, port, self.floor.compute(self.leaf_rack(leaf)))

    def leaf_rack(self, leaf: Index) -> Index:
        """Return the compute racks of leaf switches, which are in the middle racks of their pod, so many in each."""
        pod = self.leaf_pod[leaf]
        inside = (leaf - self._first_leaf[pod]) // _leaves_per_rack(self._f, self.fabric)
        taken = self.leaf_racks[pod]
        first = (self.pod_racks[pod] - taken + 1) // 2
        rack: Index = self.first_rack[pod] + first + np.minimum(inside, taken - 1)
        return rack

    def network_rack(self, switch: Index) -> Index:
        """Return the racks without compute that spines are in, and after them cores."""
        return switch // int(self._f["switches_per_rack"])

    def manager_rack(self, manager: Index) -> Index:
        """Return the racks without compute that fabric managers are in: one each, after those of spines and cores."""
        return self.floor.network_racks + manager

    def _network_place(self, switch: Index) -> Place:
        return self.floor.infrastructure(self.network_rack(switch))

    def _run(self, tier: Tier, a: End, b: End, rail: Rail) -> CableRun:
        way = self.floor.metres(a.place, b.place)
        over_tray = way + self._f["cable_rise_m"]
        length = np.where(way == 0, self._f["in_rack_m"], over_tray)
        rails = np.zeros_like(a.device) + rail
        return CableRun(tier, *a, *b, rails, length)


def _leaves_per_rack(f: Figures, fabric: Fabric) -> int:
    """Return the leaf switches that a compute rack takes. Plans from before this figure have all of a pod in one rack."""
    return int(f.get("pod_switches_per_rack", 0)) or max(1, *fabric.leaves, 1)


def _leaf_racks(f: Figures, fabric: Fabric, racks: Index) -> Index:
    """Return the compute racks of each pod that have leaf switches; those without room are counted in the last one."""
    needed: Index = -(-np.array(fabric.leaves, dtype=np.int64) // _leaves_per_rack(f, fabric))
    fitting: Index = np.minimum(np.maximum(needed, 1), racks)
    return fitting


def _starts(sizes: Index) -> Index:
    """Return the number of the first item of each group, and after them the number of all items."""
    return np.concatenate(([0], np.cumsum(sizes)))


def _no_cables(tier: Tier) -> CableRun:
    none = np.empty(0, dtype=np.int64)
    end = End(none, none, (none, none, none))
    return CableRun(tier, *end, *end, none, none.astype(float))
