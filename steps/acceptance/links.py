"""Network links: ip -j -s link, and the speeds of ethtool.

Loopback and virtual interfaces do not count as links, and neither do interfaces that are switched off. The slowest link
counts, a management port in the operating system included.
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
    """Return the share of links that carry a signal, rounded down; 1 means all of them."""
    links = _links(handed)
    dark = sorted(link["ifname"] for link in links if not _is_up(link))
    share = share_of(len(links) - len(dark), len(links))
    return Found(share, f"down: {', '.join(dark)}" if dark else "")


def speed_min_gbit(handed: Handed) -> Found:
    """Return the Gbit/s of the slowest link; it is not measured if the speed of any link is unknown."""
    names = sorted(link["ifname"] for link in _links(handed))
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
    """Return whether a link carries a signal; the carrier decides if the driver reports no state."""
    state = link["operstate"]
    return bool(state == "UP" or (state == "UNKNOWN" and "LOWER_UP" in link["flags"]))


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
