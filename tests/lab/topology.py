"""What a lab consists of, read from `topologies/NAME.yaml`: hosts, links, simulated equipment. Values only."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network
from pathlib import Path
from typing import Any

import yaml

from tests.lab.releases import DEBIAN_12

FOLDER = Path(__file__).parent / "topologies"
BMC_OFFSET = 100


@dataclass(frozen=True)
class Host:
    """A host; `number` is the last octet of its address in every network, `release` its operating system in `RELEASES`."""

    name: str
    role: str
    number: int
    bmc: bool = False
    release: str = DEBIAN_12


@dataclass(frozen=True)
class Link:
    """A cable of the data plane, from a host's port to a switch's."""

    host: str
    port: str
    switch: str
    switch_port: str


@dataclass(frozen=True)
class Pdu:
    """A power distribution unit; outlet n feeds the n-th host."""

    name: str
    number: int
    outlets: tuple[str, ...]


@dataclass(frozen=True)
class CoolingUnit:
    """A unit that is read and set over Modbus."""

    name: str
    number: int


@dataclass(frozen=True)
class Infiniband:
    """A simulated two-level fabric, one port of every host in it; or that of a preset, with a port for each manager."""

    spines: int = 0
    leaves: int = 0
    hosts: tuple[str, ...] = ()
    preset: str = ""
    managers: tuple[str, ...] = ()


@dataclass(frozen=True)
class Topology:
    """A lab's hosts, links and equipment; the equipment lives on `simulator_host`. `storage_port` is hosts' port of the storage network."""

    name: str
    title: str
    hosts: tuple[Host, ...]
    links: tuple[Link, ...]
    simulator_host: str
    pdus: tuple[Pdu, ...] = ()
    cooling: tuple[CoolingUnit, ...] = ()
    infiniband: Infiniband | None = None
    storage_port: str = ""

    @property
    def needs_simulators(self) -> bool:
        """Say whether the equipment needs more than Python: BMCs alone do not."""
        return bool(self.pdus or self.cooling or self.infiniband)

    def host(self, name: str) -> Host:
        """Return a host by name. The error for an unknown name lists the known ones."""
        for host in self.hosts:
            if host.name == name:
                return host
        raise SystemExit(f"the lab has no host {name!r}; it has {', '.join(h.name for h in self.hosts)}")


@dataclass(frozen=True)
class Addresses:
    """The addresses in a /22: 256 for management, then 256 for each plane of the data network."""

    network: IPv4Network

    @property
    def management(self) -> IPv4Network:
        """Return the network of host management, BMCs and equipment."""
        return self.plane(0)

    @property
    def gateway(self) -> IPv4Address:
        """Return the machine's own address in the management network."""
        return self.management[1]

    def plane(self, number: int) -> IPv4Network:
        """Return the network of a plane; 0 is management."""
        return list(self.network.subnets(new_prefix=24))[number]

    def of(self, number: int, plane: int = 0) -> IPv4Address:
        """Return the address of a host or device in a plane."""
        return self.plane(plane)[number]

    def bmc(self, host: Host) -> IPv4Address:
        """Return the address of a host's BMC."""
        return self.of(host.number + BMC_OFFSET)


def plane_of(port: str) -> int:
    """Return the plane of a host's port: eth1 is in plane 1."""
    return int(port.removeprefix("eth"))


def topology_names() -> list[str]:
    """Return the names of the topologies."""
    return sorted(path.stem for path in FOLDER.glob("*.yaml"))


def read_topology(name: str) -> Topology:
    """Return a topology by name."""
    path = FOLDER / f"{name}.yaml"
    if not path.exists():
        raise SystemExit(f"there is no topology {name!r}; there are {', '.join(topology_names())}")
    data = yaml.safe_load(path.read_text(encoding="utf-8"))
    simulators = data["simulators"]
    fabric = simulators.get("infiniband")
    return Topology(
        name=name,
        title=data["title"],
        hosts=tuple(Host(name=host, **entry) for host, entry in data["hosts"].items()),
        links=tuple(Link(**link) for link in data["links"]),
        simulator_host=simulators["host"],
        pdus=tuple(
            Pdu(pdu, entry["number"], tuple(entry["outlets"])) for pdu, entry in simulators.get("pdus", {}).items()
        ),
        cooling=tuple(CoolingUnit(unit, entry["number"]) for unit, entry in simulators.get("cooling", {}).items()),
        infiniband=_infiniband(fabric) if fabric else None,
        storage_port=data.get("storage_port", ""),
    )


def _infiniband(data: dict[str, Any]) -> Infiniband:
    hosts, managers = (tuple(data.get(key, ())) for key in ("hosts", "managers"))
    return Infiniband(data.get("spines", 0), data.get("leaves", 0), hosts, data.get("preset", ""), managers)
