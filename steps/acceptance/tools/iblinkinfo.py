"""Every link of an InfiniBand fabric: iblinkinfo, and how many nodes ibnetdiscover finds.

A link that could be wider or faster says so itself. Switch ports that nobody cabled are down and no fault.
"""

from __future__ import annotations

import re
from decimal import ROUND_DOWN, Decimal
from typing import NamedTuple

from steps.acceptance.handed import Found, Handed, NotMeasuredError
from steps.acceptance.metric import Metric, Tool

NODE = re.compile(r"^(CA|Switch|RTR): (.*):$")
LINK = re.compile(
    r"\s+(?:0x[0-9a-f]{16}\s+)?\d+\s+(\d+)\[\s*\] ==\(\s*(?:(\d+X)\s+([\d.]+) Gbps)?\s*(\w+)/\s*(\w+)\)==>"
    r'\s+(?:\d+\s+(\d+))?\s*\[\s*\] "(.*?)" \(\s*(.*?)\s*\)\s*',
    re.ASCII,
)
COULD = re.compile(r"Could be ([\d.]+X|[\d.]+ Gbps|\w+)")
DISCOVERED = re.compile(r"^(Switch|Ca|Rt)\t(\d+) \"([SHR]-[0-9a-f]{16})\"", re.MULTILINE)
ENDS = re.compile(r'^\[(\d+)\](?:\([0-9a-f]+\))?\s+"([SHR]-[0-9a-f]{16})"\[(\d+)\]', re.MULTILINE)
SHARE = Decimal("0.000001")


class Link(NamedTuple):
    """One end of a link as its node reports it."""

    node: str
    port: str
    peer: str
    peer_port: str
    up: bool
    could: str


def degraded(handed: Handed) -> Found:
    """Count link ends that run narrower or slower than both sides could."""
    bad = [f"{link.node} {link.port}: {link.could}" for link in _up(handed) if link.could]
    return Found(Decimal(len(bad)), "; ".join(bad[:5]))


def links_up(handed: Handed) -> Found:
    """Count links that are up; each has two ends, and both must say so."""
    return Found(Decimal(len(_up(handed))) / 2)


def found_ratio(handed: Handed) -> Found:
    """Give the share of the cable schedule's links that ibnetdiscover found, rounded down."""
    planned = _planned(handed)
    found = _discovered(handed)
    missing = sorted(planned - found)
    share = Decimal(len(planned) - len(missing)) / len(planned)
    return Found(share.quantize(SHARE, ROUND_DOWN).normalize(), _listed("missing", missing))


def mismatches(handed: Handed) -> Found:
    """Count links that are not where the cable schedule has them: missing ones and ones too many."""
    planned, found = _planned(handed), _discovered(handed)
    missing, extra = sorted(planned - found), sorted(found - planned)
    return Found(Decimal(len(missing) + len(extra)), "; ".join(filter(None, (_listed("missing", missing), _listed("unplanned", extra)))))  # fmt: skip


def switches(handed: Handed) -> Found:
    """Count switches that ibnetdiscover found."""
    _discovered(handed)
    found = {guid for kind, _, guid in DISCOVERED.findall(handed.text("ibnetdiscover")) if kind == "Switch"}
    return Found(Decimal(len(found)))


def _listed(word: str, ends: list[tuple[str, str]]) -> str:
    return f"{word}: " + ", ".join(f"{a} - {b}" for a, b in ends[:5]) if ends else ""


def _short(name: str) -> str:
    """Give the name of a node as both sides write it: a switch's own line has its GUID before, a host's its card behind."""
    return re.sub(r"^0x[0-9a-f]{16}\s+", "", name).strip()


def _up(handed: Handed) -> list[Link]:
    """Give the ends of links that are up.

    The list has no end mark: an end whose far side reports nothing, or fewer links than ibnetdiscover found,
    show that it was cut.
    """
    discovered = len(_discovered(handed))
    up = [link for link in _links(handed) if link.up]
    ends = {(_short(link.node), link.port) for link in up}
    lonely = [link for link in up if (_short(link.peer), link.peer_port) not in ends]
    if lonely:
        raise NotMeasuredError(f"{lonely[0].peer} does not report its link to {lonely[0].node} {lonely[0].port}")
    if len(ends) != 2 * discovered:
        raise NotMeasuredError(f"iblinkinfo has {len(ends)} ends up, ibnetdiscover found {discovered} links")
    return up


def _links(handed: Handed) -> list[Link]:
    node, links = "", []
    for line in handed.text("iblinkinfo").splitlines():
        if head := NODE.fullmatch(line):
            node = head[2]
        elif (found := LINK.fullmatch(line)) and node:
            up = found[4] == "Active" and found[5] == "LinkUp"
            could = ", ".join(COULD.findall(found[8])) if up else ""
            links.append(Link(node, found[1], found[7], found[6] or "", up, could))
        elif line.strip():
            handed.garbled()
    if not links:
        handed.garbled()
    return links


def _discovered(handed: Handed) -> set[tuple[str, str]]:
    """Give every link as its two sorted ends, `name port`; each must be listed from both sides."""
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
    """Give the schedule's links; the playbook hands them over as pairs of `name port`."""
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
