"""A switch as it is drawn: its ports, bundles, segments and numbers. What a vendor's configuration is rendered from."""

from __future__ import annotations

from typing import NamedTuple

from steps.cabling.cable import CableEnd

COMPUTE, STORAGE, IN_BAND, OUT_OF_BAND = "compute", "storage", "in-band", "out-of-band"
"""The networks that a switch may belong to."""


class SwitchPort(NamedTuple):
    """A port with its cable. `vlan` is that of the server behind it; a port between switches of one network is routed."""

    name: str
    cable: str
    far: CableEnd
    vlan: int | None = None
    is_routed: bool = False
    gbit: float | None = None


class Bond(NamedTuple):
    """Ports that are bundled by LACP. `segment` numbers the far device if its ports are at several switches."""

    name: str
    far: str
    members: tuple[str, ...]
    vlan: int
    segment: int | None = None
    is_edge: bool = True
    """Whether a server is at the far end, not a switch."""


class Segment(NamedTuple):
    """A VLAN: the gateway's address with its prefix, which each leaf switch has, and the routing table that it belongs to."""

    vlan: int
    name: str
    gateway: str
    table: str


class Management(NamedTuple):
    """The switch's own address with its prefix, and the gateway. `vlan` is that of switches which are managed over their ports."""

    address: str
    gateway: str
    vlan: int | None = None


class Switch(NamedTuple):
    """A switch. `asn` and `loopback` are None where no cable leads to another switch of its network."""

    name: str
    drawn: str
    """Its name in the schedule, which begins with its pod; `name` is that on site."""
    network: str
    level: int
    """0 for a leaf, 1 for a spine, 2 for a core."""
    management: Management
    ports: tuple[SwitchPort, ...]
    bonds: tuple[Bond, ...] = ()
    segments: tuple[Segment, ...] = ()
    asn: int | None = None
    loopback: str | None = None
    is_lossless: bool = False
    """Whether it carries RoCE."""

    @property
    def routed(self) -> list[SwitchPort]:
        """Ports to other switches of its network."""
        return [port for port in self.ports if port.is_routed]
