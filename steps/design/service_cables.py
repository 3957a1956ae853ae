"""The cables of the networks beside the compute fabric, with both ends, length and type, as the cable schedule has them.

Storage runs over the same types of cable as the compute fabric. In-band management and the uplinks of out-of-band switches run
over active optical cables, which have their optics in them. Management ports have copper patch cables.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import cycle, islice
from math import ceil
from typing import NamedTuple, TextIO

import numpy as np

from steps.design.cable_runs import STOCK_M, leaf_racks
from steps.design.cables import REACHES, CableSchedule, Row, names_at
from steps.design.fabric import Fabric
from steps.design.figures import Figures
from steps.design.floor import Metres, Place
from steps.design.service_networks import INFRASTRUCTURE_FEEDS, OOB_UPLINKS, Service, Services
from steps.design.storage import Storage

Rack = tuple[int, int]
"""A rack: the number of its pod from 0 and of the rack in it, or -1 and the number of an infrastructure rack."""

INFRASTRUCTURE = -1

Device = tuple[str, Rack]

AOC_REACH_M = 100
"""Reach of an active optical cable in metres (NVIDIA LinkX 100G and 200G AOC, to 100 m)."""

ACTIVE_OPTICAL, PATCH, SINGLE_MODE = "active optical", "copper patch", "single-mode"


class Stretch(NamedTuple):
    """Cables of one tier, one after another: the devices at both ends of each."""

    tier: str
    a: Sequence[Device]
    b: Sequence[Device]


class Laid(NamedTuple):
    """Cables as columns: their tier, both ends, length and stock length in metres, and type."""

    tier: Sequence[str]
    a: Sequence[str]
    a_port: Sequence[int]
    a_place: Place
    b: Sequence[str]
    b_port: Sequence[int]
    b_place: Place
    length_m: Metres
    stock_m: Sequence[int]
    type: Sequence[str]


class ServiceCables:
    """All cables of the storage network and of both management networks."""

    def __init__(self, figures: Figures, cables: CableSchedule, storage: Storage, services: Services) -> None:
        """Lay out the networks on the floor of the compute fabric."""
        self._f = figures
        self._cables = cables
        self._fabric: Fabric = cables.fabric
        self._storage = storage
        self._services = services
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
        laid = self.laid
        return Counter(zip(laid.tier, laid.stock_m, laid.type, strict=True))

    def rows(self, pod: int | None = None) -> Iterator[Row]:
        """Yield the rows of the schedule in the order of COLUMNS; for a pod (from 0) those of its devices and switches."""
        prefix = "" if pod is None else f"pod-{pod + 1:03}-"
        laid = self.laid
        here = [at for at, name in enumerate(laid.a) if name.startswith(prefix)]
        columns = zip(
            here,
            names_at(laid.a_place, here),
            names_at(laid.b_place, here),
            laid.length_m[here].round(1).tolist(),
            strict=True,
        )
        for at, a_rack, b_rack, length in columns:
            a, b, a_port, b_port = laid.a[at], laid.b[at], laid.a_port[at], laid.b_port[at]
            ends = (a, a_port, a_rack, b, b_port, b_rack)
            bought = (length, laid.stock_m[at], laid.type[at])
            yield (f"S{at + 1:06}", laid.tier[at], "", *ends, *bought, f"{a}:{a_port} <> {b}:{b_port}")

    def write(self, file: TextIO, pod: int | None = None) -> None:
        """Append the schedule to a CSV file without a header."""
        csv.writer(file, lineterminator="\n").writerows(self.rows(pod))

    @cached_property
    def laid(self) -> Laid:
        """The cables in order."""
        tiers: list[str] = []
        a: list[Device] = []
        b: list[Device] = []
        for stretch in self._stretches():
            tiers += [stretch.tier] * len(stretch.a)
            a += stretch.a
            b += stretch.b
        a_names, b_names = ([name for name, _ in ends] for ends in (a, b))
        a_place, b_place = (self._places([rack for _, rack in ends]) for ends in (a, b))
        way = self._cables.floor.metres(a_place, b_place)
        length = np.where(way == 0, self._f["in_rack_m"], way + self._f["cable_rise_m"])
        stock = STOCK_M[np.minimum(np.searchsorted(STOCK_M, length), len(STOCK_M) - 1)].tolist()
        bought = list(zip(tiers, stock, strict=True))
        types = {one: self._type_of(*one) for one in set(bought)}
        a_ports, b_ports = self._ports(a_names, b_names)
        return Laid(
            tiers,
            *(a_names, a_ports, a_place),
            *(b_names, b_ports, b_place),
            length,
            stock,
            [types[one] for one in bought],
        )

    def _type_of(self, tier: str, stock_m: int) -> str:
        if tier.startswith("storage"):
            return self._cables.type_of(stock_m)
        if tier == "out-of-band":
            return PATCH if stock_m <= AOC_REACH_M else "over reach"
        if stock_m <= AOC_REACH_M:
            return ACTIVE_OPTICAL
        return SINGLE_MODE if stock_m <= self._f[REACHES[SINGLE_MODE]] else "over reach"

    def _ports(self, a_names: Sequence[str], b_names: Sequence[str]) -> tuple[list[int], list[int]]:
        """Return the next free port of each device, cable by cable; those of servers come after the rails."""
        used = dict.fromkeys(self._cables.node_names, self._cables.shape.rails)
        ports: tuple[list[int], list[int]] = ([], [])
        for ends in zip(a_names, b_names, strict=True):
            for name, own in zip(ends, ports, strict=True):
                used[name] = port = used.get(name, 0) + 1
                own.append(port)
        return ports

    def _stretches(self) -> Iterator[Stretch]:
        """Yield all cables in order."""
        s = self._services
        for network, each in ((s.storage, "storage_ports_per_node"), (s.in_band, "in_band_ports_per_node")):
            if network.switches:
                ports = int(self._f[each])
                for pod, servers in enumerate(self._nodes):
                    yield self._down(network, pod, [server for server in servers for _ in range(ports)])
        storage_ports = int(self._f.get("storage_server_ports", 0))
        if s.storage.switches:
            yield self._down(s.storage, None, [d for d in self._storage_servers() for _ in range(storage_ports)])
        if s.in_band.switches:
            ports = int(self._f["in_band_ports_per_node"])
            yield self._down(s.in_band, None, [d for d in self._management() for _ in range(ports)])
        yield from self._upward(s.storage)
        yield from self._upward(s.in_band)
        if s.out_of_band.switches:
            for pod in range(len(self._fabric.pods)):
                yield self._down(s.out_of_band, pod, list(self._managed(pod)))
            yield self._down(s.out_of_band, None, list(self._managed_infrastructure()))
        yield from self._out_of_band_uplinks()

    def _down(self, network: Service, pod: int | None, devices: Sequence[Device]) -> Stretch:
        """Return the cables from devices to the leaves of their pod, in turn, or to those in the infrastructure racks."""
        return Stretch(network.name, devices, _in_turn(self._leaves(network, pod), len(devices)))

    def _upward(self, network: Service) -> Iterator[Stretch]:
        leaves = [leaf for pod in range(len(self._fabric.pods)) for leaf in self._pod_leaves(network, pod)]
        leaves += self._infrastructure(self._named(network, "leaf"))
        spines, cores = (self._infrastructure(self._named(network, tier)) for tier in ("spine", "core"))
        for lower, upper in ((leaves, spines), (spines, cores)):
            if upper:
                ends = (_in_turn(devices, network.uplinks) for devices in (lower, upper))
                yield Stretch(f"{network.name}-up", *ends)

    def _out_of_band_uplinks(self) -> Iterator[Stretch]:
        s = self._services
        if not s.in_band.switches:
            return
        for pod in (*range(len(self._fabric.pods)), None):
            uppers = self._leaves(s.in_band, pod)
            lowers = self._leaves(s.out_of_band, pod, own=True)
            ends = [lower for lower in lowers for _ in range(OOB_UPLINKS)]
            yield Stretch("out-of-band-up", ends, _in_turn(uppers, len(ends)))

    def _leaves(self, network: Service, pod: int | None, *, own: bool = False) -> list[Device]:
        """Return the leaf switches that devices of a pod, or of the infrastructure racks, are joined to."""
        mine = [] if pod is None else self._pod_leaves(network, pod)
        if mine or (own and pod is not None):
            return mine
        return self._infrastructure(self._named(network, "leaf"))

    def _named(self, network: Service, tier: str) -> list[str]:
        return [name for name in self.switch_names(network) if name.startswith(f"{network.name}-{tier}-")]

    def _pod_leaves(self, network: Service, pod: int) -> list[Device]:
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
        devices = []
        for number, name in enumerate(self.switch_names(network, pod), before):
            rack = (first + number // most) % racks if number < room else first % racks
            devices.append((name, (pod, rack)))
        return devices

    @cached_property
    def _nodes(self) -> list[list[Device]]:
        names = iter(self._cables.node_names)
        per_rack = int(self._f["nodes_per_rack"])
        return [
            [(next(names), (pod, number // per_rack)) for number in range(count)]
            for pod, count in enumerate(self._fabric.pods)
        ]

    def _infrastructure(self, names: Sequence[str]) -> list[Device]:
        """Return devices spread over the infrastructure racks in order."""
        racks = max(1, self._services.infrastructure_racks)
        return [(name, (INFRASTRUCTURE, number % racks)) for number, name in enumerate(names)]

    def _storage_servers(self) -> list[Device]:
        names = [f"storage-{n:03}" for n in range(1, self._storage.servers + 1)]
        return self._infrastructure(
            [*names, *(f"metadata-{n:02}" for n in range(1, self._storage.metadata_servers + 1))]
        )

    def _management(self) -> list[Device]:
        count = int(self._f["management_servers"])
        names = [f"management-{n:02}" for n in range(1, count + 1)]
        return self._infrastructure(
            [*names, *(f"fabric-manager-{n}" for n in range(1, self._services.fabric_managers + 1))]
        )

    def _managed(self, pod: int) -> Iterator[Device]:
        """Yield the devices of a pod with a management port: servers, switches and rack PDUs."""
        s = self._services
        yield from (node for node in self._nodes[pod] for _ in range(int(self._f["out_of_band_ports_per_node"])))
        middle = self._racks[pod] // 2
        for number in range(1, self._fabric.leaves[pod] + 1):
            yield f"pod-{pod + 1:03}-leaf-{number:02}", (pod, middle)
        for network in (s.storage, s.in_band):
            yield from self._pod_leaves(network, pod)
        for rack in range(self._racks[pod]):
            for feed in range(1, int(self._f["rack_feeds"]) + 1):
                yield f"pod-{pod + 1:03}-rack-{rack + 1:02}-pdu-{feed}", (pod, rack)

    def _managed_infrastructure(self) -> Iterator[Device]:
        s = self._services
        switches = [*self._cables.switch_names("spine"), *self._cables.switch_names("core")]
        for network in (s.storage, s.in_band, s.out_of_band):
            switches += self.switch_names(network)
        yield from self._infrastructure(switches)
        yield from self._management()
        yield from self._storage_servers()
        for rack in range(s.infrastructure_racks):
            for feed in range(1, INFRASTRUCTURE_FEEDS + 1):
                yield f"infrastructure-rack-{rack + 1:02}-pdu-{feed}", (INFRASTRUCTURE, rack)

    def _places(self, racks: Sequence[Rack]) -> Place:
        """Return the places on the floor; infrastructure racks begin with those of spines and cores."""
        pods, numbers = np.array(racks, np.int64).reshape(-1, 2).T
        first = np.array(self._firsts)[np.maximum(pods, 0)]
        compute = self._cables.floor.compute(first + numbers)
        network = self._cables.floor.network(numbers)
        in_infrastructure = pods == INFRASTRUCTURE
        hall, row, rack = (np.where(in_infrastructure, b, a) for a, b in zip(compute, network, strict=True))
        return hall, row, rack


def _in_turn(devices: Sequence[Device], count: int) -> list[Device]:
    """Return so many devices, the first again after the last."""
    return list(islice(cycle(devices), count))
