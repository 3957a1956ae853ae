"""The cables of the networks beside the compute fabric, with both ends, length and type, as the cable schedule has them.

Storage runs over the same types of cable as the compute fabric. In-band management and the uplinks of out-of-band switches run
over active optical cables, which have their optics in them. Management ports have copper patch cables, and names of their own: those
of switches and rack PDUs are not among the numbers of the ports that carry data. A device is in one rack, whatever is cabled to it.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import cycle
from typing import NamedTuple, TextIO

import numpy as np
from numpy.typing import NDArray

from steps.design.cable_runs import STOCK_M
from steps.design.cables import REACHES, CableSchedule, Row, names_at
from steps.design.fabric import Fabric
from steps.design.figures import Figures
from steps.design.floor import Index, Metres, Place
from steps.design.service_networks import INFRASTRUCTURE_FEEDS, OOB_UPLINKS, Service, Services
from steps.design.storage import Storage

AOC_REACH_M = 100
"""Reach of an active optical cable in metres (NVIDIA LinkX 100G and 200G AOC, to 100 m)."""

ACTIVE_OPTICAL, PATCH, SINGLE_MODE = "active optical", "copper patch", "single-mode"

MANAGEMENT_PORT = "mgmt"
"""The port by which a server, a switch or a rack PDU is managed out of band. A second one of a device is `mgmt2`."""

_NOBODY: Index = np.empty(0, np.int64)


class Stretch(NamedTuple):
    """Cables of one tier, one after another: the numbers of both ends of each. `unused` numbers of cables are left out after them."""

    tier: str
    a: Index
    b: Index
    unused: int = 0


class Laid(NamedTuple):
    """Cables as columns: number, both ends, with the numbers of devices, length in metres, and what is bought, by its number in `bought`."""

    number: Index
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
        self._racks: list[int] = []
        """The rack of each device: compute racks, and counted on from them the infrastructure racks."""
        floor = cables.floor
        racks = range(floor.compute_racks + floor.network_racks, floor.compute_racks + services.infrastructure_racks)
        self._in_turn = cycle(racks)
        """The infrastructure racks after those of spines and cores, again and again."""

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
            laid.number[here].tolist(),
            *(column[here].tolist() for column in (laid.a, laid.a_port, laid.b, laid.b_port, laid.buys)),
            names_at(laid.a_place, here),
            names_at(laid.b_place, here),
            laid.length_m[here].round(1).tolist(),
            strict=True,
        )
        for number, a_number, a_port, b_number, b_port, buys, a_rack, b_rack, length in columns:
            a, b, (tier, stock_m, kind) = names[a_number], names[b_number], laid.bought[buys]
            port = a_port if tier != "out-of-band" else _management_port(a_port)
            ends = (a, port, a_rack, b, b_port, b_rack)
            yield (f"S{number:06}", tier, "", *ends, length, stock_m, kind, f"{a}:{port} <> {b}:{b_port}")

    def write(self, file: TextIO, pod: int | None = None) -> None:
        """Append the schedule to a CSV file without a header."""
        csv.writer(file, lineterminator="\n").writerows(self.rows(pod))

    @cached_property
    def laid(self) -> Laid:
        """The cables in order."""
        stretches = list(self._stretches())
        tiers = [*dict.fromkeys(stretch.tier for stretch in stretches)]
        of_stretch = [tiers.index(stretch.tier) for stretch in stretches]
        sizes = [len(stretch.a) for stretch in stretches]
        tier = np.repeat(np.array(of_stretch, np.int64), sizes)
        unused = np.repeat(np.cumsum([0, *(stretch.unused for stretch in stretches)])[:-1], sizes)
        ends = ([stretch.a for stretch in stretches], [stretch.b for stretch in stretches])
        a, b = (np.concatenate([_NOBODY, *side]) for side in ends)
        a_place, b_place = self._places(a), self._places(b)
        way = self._cables.floor.metres(a_place, b_place)
        length = np.where(way == 0, self._f["in_rack_m"], way + self._f["cable_rise_m"])
        stock = np.minimum(np.searchsorted(STOCK_M, length), len(STOCK_M) - 1)
        kinds, buys = np.unique(tier * len(STOCK_M) + stock, return_inverse=True)
        bought = [(tiers[kind // len(STOCK_M)], int(STOCK_M[kind % len(STOCK_M)])) for kind in kinds.tolist()]
        a_port, b_port = self._ports(a, b, np.array([name == "out-of-band" for name in tiers], bool)[tier])
        return Laid(
            np.arange(1, len(a) + 1) + unused,
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

    def _ports(self, a: Index, b: Index, manages: NDArray[np.bool_]) -> tuple[Index, Index]:
        """Return the next free port of each device, cable by cable. Management ports, at `a` where `manages`, are numbered by themselves."""
        devices = len(self._numbers)
        used = np.zeros(2 * devices, np.int64)
        used[:devices] = self._fabric_ports()
        ends = np.stack([a + devices * manages, b], axis=1).ravel()
        order = np.argsort(ends, kind="stable")
        counts = np.bincount(ends, minlength=2 * devices)
        before = np.cumsum(counts) - counts
        ports = np.empty_like(ends)
        ports[order] = np.arange(len(ends)) - before[ends[order]] + 1
        ports += used[ends]
        return ports[0::2], ports[1::2]

    def _fabric_ports(self) -> Index:
        """Return how many ports of each server and fabric manager are in the compute fabric. They have the first numbers."""
        shape = self._cables.shape
        found = np.zeros(len(self._numbers), np.int64)
        found[: shape.nodes] = shape.rails
        for port in range(shape.manager_ports):
            manager = self._numbers.get(f"fabric-manager-{port // 2 + 1}")
            if manager is not None:
                found[manager] += 1
        return found

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
            yield self._to_the_nearest(s.out_of_band, np.concatenate([*self._managed_infrastructure()]))
        yield from self._out_of_band_uplinks()

    def _down(self, network: Service, pod: int | None, devices: Index) -> Stretch:
        """Return the cables from devices to the leaves of their pod, in turn, or to those in the infrastructure racks."""
        return Stretch(network.name, devices, np.resize(self._leaves(network, pod), len(devices)))

    def _to_the_nearest(self, network: Service, devices: Index) -> Stretch:
        """Return the cables from devices outside pods to leaves of a network. Each leaf is in the rack in the middle of its devices.

        Up to release 0.3.0 each leaf had a cable to itself, and checklists have the names of those after them.
        """
        racks = np.array(self._racks, np.int64)[devices]
        by_rack, names = np.argsort(racks, kind="stable"), self._named(network, "leaf")
        middles = (2 * np.arange(len(names)) + 1) * len(devices) // (2 * len(names))
        leaves = self._placed(names, racks[by_rack[middles]])
        joined = leaves[np.arange(len(devices)) * len(names) // len(devices)]
        return Stretch(network.name, devices[by_rack], joined, unused=len(leaves))

    def _upward(self, network: Service) -> Iterator[Stretch]:
        in_pods = (self._pod_leaves(network, pod) for pod in range(len(self._fabric.pods)))
        leaves = np.concatenate([*in_pods, self._infrastructure(self._named(network, "leaf"))])
        spines, cores = (self._infrastructure(self._named(network, tier)) for tier in ("spine", "core"))
        for lower, upper in ((leaves, spines), (spines, cores)):
            if len(upper):
                a, b = (np.resize(devices, network.uplinks) for devices in (lower, upper))
                yield Stretch(f"{network.name}-up", a, b)

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
        layout = self._cables.layout
        racks, taken = int(layout.pod_racks[pod]), int(layout.leaf_racks[pod])
        most = int(self._f["pod_switches_per_rack"])
        first = (racks - taken + 1) // 2 + taken
        room = (racks - taken) * most
        before = 0
        for other in (self._services.storage, self._services.in_band, self._services.out_of_band):
            if other.name == network.name:
                break
            before += other.pod_leaves[pod]
        names = self.switch_names(network, pod)
        numbers = range(before, before + len(names))
        inside = [(first + (number // most if number < room else 0)) % racks for number in numbers]
        return self._placed(names, layout.first_rack[pod] + np.array(inside, np.int64))

    @cached_property
    def _nodes(self) -> list[Index]:
        """The servers of each pod."""
        per_rack, first = int(self._f["nodes_per_rack"]), self._cables.layout.first_rack
        racks = [first[pod] + np.arange(count) // per_rack for pod, count in enumerate(self._fabric.pods)]
        numbers = self._placed(self._cables.node_names, np.concatenate([_NOBODY, *racks]))
        return np.split(numbers, np.cumsum(self._fabric.pods)[:-1])

    def _placed(self, names: Sequence[str], racks: Iterable[int]) -> Index:
        """Return the numbers of devices. One that is new has the next number, and the rack from now on."""
        numbers = self._numbers
        for name, rack in zip(names, racks, strict=False):  # infrastructure racks are endless
            if name not in numbers:
                numbers[name] = len(numbers)
                self._racks.append(rack)
        return np.array([numbers[name] for name in names], np.int64)

    def _infrastructure(self, names: Sequence[str]) -> Index:
        """Return devices that are spread over the infrastructure racks."""
        return self._placed(names, self._in_turn)

    def _storage_servers(self) -> Index:
        names = [f"storage-{n:03}" for n in range(1, self._storage.servers + 1)]
        return self._infrastructure(
            [*names, *(f"metadata-{n:02}" for n in range(1, self._storage.metadata_servers + 1))]
        )

    def _management(self) -> Index:
        servers = [f"management-{n:02}" for n in range(1, int(self._f["management_servers"]) + 1)]
        managers = [f"fabric-manager-{n}" for n in range(1, self._services.fabric_managers + 1)]
        racks = self._cables.layout.manager_rack(np.arange(len(managers)))
        in_own = self._placed(managers, self._cables.floor.compute_racks + racks)
        return np.concatenate([self._infrastructure(servers), in_own])

    def _managed(self, pod: int) -> Iterator[Index]:
        """Yield the devices of a pod with a management port: servers, switches and rack PDUs."""
        s, layout = self._services, self._cables.layout
        yield np.repeat(self._nodes[pod], int(self._f["out_of_band_ports_per_node"]))
        leaves = np.flatnonzero(layout.leaf_pod == pod)
        yield self._placed([self._cables.switch_names("leaf")[leaf] for leaf in leaves], layout.leaf_rack(leaves))
        for network in (s.storage, s.in_band):
            yield self._pod_leaves(network, pod)
        racks = range(layout.first_rack[pod], layout.first_rack[pod + 1])
        yield self._feeds(f"pod-{pod + 1:03}-rack", racks, int(self._f["rack_feeds"]))

    def _managed_infrastructure(self) -> Iterator[Index]:
        """Yield the devices outside pods with a management port. Out-of-band switches are managed over their uplinks."""
        s, first = self._services, self._cables.floor.compute_racks
        upper = [*self._cables.switch_names("spine"), *self._cables.switch_names("core")]
        yield self._placed(upper, first + self._cables.layout.network_rack(np.arange(len(upper))))
        yield self._infrastructure([name for network in (s.storage, s.in_band) for name in self.switch_names(network)])
        yield self._management()
        yield self._storage_servers()
        racks = range(first, first + s.infrastructure_racks)
        yield self._feeds("infrastructure-rack", racks, INFRASTRUCTURE_FEEDS)

    def _feeds(self, names: str, racks: range, feeds: int) -> Index:
        """Return the PDUs of racks."""
        numbers = range(1, len(racks) + 1)
        pdus = [f"{names}-{number:02}-pdu-{feed}" for number in numbers for feed in range(1, feeds + 1)]
        return self._placed(pdus, [rack for rack in racks for _ in range(feeds)])

    def _places(self, devices: Index) -> Place:
        """Return the places of devices on the floor."""
        floor, racks = self._cables.floor, np.array(self._racks, np.int64)[devices]
        compute, others = floor.compute(racks), floor.infrastructure(racks - floor.compute_racks)
        is_compute = racks < floor.compute_racks
        hall, row, rack = (np.where(is_compute, a, b) for a, b in zip(compute, others, strict=True))
        return hall, row, rack


def _management_port(number: int) -> str:
    return MANAGEMENT_PORT if number == 1 else f"{MANAGEMENT_PORT}{number}"
