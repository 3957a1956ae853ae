"""Reads a file of what was found, whatever said it. Its name is that of the device; iblinkinfo's names every device itself.

The playbook of step 062 writes a file a host: an object of `lldp`, `ip_link` and `ethtool`, each as the tool printed it,
or of `unreachable` with the reason.
"""

from __future__ import annotations

import json
from typing import Any

from schedule.errors import InputError, Place
from steps.acceptance.handed import GARBLED
from steps.cabling.cable import PortSeen, Reading
from steps.cabling.reading import controllers, lldpd, subnet, switches


def read_found(device: str, text: str, name: str) -> Reading:
    """Return the ports that a file tells of. `name` is the file's, for what is said of a fault."""
    try:
        if not text.strip():
            return Reading((), {device: "nothing was read of it"})
        if subnet.is_links(text):
            return Reading(tuple(subnet.subnet_ports(text)))
        return _of_document(device, json.loads(text))
    except GARBLED:
        pass
    raise InputError(
        "this is nothing that is read for neighbours, or a part of it",
        hint="lldpcli -f json show neighbors, NVUE's or eAPI's interfaces, Redfish's ports, iblinkinfo, or a file of step 062",
        place=Place(name),
    )


def _of_document(device: str, document: Any) -> Reading:
    if isinstance(document, dict) and "unreachable" in document:
        return Reading((), {device: str(document["unreachable"])})
    return Reading(tuple(_ports(device, document)))


def _ports(device: str, document: Any) -> list[PortSeen]:
    if controllers.is_ports(document):
        return controllers.redfish_ports(device, document)
    if switches.is_eapi(document):
        return switches.eapi_ports(device, document)
    if isinstance(document, dict) and "lldp" in document:
        return _of_host(device, document)
    if switches.is_nvue(document):
        return switches.nvue_ports(device, document)
    raise ValueError(device)


def _of_host(device: str, said: dict[str, Any]) -> list[PortSeen]:
    """Return the ports of a host. What the playbook wrote has each tool's text; lldpcli's own document has an object."""
    if not isinstance(said["lldp"], str):
        return lldpd.ports(device, said)
    links = json.loads(said["ip_link"]) if said.get("ip_link") else []
    return lldpd.ports(device, json.loads(said["lldp"]), links, said.get("ethtool") or "")
