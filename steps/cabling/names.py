"""Finds the drawn port that a found name means.

The schedule numbers ports, and devices name them: `swp21` is port 21 of a switch, since 21 is its only number. A name with several
numbers (`mlx5_3`, `Ethernet21/1`) means the port that the schedule calls so, or none. Devices are compared without their domain. A
port that announces its address in the place of a name is found by that address.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from steps.cabling.cable import Cable, CableEnd, FarSide, PortSeen

NUMBERS = re.compile(r"\d+", re.ASCII)
NOT_HEX = re.compile(r"[^0-9a-f]")
MAC = re.compile(r"[0-9a-f]{2}(?:[:.-]?[0-9a-f]{2}){5}", re.IGNORECASE)


class Names:
    """The ends of a schedule by every name under which they may be found."""

    def __init__(self, cables: Iterable[Cable], ports: Iterable[PortSeen]) -> None:
        self._devices: dict[str, str] = {}
        self._ports: dict[str, dict[str, CableEnd]] = {}
        for cable in cables:
            for end in (cable.a, cable.b):
                self._devices.setdefault(_short(end.device), end.device)
                self._ports.setdefault(end.device, {})[end.port.lower()] = end
        self._macs = {_plain(port.mac): self.end(port.device, port.port) for port in ports if port.mac}

    def device(self, name: str) -> str:
        """Return a device as it is drawn, else its short name."""
        return self._devices.get(_short(name)) or name.partition(".")[0].strip()

    def is_drawn(self, end: CableEnd) -> bool:
        """Return whether a cable is drawn to this port."""
        return end.port.lower() in self._ports.get(end.device, {})

    def end(self, device: str, *ports: str) -> CableEnd:
        """Return the port that the first of these names means; if none is drawn, a port with the first name."""
        name = self.device(device)
        drawn = self._ports.get(name, {})
        for port in ports:
            if found := drawn.get(port.lower()) or drawn.get(number_of(port)):
                return found
        return CableEnd(name, next(iter(ports), ""))

    def far_end(self, neighbour: FarSide) -> CableEnd:
        """Return the port that a neighbour means. A port of which only the device is known has an empty name."""
        for name in neighbour.ports:
            if MAC.fullmatch(name) and (found := self._macs.get(_plain(name))):
                return found
        named = [port for port in neighbour.ports if port and not MAC.fullmatch(port)]
        device = neighbour.device
        if _short(device) not in self._devices and (chassis := self._macs.get(_plain(neighbour.chassis))):
            device = chassis.device
        return self.end(device or neighbour.chassis, *named)


def number_of(port: str) -> str:
    """Return the only number in a port's name, without leading zeros; the name where there is none, or several."""
    found = NUMBERS.findall(port)
    return str(int(found[0])) if len(found) == 1 else port


def _short(name: str) -> str:
    return name.partition(".")[0].strip().lower()


def _plain(mac: str) -> str:
    return NOT_HEX.sub("", mac.lower())
