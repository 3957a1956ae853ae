"""A host, or a switch that is Linux: `lldpcli -f json show neighbors`, with `ip -j link` and the speeds of ethtool beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from steps.cabling.cable import FarSide, PortSeen

Json = Mapping[str, Any]

SPEED = re.compile(r"^\s*Speed: (\d+)Mb/s$", re.MULTILINE | re.ASCII)
HEAD = re.compile(r"^== (\S+)$", re.MULTILINE)


def heard(document: Json) -> Iterator[tuple[str, FarSide]]:
    """Yield each neighbour that lldpcli lists, with the interface that hears it. What is not LLDP is passed over."""
    for name, entry in _interfaces(document["lldp"]):
        if entry.get("via", "LLDP") != "LLDP":
            continue
        ((chassis, about),) = entry["chassis"].items()
        is_named = isinstance(about, dict) and "id" in about
        address = about["id"] if is_named else about
        device = chassis if is_named else str(address["value"])
        port = entry["port"]
        names = (str(port["id"]["value"]), str(port.get("descr", "")))
        yield name, FarSide(device, names, str(address["value"]))


def ports(
    device: str,
    neighbours: Json,
    links: list[Json] = [],  # noqa: B006  never changed
    speeds: str = "",
) -> list[PortSeen]:
    """Return the ports of a device that hear a neighbour, and those that `ip` lists beside them."""
    by_port: dict[str, list[FarSide]] = {str(link["ifname"]): [] for link in links}
    for name, neighbour in heard(neighbours):
        by_port.setdefault(name, []).append(neighbour)
    about = {str(link["ifname"]): link for link in links}
    rates = _rates(speeds)
    return [
        PortSeen(
            device,
            name,
            _is_up(about.get(name)),
            rates.get(name),
            mac=str(about.get(name, {}).get("address", "")),
            neighbours=tuple(found),
        )
        for name, found in by_port.items()
    ]


def _interfaces(root: Json) -> Iterator[tuple[str, Json]]:
    """Yield the interfaces: lldpcli prints an object for one neighbour, a list of objects for several."""
    interfaces = root.get("interface", [])
    for group in interfaces if isinstance(interfaces, list) else [interfaces]:
        yield from group.items()


def _is_up(link: Json | None) -> bool | None:
    if link is None:
        return None
    state = link["operstate"]
    return "UP" in link["flags"] and bool(state == "UP" or (state == "UNKNOWN" and "LOWER_UP" in link["flags"]))


def _rates(said: str) -> dict[str, float]:
    _, *parts = HEAD.split(said)
    found = {name: SPEED.search(text) for name, text in zip(parts[0::2], parts[1::2], strict=True)}
    return {name: int(speed[1]) / 1000 for name, speed in found.items() if speed}
