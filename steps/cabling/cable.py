"""A cable as it is drawn, and a port as its device reports it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class CableEnd(NamedTuple):
    """A port of a device."""

    device: str
    port: str

    def __str__(self) -> str:
        return f"{self.device} {self.port}".rstrip()


class Cable(NamedTuple):
    """A cable of the schedule. `a` is the server, or the lower switch; the rate is unknown where it is None."""

    name: str
    a: CableEnd
    b: CableEnd
    a_rack: str = ""
    b_rack: str = ""
    tier: str = ""
    rail: str = ""
    gbit: float | None = None


class FarSide(NamedTuple):
    """The far side that a port hears: its device, and the names that it has for its port, the likeliest first."""

    device: str
    ports: tuple[str, ...]
    chassis: str = ""


class PortSeen(NamedTuple):
    """A port as its device reports it. What the device does not say is None or empty."""

    device: str
    port: str
    up: bool | None = None
    gbit: float | None = None
    could: str = ""
    """What both ends could do and do not: `12X`, `10.0 Gbps`."""
    mac: str = ""
    neighbours: tuple[FarSide, ...] = ()

    @property
    def is_live(self) -> bool:
        """Whether what it hears is of now. A port that is down repeats what it heard before."""
        return self.up is not False


class Reading(NamedTuple):
    """What was read: ports of the devices that answered, and by device why another did not."""

    ports: tuple[PortSeen, ...]
    unread: Mapping[str, str] = {}


def together(parts: list[Reading]) -> Reading:
    """Return several readings as one. A device that one way of reading reached was read."""
    ports = tuple(port for part in parts for port in part.ports)
    answered = {port.device for port in ports}
    unread = {device: why for part in parts for device, why in part.unread.items() if device not in answered}
    return Reading(ports, unread)
