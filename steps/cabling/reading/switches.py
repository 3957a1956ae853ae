"""Ports of switches: NVIDIA's NVUE (`/nvue_v1/interface?rev=applied`, also `nv show interface -o json`), and Arista's eAPI.

Of eAPI, `show lldp neighbors detail` and `show interfaces status` are read, either both results in a list or one object of both.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from steps.cabling.cable import FarSide, PortSeen

Json = Mapping[str, Any]

GBIT = 1e9
OTHER_TYPES = frozenset({"eth", "loopback", "bond", "svi", "vlan", "sub", "peerlink", "bridge"})
"""Interfaces of NVUE that are no ports of the fabric."""

UNITS = {"T": 1000.0, "G": 1.0, "M": 0.001}


def is_nvue(document: Any) -> bool:
    """Return whether a document is NVUE's list of interfaces."""
    return isinstance(document, dict) and bool(document) and all(_has_link(each) for each in document.values())


def nvue_ports(device: str, document: Json) -> list[PortSeen]:
    """Return the ports of a switch that NVUE lists."""
    return [
        _nvue_port(device, name, about)
        for name, about in document.items()
        if about.get("type", "swp") not in OTHER_TYPES
    ]


def is_eapi(document: Any) -> bool:
    """Return whether a document is an answer of eAPI."""
    return "interfaceStatuses" in _eapi(document)


def eapi_ports(device: str, document: Any) -> list[PortSeen]:
    """Return the ports of a switch that eAPI lists."""
    said = _eapi(document)
    found = []
    for name, about in said["interfaceStatuses"].items():
        heard = said["lldpNeighbors"].get(name, {}).get("lldpNeighborInfo", [])
        up = about["linkStatus"] == "connected"
        rate = about.get("bandwidth", 0) / GBIT
        found.append(PortSeen(device, name, up, rate or None, neighbours=tuple(map(_of_eapi, heard))))
    return found


def _has_link(each: Any) -> bool:
    return isinstance(each, dict) and ("link" in each or "type" in each or "lldp" in each)


def _nvue_port(device: str, name: str, about: Json) -> PortSeen:
    link = about.get("link", {})
    state = link.get("state", link.get("oper-status"))
    up = None if state is None else "up" in (state if isinstance(state, dict) else [str(state)])
    neighbours = tuple(_of_nvue(about.get("lldp", {}).get("neighbor", {})))
    # a port that is down has the speed it is set to
    return PortSeen(device, name, up, _rate(str(link.get("speed", ""))) if up else None, neighbours=neighbours)


def _of_nvue(neighbours: Json) -> Iterator[FarSide]:
    for key, about in neighbours.items():
        chassis, port = about.get("chassis", {}), about.get("port", {})
        names = (str(port.get("id", "")), str(port.get("description", "")))
        yield FarSide(str(chassis.get("system-name") or key), names, str(chassis.get("chassis-id", "")))


def _of_eapi(about: Json) -> FarSide:
    port = about["neighborInterfaceInfo"]
    # eAPI shows names in quotes
    names = tuple(str(port.get(key, "")).strip('"') for key in ("interfaceId", "interfaceDescription"))
    return FarSide(str(about.get("systemName", "")), names, str(about.get("chassisId", "")))


def _eapi(document: Any) -> dict[str, Any]:
    """Return the results of eAPI's commands as one object; empty for another document."""
    results = document.get("result", [document]) if isinstance(document, dict) else document
    said: dict[str, Any] = {"lldpNeighbors": {}}
    for result in results if isinstance(results, list) else []:
        if isinstance(result, dict):
            said |= {key: result[key] for key in ("lldpNeighbors", "interfaceStatuses") if key in result}
    return said


def _rate(text: str) -> float | None:
    """Return a speed in Gbit/s: `400G`, `1.6T`. None for a word, as `auto`."""
    number, unit = text[:-1], text[-1:].upper()
    if unit not in UNITS or not number.replace(".", "", 1).isdecimal():
        return None
    return float(number) * UNITS[unit]
