"""Ports of a server's network cards as its controller lists them: the resources of type `Port` of Redfish."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from steps.cabling.cable import FarSide, PortSeen

Json = Mapping[str, Any]

STATES = {"LinkUp": True, "Up": True, "LinkDown": False, "Down": False, "NoLink": False}


def is_ports(document: Any) -> bool:
    """Return whether a document is a list of ports of Redfish."""
    if not isinstance(document, list):
        return False
    return bool(document) and all(isinstance(each, dict) and "LinkStatus" in each for each in document)


def redfish_ports(device: str, document: Iterable[Json]) -> list[PortSeen]:
    """Return the ports of a server that its controller lists."""
    return [_port(device, each) for each in document]


def _port(device: str, about: Json) -> PortSeen:
    ethernet = about.get("Ethernet") or {}
    received = ethernet.get("LLDPReceive") or {}
    macs = ethernet.get("AssociatedMACAddresses") or [""]
    up = STATES.get(str(about["LinkStatus"]))
    rate = about.get("CurrentSpeedGbps") if up else None
    system, port = str(received.get("SystemName") or ""), str(received.get("PortId") or "")
    chassis = str(received.get("ChassisId") or "")
    heard = (FarSide(system, (port,), chassis),) if system or chassis else ()
    return PortSeen(device, str(about["Id"]), up, rate, mac=str(macs[0]), neighbours=heard)
