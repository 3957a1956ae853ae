"""Network links: ip -j -s link, and the speeds of ethtool.

Loopback and virtual interfaces are no links, nor are those somebody has switched off. The slowest counts, so
a management port in the operating system counts too.
"""

from __future__ import annotations

import re
from decimal import ROUND_DOWN, Decimal
from typing import Any

from steps.acceptance.handed import Found, Handed, NotMeasuredError, number

JUMBO = 9000
VIRTUAL = re.compile(r"lo$|docker|veth|br|virbr|cni|cali|flannel|tun|tap|dummy|ifb|vxlan|wg|kube")
SPEED = re.compile(r"^\s*Speed: (\d+)Mb/s$", re.MULTILINE | re.ASCII)
SHARE = Decimal("0.000001")


def up_ratio(handed: Handed) -> Found:
    """Give the share of links that carry a signal, rounded down: 1 is all of them."""
    links = _links(handed)
    dark = sorted(link["ifname"] for link in links if not _is_up(link))
    share = Decimal(len(links) - len(dark)) / len(links)
    return Found(share.quantize(SHARE, ROUND_DOWN).normalize(), f"down: {', '.join(dark)}" if dark else "")


def speed_min_gbit(handed: Handed) -> Found:
    """Give the Gbit/s of the slowest link; one of unknown speed leaves the slowest unknown."""
    names = sorted(link["ifname"] for link in _links(handed))
    speeds = _speeds(handed)
    if unknown := [name for name in names if name not in speeds]:
        raise NotMeasuredError(f"the link speed of {', '.join(unknown)} is unknown")
    slowest = min(names, key=lambda name: speeds[name])
    return Found(speeds[slowest] / 1000, f"slowest: {slowest}")


def mtu_min(handed: Handed) -> Found:
    """Give the bytes of the smallest frame limit on the path.

    An interface with a smaller limit settles it. Where every interface allows jumbo frames, the path counts only
    once a full-size packet that may not be fragmented was answered.
    """
    links = _links(handed)
    smallest = min(links, key=lambda link: number(link["mtu"]))
    limit = number(smallest["mtu"])
    if limit >= JUMBO:
        said = handed.text("path_probe", accept=None)
        if " 1 received" not in said:
            raise NotMeasuredError(f"no answer to a full-size packet from {said.split(maxsplit=2)[1:2] or 'a peer'}")
    return Found(limit, f"smallest: {smallest['ifname']}")


def _links(handed: Handed) -> list[dict[str, Any]]:
    found = [link for link in handed.document("ip_link") if _counts(link)]
    if not found:
        raise NotMeasuredError("no link is switched on")
    return found


def _counts(link: dict[str, Any]) -> bool:
    virtual = link["link_type"] == "loopback" or VIRTUAL.match(link["ifname"])
    return not virtual and "UP" in link["flags"]


def _is_up(link: dict[str, Any]) -> bool:
    """Take the carrier where a driver reports no state."""
    state = link["operstate"]
    return bool(state == "UP" or (state == "UNKNOWN" and "LOWER_UP" in link["flags"]))


def _speeds(handed: Handed) -> dict[str, Decimal]:
    """Give Mbit/s by interface. The exit status is of the last interface only, so the text decides."""
    parts = re.split(r"^== (\S+)$", handed.text("ethtool", accept=None), flags=re.MULTILINE)
    if len(parts) < 3:
        handed.garbled()
    found: dict[str, Decimal] = {}
    for name, said in zip(parts[1::2], parts[2::2], strict=True):
        if speed := SPEED.search(said):
            found[name] = min(number(speed[1]), found.get(name, number(speed[1])))
    return found
