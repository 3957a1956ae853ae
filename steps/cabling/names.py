"""Finds the drawn port that a found name means.

The schedule numbers ports, and devices name them: `swp21` is port 21 of a switch, since 21 is its only number. A name with several
numbers (`Ethernet21/1`) means the port that the schedule calls so, or none; and so does every name of a server's port, as `eno1` may be the
card that manages it. Devices are compared without their domain. A port that announces its address in the place of a name is found by that
address.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from steps.cabling.cable import Cable, CableEnd, FarSide, PortSeen

NUMBERS = re.compile(r"\d+", re.ASCII)
NOT_HEX = re.compile(r"[^0-9a-f]")
MAC = re.compile(r"[0-9a-f]{2}(?:[:.-]?[0-9a-f]{2}){5}", re.IGNORECASE)


MANAGEMENT = ("eth", "mgmt", "ma", "management", "lo")
"""How the ports begin by which a switch itself is managed. They are not in the schedule of the fabric, whatever their number."""


class Names:
    """The ends of a schedule by every name under which they may be found."""

    def __init__(self, cables: Iterable[Cable], ports: Iterable[PortSeen]) -> None:
        self._devices: dict[str, str] = {}
        self._ports: dict[str, dict[str, CableEnd]] = {}
        self._switches: set[str] = set()
        for cable in cables:
            self._switches.add(cable.b.device)
            for end in (cable.a, cable.b):
                self._devices.setdefault(_short(end.device), end.device)
                self._ports.setdefault(end.device, {})[end.port.lower()] = end
        self._macs = {_plain(port.mac): self.end(port.device, port.port) for port in ports if port.mac}

    def device(self, name: str) -> str:
        """Return a device as it is drawn, else its short name."""
        return self._devices.get(_short(name)) or name.partition(".")[0].strip()

    def end(self, device: str, *ports: str) -> CableEnd:
        """Return the port that the first of these names means; if none is drawn, a port with the first name.

        If a server's ports are drawn as numbers, no other name says which it is, and the port has an empty name.
        """
        name = self.device(device)
        drawn = self._ports.get(name, {})
        for port in ports:
            number = number_of(port) if name in self._switches and not is_management(port) else port
            if found := drawn.get(port.lower()) or drawn.get(number):
                return found
        is_numbered = bool(drawn) and all(port.isdecimal() for port in drawn)
        return CableEnd(name, "" if is_numbered and name not in self._switches else next(iter(ports), ""))

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


def is_management(port: str) -> bool:
    """Return whether a switch's port is one by which it is managed."""
    return port.lower().startswith(MANAGEMENT) and not port.lower().startswith("ethernet")


def number_of(port: str) -> str:
    """Return the only number in a port's name, without leading zeros; the name where there is none, or several."""
    found = NUMBERS.findall(port)
    return str(int(found[0])) if len(found) == 1 else port


def _short(name: str) -> str:
    return name.partition(".")[0].strip().lower()


def _plain(mac: str) -> str:
    return NOT_HEX.sub("", mac.lower())
