"""Network links: ip -j -s link, and the speeds of ethtool, of the ports that are planned.

The inventory names the ports of the fabric, as many as the design has rails. A planned port that is dark, switched off or not
there is down; a port that is not planned, as one of the management network, does not count. A single machine without a fabric
may name none: there every interface counts that is switched on, but for loopback and virtual ones.
"""

from __future__ import annotations

import re
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
    """Return the bytes of the smallest frame limit on the path.

    If an interface has a smaller limit than a jumbo frame, that is the value. If every interface allows jumbo frames, the
    value counts only if a full-size packet that may not be fragmented was answered.
    """
    names, links = _counted(handed)
    if missing := [name for name in names if name not in links]:
        raise NotMeasuredError(f"{', '.join(missing)} is not there")
    smallest = min((links[name] for name in names), key=lambda link: number(link["mtu"]))
    limit = number(smallest["mtu"])
    if limit >= JUMBO:
        said = handed.text("path_probe", accept=None)
        if " 1 received" not in said:
            raise NotMeasuredError(f"no answer to a full-size packet from {said.split(maxsplit=2)[1:2] or 'a peer'}")
    return Found(limit, f"smallest: {smallest['ifname']}")


def _counted(handed: Handed) -> tuple[list[str], dict[str, dict[str, Any]]]:
    """Return the names of the ports that count, and every interface by its name."""
    planned = _planned(handed)
    links = {str(link["ifname"]): link for link in handed.document("ip_link")}
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
    has_fabric = handed.design.get("fabric", "none") != "none"
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
