"""Network links: ip -j -s link, and the speeds of ethtool, of the ports that are planned.

The inventory names the ports of the fabric, as many as the design has rails. A planned port that is dark, switched off or not
there is down; a port that is not planned, as one of the management network, does not count. A single machine without a fabric
may name none: there every interface counts that is switched on, but for loopback and virtual ones.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from steps.acceptance.handed import Found, Handed, NotMeasuredError, number, share_of

JUMBO = 9000
VIRTUAL = re.compile(r"lo$|docker|veth|br|virbr|cni|cali|flannel|tun|tap|dummy|ifb|vxlan|wg|kube")
SPEED = re.compile(r"^\s*Speed: (\d+)Mb/s$", re.MULTILINE | re.ASCII)


def up_ratio(handed: Handed) -> Found:
    """Return the share of planned ports that carry a signal, rounded down; 1 means all of them."""
    names, links = _counted(handed)
    dark = sorted(name for name in names if name not in links or not _is_up(links[name]))
    share = share_of(len(names) - len(dark), len(names))
    return Found(share, f"down: {', '.join(dark)}" if dark else "")


def speed_min_gbit(handed: Handed) -> Found:
    """Return the Gbit/s of the slowest planned port; it is not measured if the speed of one is unknown."""
    names, _ = _counted(handed)
    speeds = _speeds(handed)
    if unknown := [name for name in names if name not in speeds]:
        raise NotMeasuredError(f"the link speed of {', '.join(unknown)} is unknown")
    slowest = min(names, key=lambda name: speeds[name])
    return Found(speeds[slowest] / 1000, f"slowest: {slowest}")


def mtu_min(handed: Handed) -> Found:
    """Return the bytes of the smallest frame limit on the path of any port of the data networks.

    If a port has a smaller limit than a jumbo frame, that is the value. Otherwise it is what came back over every port from each
    far end that the inventory names. An answer over another port says nothing of the path.
    """
    paths = _paths(handed)
    names, links = _data_ports(handed, paths)
    if missing := [name for name in names if name not in links]:
        raise NotMeasuredError(f"{', '.join(missing)} is not there")
    smallest = min((links[name] for name in names), key=lambda link: number(link["mtu"]))
    limit = number(smallest["mtu"])
    if limit < JUMBO:
        return Found(limit, f"smallest: {smallest['ifname']}")
    (port, peer), size = min(_carried(handed, names, paths).items(), key=lambda each: each[1])
    return Found(min(limit, size), f"smallest: {port} to {peer}")


def _carried(handed: Handed, names: list[str], paths: Mapping[str, list[str]]) -> dict[tuple[str, str], Decimal]:
    """Return the largest packet that was answered, by port and far end; nothing may be missing of what the inventory plans."""
    if _fabric(handed) == "roce" and (unnamed := [name for name in names if name not in paths]):
        raise NotMeasuredError(
            f"state path_mtu_peers in the inventory: addresses at the far end of {', '.join(unnamed)}"
        )
    found = {(str(one["port"]), str(one["peer"])): one["bytes"] for one in handed.document("path_probe")}
    planned = [(port, peer) for port, peers in paths.items() for peer in peers] or list(found)
    if silent := [path for path in planned if not found.get(path)]:
        port, peer = silent[0]
        raise NotMeasuredError(f"no answer over {port} from {peer}, which must be an address of another host")
    if not planned:
        raise NotMeasuredError("there is no default gateway; state path_mtu_peers in the inventory")
    return {path: number(found[path]) for path in planned}


def _data_ports(handed: Handed, paths: Mapping[str, list[str]]) -> tuple[list[str], dict[str, dict[str, Any]]]:
    """Return the ports of the Ethernet data networks, and every interface by its name.

    They are those of a RoCE fabric and those for which the inventory names far ends; on a single machine all that are switched on.
    """
    fabric = _fabric(handed)
    if fabric == "infiniband" and not paths:
        raise NotMeasuredError(
            "state path_mtu_peers in the inventory: by port of the storage network, addresses at its far ends"
        )
    if fabric == "roce" or not paths:
        names, links = _counted(handed)
        return sorted({*names, *paths}), links
    return sorted(paths), _links(handed)


def _paths(handed: Handed) -> dict[str, list[str]]:
    """Return the far ends that the inventory names, by port."""
    said = handed.document("planned_paths") if handed.is_there("planned_paths") else {}
    if not isinstance(said, dict) or not all(isinstance(ends, list) and ends for ends in said.values()):
        raise NotMeasuredError("path_mtu_peers is no list of addresses by port; write `{ens1np0: [10.1.0.1]}`")
    return said


def _fabric(handed: Handed) -> str:
    return str(handed.design.get("fabric", "none"))


def _links(handed: Handed) -> dict[str, dict[str, Any]]:
    return {str(link["ifname"]): link for link in handed.document("ip_link")}


def _counted(handed: Handed) -> tuple[list[str], dict[str, dict[str, Any]]]:
    """Return the names of the ports that count, and every interface by its name."""
    planned = _planned(handed)
    links = _links(handed)
    if planned:
        return planned, links
    names = sorted(name for name, link in links.items() if _counts(link))
    if not names:
        raise NotMeasuredError("no link is switched on")
    return names, links


def _planned(handed: Handed) -> list[str]:
    """Return the ports that the inventory names; none only where the design has no fabric."""
    names = handed.document("planned_ports") if handed.is_there("planned_ports") else []
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise NotMeasuredError("fabric_ports is no list of names; write `[ens1np0]`")
    has_fabric = _fabric(handed) != "none"
    if not names and has_fabric:
        raise NotMeasuredError("state fabric_ports in the inventory: the names of the ports of the fabric")
    rails = handed.design.get("rails", len(names))
    if has_fabric and len(set(names)) != rails:
        raise NotMeasuredError(f"ports in fabric_ports: {len(set(names))}; rails of the design: {rails:g}")
    return sorted(set(names))


def _counts(link: dict[str, Any]) -> bool:
    virtual = link["link_type"] == "loopback" or VIRTUAL.match(link["ifname"])
    return not virtual and "UP" in link["flags"]


def _is_up(link: dict[str, Any]) -> bool:
    """Return whether a link carries a signal; the carrier decides if the driver reports no state."""
    state = link["operstate"]
    return "UP" in link["flags"] and bool(state == "UP" or (state == "UNKNOWN" and "LOWER_UP" in link["flags"]))


def _speeds(handed: Handed) -> dict[str, Decimal]:
    """Return Mbit/s by interface. The exit status is that of the last interface, so only the text counts."""
    parts = re.split(r"^== (\S+)$", handed.text("ethtool", accept=None), flags=re.MULTILINE)
    if len(parts) < 3:
        handed.garbled()
    found: dict[str, Decimal] = {}
    names, texts = parts[1::2], parts[2::2]
    for name, said in zip(names, texts, strict=True):
        if speed := SPEED.search(said):
            mbit = number(speed[1])
            found[name] = min(mbit, found.get(name, mbit))
    return found
