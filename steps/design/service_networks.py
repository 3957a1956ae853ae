"""The networks beside the compute fabric: storage, in-band management and out-of-band management.

Each has switches and cables of its own. A network whose devices fit on two switches has one pair in the infrastructure racks.
A larger one has leaf switches in every pod, others in the infrastructure racks, and one or two tiers above them.

A network without ports is not built: a site whose storage is reached over the compute fabric has `storage_network: none`, or no
storage ports on its servers. Figures of plans from before these networks were counted have no such ports either.
"""

from __future__ import annotations

from math import ceil
from typing import NamedTuple

from steps.design.fabric import Fabric, ports_down
from steps.design.figures import Chosen, Figures
from steps.design.storage import Storage

OOB_UPLINKS = 2
"""Uplinks of an out-of-band switch to the in-band network (NVIDIA DGX SuperPOD, RA-11333-001, table 8)."""

INFRASTRUCTURE_FEEDS = 2
"""Feeds, and rack PDUs, of an infrastructure rack (RA-11333-001, table 7: 12 PDUs in 6 such racks)."""

STORAGE_SERVERS_A_RACK = 10
"""Storage and metadata servers in an infrastructure rack (judgement: 2U servers, 1.5 kW each, beside their switches)."""

ServiceName = str
"""`storage`, `in-band` or `out-of-band`."""


class Service(NamedTuple):
    """Switches and cables of one network. Tuples have a number for each pod."""

    name: ServiceName
    pod_leaves: tuple[int, ...]
    pod_cables: tuple[int, ...]
    site_leaves: int = 0
    site_cables: int = 0
    spines: int = 0
    cores: int = 0
    uplinks: int = 0

    @property
    def site_switches(self) -> int:
        """Switches in the infrastructure racks."""
        return self.site_leaves + self.spines + self.cores

    @property
    def switches(self) -> int:
        """Switches of all tiers."""
        return sum(self.pod_leaves) + self.site_switches

    @property
    def uplink_cables(self) -> int:
        """Cables between switches. Those between spines and cores are as many as those below."""
        return self.uplinks * (2 if self.cores else 1)


class Services(NamedTuple):
    """The three networks, the infrastructure racks, and the switches that each compute rack has room for."""

    storage: Service
    in_band: Service
    out_of_band: Service
    infrastructure_racks: int
    rack_switch_kw: float
    fabric_managers: int
    border_routers: int

    @property
    def management_switches(self) -> int:
        """Switches of both management networks."""
        return self.in_band.switches + self.out_of_band.switches

    def pod_uplinks(self, pod: int) -> int:
        """Return the cables upward from the switches of a pod (from 0). A network's uplinks are dealt to its leaves in turn."""
        found = OOB_UPLINKS * self.out_of_band.pod_leaves[pod] if self.out_of_band.uplinks else 0
        for network in (self.storage, self.in_band):
            leaves = sum(network.pod_leaves) + network.site_leaves
            first = sum(network.pod_leaves[:pod])
            each, more = divmod(network.uplinks, max(1, leaves))
            found += sum(each + (leaf < more) for leaf in range(first, first + network.pod_leaves[pod]))
        return found

    def kw(self, f: Figures) -> float:
        """Return the power of all switches and appliances here, in kW."""
        each = (
            (self.storage.switches, "storage_switch_kw"),
            (self.in_band.switches, "in_band_switch_kw"),
            (self.out_of_band.switches, "out_of_band_switch_kw"),
            (self.fabric_managers, "fabric_manager_kw"),
            (self.border_routers, "border_router_kw"),
        )
        return sum(count * f[name] for count, name in each if count)


def services_of(f: Figures, choices: Chosen, fabric: Fabric, storage: Storage) -> Services:
    """Return the networks beside the compute fabric of a design."""
    racks = [ceil(nodes / f["nodes_per_rack"]) for nodes in fabric.pods]
    has_fabric = fabric.tiers > 0
    managers = int(f.get("fabric_managers", 0)) if has_fabric else 0
    routers = int(f.get("border_routers", 0)) if has_fabric else 0
    stored = _storage(f, choices, fabric, storage)
    in_band = _none("in-band", fabric)
    out_of_band = _none("out-of-band", fabric)
    infra = _infrastructure_racks(f, fabric, storage, stored)
    servers = storage.servers + storage.metadata_servers
    joined = has_fabric and f.get("in_band_ports_per_node", 0) > 0
    settled: tuple[Service, ...] = ()
    while settled != (stored, in_band, out_of_band):  # each network has ports for the switches of the others
        settled = beside = (stored, in_band, out_of_band)
        infra = _infrastructure_racks(f, fabric, storage, *beside)
        upper = fabric.spine + fabric.core + stored.site_switches + in_band.site_switches
        devices = upper + int(f["management_servers"]) + managers + servers + infra * INFRASTRUCTURE_FEEDS
        out_of_band = _out_of_band(f, fabric, racks, (stored, in_band), devices, out_of_band.site_leaves)
        if not joined:
            out_of_band = out_of_band._replace(uplinks=0)
        if has_fabric:
            in_band = _in_band(f, fabric, out_of_band, int(f["management_servers"]) + managers)
    return Services(
        storage=stored,
        in_band=in_band,
        out_of_band=out_of_band,
        infrastructure_racks=infra,
        rack_switch_kw=_rack_switch_kw(f, fabric, racks, (stored, in_band, out_of_band)),
        fabric_managers=managers,
        border_routers=routers,
    )


def pod_switches(fabric: Fabric, services: tuple[Service, ...], pod: int) -> int:
    """Return the switches of every network that belong to a pod (from 0)."""
    return fabric.leaves[pod] + sum(network.pod_leaves[pod] for network in services)


def _none(name: ServiceName, fabric: Fabric) -> Service:
    nothing = (0,) * len(fabric.pods)
    return Service(name, nothing, nothing)


def _storage(f: Figures, choices: Chosen, fabric: Fabric, storage: Storage) -> Service:
    """Return the storage network: servers oversubscribed as the figures say, storage servers at full bandwidth."""
    each = int(f.get("storage_ports_per_node", 0))
    if not each or not storage.servers or not fabric.tiers or choices["storage_network"] == "none":
        return _none("storage", fabric)
    radix, over = int(f["storage_radix"]), f["storage_oversubscription"]
    pods = tuple(nodes * each for nodes in fabric.pods)
    site = (storage.servers + storage.metadata_servers) * int(f["storage_server_ports"])
    if sum(pods) + site <= 2 * radix:
        return _pair("storage", pods, site)
    down = ports_down(radix, over)
    pod_leaves = tuple(_pairs(ports, down) for ports in pods)
    pod_up = sum(leaves * ceil(ports / leaves / over - 1e-6) for ports, leaves in zip(pods, pod_leaves, strict=True))
    site_leaves = _pairs(site, radix // 2)
    up = pod_up + site_leaves * ceil(site / site_leaves)
    return _tiers(Service("storage", pod_leaves, pods, site_leaves, site), up, radix)


def _in_band(f: Figures, fabric: Fabric, out_of_band: Service, devices: int) -> Service:
    """Return the in-band network, which carries the out-of-band switches as well."""
    each = int(f.get("in_band_ports_per_node", 0))
    if not each:
        return _none("in-band", fabric)
    radix, uplinks = int(f["in_band_radix"]), int(f["in_band_uplinks"])
    own = tuple(nodes * each for nodes in fabric.pods)
    ports = tuple(count + leaves * OOB_UPLINKS for count, leaves in zip(own, out_of_band.pod_leaves, strict=True))
    own_site, site = devices * each, devices * each + out_of_band.site_switches * OOB_UPLINKS
    if sum(ports) + site <= 2 * radix:
        return _pair("in-band", own, own_site)
    pod_leaves = tuple(_pairs(count, radix - uplinks) for count in ports)
    site_leaves = _pairs(site, radix - uplinks)
    up = (sum(pod_leaves) + site_leaves) * uplinks
    return _tiers(Service("in-band", pod_leaves, own, site_leaves, own_site), up, radix)


def _out_of_band(
    f: Figures,
    fabric: Fabric,
    racks: list[int],
    beside: tuple[Service, ...],
    devices: int,
    free: int,
) -> Service:
    """Return the out-of-band network: controllers of servers, management ports of switches, rack PDUs.

    It has `devices` outside pods, and so many `free` ports: its own switches there are managed over their uplinks.
    """
    each = int(f.get("out_of_band_ports_per_node", 0))
    if not each:
        return _none("out-of-band", fabric)
    radix = int(f["out_of_band_radix"])
    pods = []
    for pod, nodes in enumerate(fabric.pods):
        pods.append(nodes * each + racks[pod] * int(f["rack_feeds"]) + pod_switches(fabric, beside, pod))
    pod_leaves = tuple(ceil(ports / radix) for ports in pods)
    site_leaves = ceil((devices + free) / radix)
    up = (sum(pod_leaves) + site_leaves) * OOB_UPLINKS
    return Service("out-of-band", pod_leaves, tuple(pods), site_leaves, devices, uplinks=up)


def _pair(name: ServiceName, pods: tuple[int, ...], site: int) -> Service:
    """Return a network of two switches in the infrastructure racks."""
    return Service(name, (0,) * len(pods), pods, 2, site)


def _pairs(ports: int, down: int) -> int:
    """Return the leaf switches for a number of ports, in pairs, so that a server keeps one if the other is lost."""
    return 2 * max(1, ceil(ports / (2 * down)))


def _tiers(network: Service, up: int, radix: int) -> Service:
    """Return a network with the switches above its leaves: spines, and cores where spines cannot reach every leaf."""
    if sum(network.pod_leaves) + network.site_leaves <= radix:
        return network._replace(spines=max(2, ceil(up / radix)), uplinks=up)
    return network._replace(spines=ceil(up / (radix // 2)), cores=ceil(up / radix), uplinks=up)


def _infrastructure_racks(f: Figures, fabric: Fabric, storage: Storage, *networks: Service) -> int:
    """Return the racks of spines, cores, storage and management; a single machine has none.

    Switches of a pod that its racks have no room for are in these racks too.
    """
    if fabric.tiers == 0 and not storage.servers:
        return 0
    switches = fabric.spine + fabric.core + sum(network.site_switches for network in networks)
    most = f.get("pod_switches_per_rack", 0)
    for pod, nodes in enumerate(fabric.pods):
        room = ceil(nodes / f["nodes_per_rack"]) * most
        switches += max(0, pod_switches(fabric, networks, pod) - int(room)) if most else 0
    servers = storage.servers + storage.metadata_servers
    return 2 + ceil(switches / f["switches_per_rack"]) + ceil(servers / STORAGE_SERVERS_A_RACK)


def _rack_switch_kw(f: Figures, fabric: Fabric, racks: list[int], networks: tuple[Service, ...]) -> float:
    """Return the power of the switches in the fullest compute rack, in kW."""
    most = int(f.get("pod_switches_per_rack", 0))
    each = ("storage_switch_kw", "in_band_switch_kw", "out_of_band_switch_kw")
    fullest = 0.0
    for pod, places in enumerate(racks):
        kinds = [(fabric.leaves[pod], f["switch_kw"])]
        kinds += [(network.pod_leaves[pod], f.get(name, 0.0)) for network, name in zip(networks, each, strict=True)]
        kws = [kw for count, kw in kinds for _ in range(count)]
        chunks = (kws[at : at + most] for at in range(0, min(len(kws), places * most), most or 1))
        fullest = max([fullest, *(sum(chunk) for chunk in chunks)])
    return fullest
