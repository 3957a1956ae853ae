"""The links of an InfiniBand fabric: iblinkinfo, and the nodes that ibnetdiscover finds.

iblinkinfo marks a link that could be wider or faster. A switch port without a cable is down, which is no fault.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import NamedTuple

from steps.acceptance.handed import Found, Handed, NotMeasuredError, share_of
from steps.acceptance.metric import Metric, Tool
from steps.acceptance.tools import lldp

NODE = re.compile(r"^(CA|Switch|RTR): (.*):$")
LINK = re.compile(
    r"\s+(?:0x[0-9a-f]{16}\s+)?\d+\s+(\d+)\[\s*\] ==\(\s*(?:(\d+X)\s+([\d.]+) Gbps)?\s*(\w+)/\s*(\w+)\)==>"
    r'\s+(?:\d+\s+(\d+))?\s*\[\s*\] "(.*?)" \(\s*(.*?)\s*\)\s*',
    re.ASCII,
)
GUID = re.compile(r"^0x[0-9a-f]{16}\s+")
COULD = re.compile(r"Could be ([\d.]+X|[\d.]+ Gbps|\w+)")
DISCOVERED = re.compile(r"^(Switch|Ca|Rt)\t(\d+) \"([SHR]-[0-9a-f]{16})\"", re.MULTILINE)
ENDS = re.compile(r'^\[(\d+)\](?:\([0-9a-f]+\))?\s+"([SHR]-[0-9a-f]{16})"\[(\d+)\]', re.MULTILINE)


class LinkEnd(NamedTuple):
    """One end of a link as its node reports it."""

    kind: str
    node: str
    port: str
    peer: str
    peer_port: str
    up: bool
    gbit: float | None
    could: str

    @property
    def name(self) -> str:
        """The node's name as both sides print it: a switch's own line has its GUID before the name."""
        return GUID.sub("", self.node).strip()


def degraded(handed: Handed) -> Found:
    """Count link ends that run narrower or slower than both sides could."""
    bad = [f"{link.node} {link.port}: {link.could}" for link in _up(handed) if link.could]
    return Found(Decimal(len(bad)), "; ".join(bad[:5]))


def links_up(handed: Handed) -> Found:
    """Count the links that are up; both ends of a link must report it."""
    return Found(Decimal(len(_up(handed))) / 2)


def found_ratio(handed: Handed) -> Found:
    """Return the share of the cable schedule's links that ibnetdiscover found, rounded down.

    A host that hands over its neighbours by LLDP alone is on an Ethernet fabric; its own ends count.
    """
    if _is_ethernet(handed):
        return lldp.found_ratio(handed)
    planned = _planned(handed)
    found = _discovered(handed)
    missing = sorted(planned - found)
    share = share_of(len(planned) - len(missing), len(planned))
    return Found(share, _listed("missing", missing))


def mismatches(handed: Handed) -> Found:
    """Count the links that differ from the cable schedule: missing and unplanned ones. On Ethernet a host's own ends count."""
    if _is_ethernet(handed):
        return lldp.mismatches(handed)
    planned, found = _planned(handed), _discovered(handed)
    missing, extra = sorted(planned - found), sorted(found - planned)
    named = (_listed("missing", missing), _listed("unplanned", extra))
    count = Decimal(len(missing) + len(extra))
    return Found(count, "; ".join(filter(None, named)))


def _is_ethernet(handed: Handed) -> bool:
    return bool(handed.named("lldp")) and not handed.named("ibnetdiscover")


def switches(handed: Handed) -> Found:
    """Count switches that ibnetdiscover found."""
    _discovered(handed)
    nodes = DISCOVERED.findall(handed.text("ibnetdiscover"))
    found = {guid for kind, _, guid in nodes if kind == "Switch"}
    return Found(Decimal(len(found)))


def link_ends(text: str) -> list[LinkEnd]:
    """Return the ends of all links that iblinkinfo lists. Raise ValueError for a line that is none of its."""
    kind, node, links = "", "", []
    for line in text.splitlines():
        if head := NODE.fullmatch(line):
            kind, node = head[1], head[2]
        elif (found := LINK.fullmatch(line)) and node:
            up = found[4] == "Active" and found[5] == "LinkUp"
            could = ", ".join(COULD.findall(found[8])) if up else ""
            port, peer, peer_port = found[1], found[7].strip(), found[6] or ""
            links.append(LinkEnd(kind, node, port, peer, peer_port, up, _gbit(found[2], found[3]), could))
        elif line.strip():
            raise ValueError(line)
    if not links:
        raise ValueError(text)
    return links


def _gbit(width: str | None, lane: str | None) -> float | None:
    """Return the rate of a link: its lanes times the rate of one."""
    return int(width[:-1]) * float(lane) if width and lane else None


def _listed(word: str, ends: list[tuple[str, str]]) -> str:
    return f"{word}: " + ", ".join(f"{a} - {b}" for a, b in ends[:5]) if ends else ""


def _up(handed: Handed) -> list[LinkEnd]:
    """Return the ends of links that are up.

    The list has no end mark. It was cut if the far side of an end is missing, or if it has fewer links than ibnetdiscover
    found.
    """
    discovered = len(_discovered(handed))
    up = [link for link in link_ends(handed.text("iblinkinfo")) if link.up]
    ends = {(link.name, link.port) for link in up}
    lonely = [link for link in up if (link.peer, link.peer_port) not in ends]
    if lonely:
        raise NotMeasuredError(f"{lonely[0].peer} does not report its link to {lonely[0].node} {lonely[0].port}")
    if len(ends) != 2 * discovered:
        raise NotMeasuredError(f"iblinkinfo has {len(ends)} ends up, ibnetdiscover found {discovered} links")
    return up


def _discovered(handed: Handed) -> set[tuple[str, str]]:
    """Return every link as its two sorted ends, `name port`; each must be listed from both sides."""
    said = handed.text("ibnetdiscover")
    names = dict(re.findall(r'^\w+\t\d+ "([SHR]-[0-9a-f]{16})"\s+# "(.*?)"', said, re.MULTILINE))
    seen: list[tuple[str, str]] = []
    for block in re.split(r"\n\s*\n", said):
        head = DISCOVERED.search(block)
        if not head:
            continue
        for port, peer, peer_port in ENDS.findall(block):
            if peer not in names:
                handed.garbled()
            ends = sorted((f"{names[head[3]]} {port}", f"{names[peer]} {peer_port}"))
            seen.append((ends[0], ends[1]))
    if not seen or any(seen.count(link) != 2 for link in set(seen)):
        handed.garbled()
    return set(seen)


def _planned(handed: Handed) -> set[tuple[str, str]]:
    """Return the links of the cable schedule, which the playbook hands over as pairs of `name port`."""
    pairs = handed.document("planned_links")
    links = {(min(a, b), max(a, b)) for a, b in pairs}
    if not links:
        raise NotMeasuredError("the cable schedule has no link for this unit")
    handed.text("ibnetdiscover")
    return links


LINKINFO = Tool(
    "iblinkinfo",
    "iblinkinfo",
    "iblinkinfo",
    (Metric("fabric.links_degraded", "count", degraded), Metric("fabric.links_up", "count", links_up)),
)
NETDISCOVER = Tool(
    "ibnetdiscover",
    "ibnetdiscover",
    "ibnetdiscover",
    (
        Metric("topology.links_found_ratio", "ratio", found_ratio),
        Metric("topology.mismatches", "count", mismatches),
        Metric("fabric.switches", "count", switches),
    ),
)
