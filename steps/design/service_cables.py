"""The cables of the networks beside the compute fabric, with both ends, length and type, as the cable schedule has them.

Storage runs over the same types of cable as the compute fabric. In-band management and the uplinks of out-of-band switches run
over active optical cables, which have their optics in them. Management ports have copper patch cables.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from math import ceil
from typing import NamedTuple, TextIO

import numpy as np

from steps.design.cable_runs import STOCK_M, leaf_racks
from steps.design.cables import REACHES, CableSchedule, Row, names_at
from steps.design.fabric import Fabric
from steps.design.figures import Figures
from steps.design.floor import Index, Metres, Place
from steps.design.service_networks import INFRASTRUCTURE_FEEDS, OOB_UPLINKS, Service, Services
from steps.design.storage import Storage

INFRASTRUCTURE = -1
"""In place of the number of a pod: its racks are those of no pod."""

AOC_REACH_M = 100
"""Reach of an active optical cable in metres (NVIDIA LinkX 100G and 200G AOC, to 100 m)."""

ACTIVE_OPTICAL, PATCH, SINGLE_MODE = "active optical", "copper patch", "single-mode"

_NOBODY: Index = np.empty(0, np.int64)


class Stretch(NamedTuple):
    """Cables of one tier, one after another: the numbers of both ends of each."""

    tier: str
    a: Index
    b: Index


class Laid(NamedTuple):
    """Cables as columns: both ends, with the numbers of devices, length in metres, and what is bought, by its number in `bought`."""

    a: Index
    a_port: Index
    a_place: Place
    b: Index
    b_port: Index
    b_place: Place
    length_m: Metres
    buys: Index
    bought: Sequence[tuple[str, int, str]]
    """Tier, stock length in metres and type."""


class ServiceCables:
    """All cables of the storage network and of both management networks."""

    def __init__(self, figures: Figures, cables: CableSchedule, storage: Storage, services: Services) -> None:
        """Lay out the networks on the floor of the compute fabric."""
        self._f = figures
        self._cables = cables
        self._fabric: Fabric = cables.fabric
        self._storage = storage
        self._services = services
        self._numbers: dict[str, int] = {}
        """The number of each device."""
        self._ends: dict[tuple[str, tuple[int, int]], int] = {}
        """The number of each device in each rack, by pod and by number there: management ports of a switch may be drawn in another."""
        self._racks = [ceil(nodes / figures["nodes_per_rack"]) for nodes in self._fabric.pods]
        self._firsts = [0, *np.cumsum(self._racks).tolist()]
        self._leaf_racks = leaf_racks(figures, self._fabric, np.array(self._racks)).tolist()

    def switch_names(self, network: Service, pod: int | None = None) -> list[str]:
        """Return the names of the switches of a network: of a pod (from 0), or those in the infrastructure racks."""
        if pod is not None:
            return [f"pod-{pod + 1:03}-{network.name}-{n:02}" for n in range(1, network.pod_leaves[pod] + 1)]
        tiers = (("leaf", network.site_leaves), ("spine", network.spines), ("core", network.cores))
        return [f"{network.name}-{tier}-{n:03}" for tier, count in tiers for n in range(1, count + 1)]

    def lengths(self) -> Counter[tuple[str, int, str]]:
        """Return the number of cables by tier, stock length in metres and type."""
        counts = np.bincount(self.laid.buys, minlength=len(self.laid.bought)).tolist()
        return Counter(dict(zip(self.laid.bought, counts, strict=True)))

    def rows(self, pod: int | None = None) -> Iterator[Row]:
        """Yield the rows of the schedule in the order of COLUMNS; for a pod (from 0) those of its devices and switches."""
        prefix = "" if pod is None else f"pod-{pod + 1:03}-"
        laid, names = self.laid, [*self._numbers]
        here = [at for at, number in enumerate(laid.a.tolist()) if names[number].startswith(prefix)]
        columns = zip(
            here,
            *(column[here].tolist() for column in (laid.a, laid.a_port, laid.b, laid.b_port, laid.buys)),
            names_at(laid.a_place, here),
            names_at(laid.b_place, here),
            laid.length_m[here].round(1).tolist(),
            strict=True,
        )
        for at, a_number, a_port, b_number, b_port, buys, a_rack, b_rack, length in columns:
            a, b, (tier, stock_m, kind) = names[a_number], names[b_number], laid.bought[buys]
            ends = (a, a_port, a_rack, b, b_port, b_rack)
            yield (f"S{at + 1:06}", tier, "", *ends, length, stock_m, kind, f"{a}:{a_port} <> {b}:{b_port}")

    def write(self, file: TextIO, pod: int | None = None) -> None:
        """Append the schedule to a CSV file without a header."""
        csv.writer(file, lineterminator="\n").writerows(self.rows(pod))

    @cached_property
    def laid(self) -> Laid:
        """The cables in order."""
        stretches = list(self._stretches())
        tiers = [*dict.fromkeys(stretch.tier for stretch in stretches)]
        of_stretch = [tiers.index(stretch.tier) for stretch in stretches]
        tier = np.repeat(np.array(of_stretch, np.int64), [len(stretch.a) for stretch in stretches])
        ends = ([stretch.a for stretch in stretches], [stretch.b for stretch in stretches])
        a_ends, b_ends = (np.concatenate([_NOBODY, *side]) for side in ends)
        a_place, b_place = self._places(a_ends), self._places(b_ends)
        device = np.array([self._numbers[name] for name, _ in self._ends], np.int64)
        a, b = device[a_ends], device[b_ends]
        way = self._cables.floor.metres(a_place, b_place)
        length = np.where(way == 0, self._f["in_rack_m"], way + self._f["cable_rise_m"])
        stock = np.minimum(np.searchsorted(STOCK_M, length), len(STOCK_M) - 1)
        kinds, buys = np.unique(tier * len(STOCK_M) + stock, return_inverse=True)
        bought = [(tiers[kind // len(STOCK_M)], int(STOCK_M[kind % len(STOCK_M)])) for kind in kinds.tolist()]
        a_port, b_port = self._ports(a, b)
        return Laid(
            *(a, a_port, a_place),
            *(b, b_port, b_place),
            length,
            buys,
            [(*one, self._type_of(*one)) for one in bought],
        )

    def _type_of(self, tier: str, stock_m: int) -> str:
        if tier.startswith("storage"):
            return self._cables.type_of(stock_m)
        if tier == "out-of-band":
            return PATCH if stock_m <= AOC_REACH_M else "over reach"
        if stock_m <= AOC_REACH_M:
            return ACTIVE_OPTICAL
        return SINGLE_MODE if stock_m <= self._f[REACHES[SINGLE_MODE]] else "over reach"

    def _ports(self, a: Index, b: Index) -> tuple[Index, Index]:
        """Return the next free port of each device, cable by cable; those of servers come after the rails."""
        ends = np.stack([a, b], axis=1).ravel()
        order = np.argsort(ends, kind="stable")
        counts = np.bincount(ends, minlength=len(self._numbers))
        before = np.cumsum(counts) - counts
        ports = np.empty_like(ends)
        ports[order] = np.arange(len(ends)) - before[ends[order]] + 1
        ports[ends < len(self._cables.node_names)] += self._cables.shape.rails
        return ports[0::2], ports[1::2]

    def _stretches(self) -> Iterator[Stretch]:
        """Yield all cables in order."""
        s, nodes = self._services, self._nodes  # servers have the first numbers, by which `_ports` knows them
        for network, each in ((s.storage, "storage_ports_per_node"), (s.in_band, "in_band_ports_per_node")):
            if network.switches:
                ports = int(self._f[each])
                for pod, servers in enumerate(nodes):
                    yield self._down(network, pod, np.repeat(servers, ports))
        storage_ports = int(self._f.get("storage_server_ports", 0))
        if s.storage.switches:
            yield self._down(s.storage, None, np.repeat(self._storage_servers(), storage_ports))
        if s.in_band.switches:
            ports = int(self._f["in_band_ports_per_node"])
            yield self._down(s.in_band, None, np.repeat(self._management(), ports))
        yield from self._upward(s.storage)
        yield from self._upward(s.in_band)
        if s.out_of_band.switches:
            for pod in range(len(self._fabric.pods)):
                yield self._down(s.out_of_band, pod, np.concatenate([*self._managed(pod)]))
            yield self._down(s.out_of_band, None, np.concatenate([*self._managed_infrastructure()]))
        yield from self._out_of_band_uplinks()

    def _down(self, network: Service, pod: int | None, devices: Index) -> Stretch:
        """Return the cables from devices to the leaves of their pod, in turn, or to those in the infrastructure racks."""
        return Stretch(network.name, devices, np.resize(self._leaves(network, pod), len(devices)))

    def _upward(self, network: Service) -> Iterator[Stretch]:
        in_pods = (self._pod_leaves(network, pod) for pod in range(len(self._fabric.pods)))
        leaves = np.concatenate([*in_pods, self._infrastructure(self._named(network, "leaf"))])
        spines, cores = (self._infrastructure(self._named(network, tier)) for tier in ("spine", "core"))
        for lower, upper in ((leaves, spines), (spines, cores)):
            if len(upper):
                ends = (np.resize(devices, network.uplinks) for devices in (lower, upper))
                yield Stretch(f"{network.name}-up", *ends)

    def _out_of_band_uplinks(self) -> Iterator[Stretch]:
        s = self._services
        if not s.in_band.switches:
            return
        for pod in (*range(len(self._fabric.pods)), None):
            uppers = self._leaves(s.in_band, pod)
            lowers = self._leaves(s.out_of_band, pod, own=True)
            ends = np.repeat(lowers, OOB_UPLINKS)
            yield Stretch("out-of-band-up", ends, np.resize(uppers, len(ends)))

    def _leaves(self, network: Service, pod: int | None, *, own: bool = False) -> Index:
        """Return the leaf switches that devices of a pod, or of the infrastructure racks, are joined to."""
        mine = _NOBODY if pod is None else self._pod_leaves(network, pod)
        if len(mine) or (own and pod is not None):
            return mine
        return self._infrastructure(self._named(network, "leaf"))

    def _named(self, network: Service, tier: str) -> list[str]:
        return [name for name in self.switch_names(network) if name.startswith(f"{network.name}-{tier}-")]

    def _pod_leaves(self, network: Service, pod: int) -> Index:
        """Return the switches of a network in a pod, in the racks after those of its compute leaves.

        Those that the racks have no room for are in a network rack beside them, and their cables are as long.
        """
        racks = self._racks[pod]
        most = int(self._f["pod_switches_per_rack"])
        taken = self._leaf_racks[pod]
        first = (racks - taken + 1) // 2 + taken
        room = (racks - taken) * most
        before = 0
        for other in (self._services.storage, self._services.in_band, self._services.out_of_band):
            if other.name == network.name:
                break
            before += other.pod_leaves[pod]
        names = self.switch_names(network, pod)
        numbers = range(before, before + len(names))
        places = [(pod, (first + (number // most if number < room else 0)) % racks) for number in numbers]
        return self._numbered(names, places)

    @cached_property
    def _nodes(self) -> list[Index]:
        """The servers of each pod."""
        per_rack = int(self._f["nodes_per_rack"])
        in_pods = enumerate(self._fabric.pods)
        places = [(pod, number // per_rack) for pod, count in in_pods for number in range(count)]
        numbers = self._numbered(self._cables.node_names, places)
        return np.split(numbers, np.cumsum(self._fabric.pods)[:-1])

    def _numbered(self, names: Sequence[str], places: Iterable[tuple[int, int]]) -> Index:
        """Return the numbers of devices in racks, each by its pod and its number there. What is new has the next number."""
        for name in names:
            self._numbers.setdefault(name, len(self._numbers))
        ends = self._ends
        return np.array([ends.setdefault(one, len(ends)) for one in zip(names, places, strict=True)], np.int64)

    def _infrastructure(self, names: Sequence[str]) -> Index:
        """Return devices spread over the infrastructure racks in order."""
        racks = max(1, self._services.infrastructure_racks)
        return self._numbered(names, [(INFRASTRUCTURE, number % racks) for number in range(len(names))])

    def _storage_servers(self) -> Index:
        names = [f"storage-{n:03}" for n in range(1, self._storage.servers + 1)]
        return self._infrastructure(
            [*names, *(f"metadata-{n:02}" for n in range(1, self._storage.metadata_servers + 1))]
        )

    def _management(self) -> Index:
        count = int(self._f["management_servers"])
        names = [f"management-{n:02}" for n in range(1, count + 1)]
        return self._infrastructure(
            [*names, *(f"fabric-manager-{n}" for n in range(1, self._services.fabric_managers + 1))]
        )

    def _managed(self, pod: int) -> Iterator[Index]:
        """Yield the devices of a pod with a management port: servers, switches and rack PDUs."""
        s = self._services
        yield np.repeat(self._nodes[pod], int(self._f["out_of_band_ports_per_node"]))
        leaves = [f"pod-{pod + 1:03}-leaf-{number:02}" for number in range(1, self._fabric.leaves[pod] + 1)]
        yield self._numbered(leaves, [(pod, self._racks[pod] // 2)] * len(leaves))
        for network in (s.storage, s.in_band):
            yield self._pod_leaves(network, pod)
        yield self._feeds(f"pod-{pod + 1:03}-rack", pod, self._racks[pod], int(self._f["rack_feeds"]))

    def _managed_infrastructure(self) -> Iterator[Index]:
        s = self._services
        switches = [*self._cables.switch_names("spine"), *self._cables.switch_names("core")]
        for network in (s.storage, s.in_band, s.out_of_band):
            switches += self.switch_names(network)
        yield self._infrastructure(switches)
        yield self._management()
        yield self._storage_servers()
        yield self._feeds("infrastructure-rack", INFRASTRUCTURE, s.infrastructure_racks, INFRASTRUCTURE_FEEDS)

    def _feeds(self, racks: str, pod: int, count: int, feeds: int) -> Index:
        """Return the PDUs of so many racks."""
        places = [(pod, rack) for rack in range(count) for _ in range(feeds)]
        names = [f"{racks}-{rack + 1:02}-pdu-{feed}" for rack in range(count) for feed in range(1, feeds + 1)]
        return self._numbered(names, places)

    def _places(self, ends: Index) -> Place:
        """Return the places on the floor; infrastructure racks begin with those of spines and cores."""
        pods, numbers = np.array([rack for _, rack in self._ends], np.int64).reshape(-1, 2)[ends].T
        first = np.array(self._firsts)[np.maximum(pods, 0)]
        compute = self._cables.floor.compute(first + numbers)
        network = self._cables.floor.network(numbers)
        in_infrastructure = pods == INFRASTRUCTURE
        hall, row, rack = (np.where(in_infrastructure, b, a) for a, b in zip(compute, network, strict=True))
        return hall, row, rack
