"""Whom a host reaches from each of its segments, as the role `segment_probe` hands it over, against the matrix of segments."""

from __future__ import annotations

from decimal import Decimal
from ipaddress import ip_network
from itertools import combinations
from typing import Any

from steps.acceptance.handed import Found, Handed, NotMeasuredError, share_of
from steps.acceptance.metric import Metric, Tool

OUTPUT = "segment_probe"
WAYS = ("its port answers on this wire", "by way of the gateway")
SHOWN = 5


def leaks(handed: Handed) -> Found:
    """Count the hosts that are reached from a segment that must not reach theirs."""
    document = _asked(handed)
    forbidden = [probe for probe in document["probes"] if not _is_allowed(document, probe)]
    if unasked := sorted(_forbidden_pairs(document) - {(probe["from"], probe["to"]) for probe in forbidden}):
        raise NotMeasuredError(f"nobody to ask: {_listed([f'{a} to {b}' for a, b in unasked])}")
    reached = [probe for probe in forbidden if _reached(probe)]
    return Found(Decimal(len(reached)), _listed([f"{_words(probe)}: {probe['how']}" for probe in reached]))


def reachable_ratio(handed: Handed) -> Found:
    """Return the share of hosts that are reached from the segments that should reach theirs."""
    document = _asked(handed)
    allowed = [probe for probe in document["probes"] if _is_allowed(document, probe)]
    if not allowed:
        raise NotMeasuredError("nobody to ask whom a segment of this host should reach")
    missing = [_words(probe) for probe in allowed if not _reached(probe)]
    return Found(share_of(len(allowed) - len(missing), len(allowed)), f"not {_listed(missing)}" if missing else "")


def overlaps(handed: Handed) -> Found:
    """Count networks of two segments that overlap, and addresses of this host that somebody else has."""
    document = _asked(handed)
    networks = [
        (name, ip_network(one)) for name, segment in document["segments"].items() for one in segment["networks"]
    ]
    found = [f"{a} {one} and {b} {other}" for (a, one), (b, other) in combinations(networks, 2) if one.overlaps(other)]
    found += document["taken"]
    return Found(Decimal(len(found)), _listed(found))


def _asked(handed: Handed) -> dict[str, Any]:
    """Return what was asked. A host without a segment, or with a port that has no address, has asked nothing."""
    document: dict[str, Any] = handed.document(OUTPUT)
    segments = document["segments"]
    if not segments:
        raise NotMeasuredError("state network_segments in the inventory")
    if without := document["ports_without_address"]:
        raise NotMeasuredError(f"without an address: {_listed(without)}")
    for name, segment in segments.items():
        segment["reaches"] = [name, *segment.get("reaches", [])]
    if any(name not in segments for segment in segments.values() for name in segment["reaches"]):
        raise NotMeasuredError("network_segments: `reaches` names a segment that is not there")
    if not document["probes"]:
        raise NotMeasuredError("state network_segment_ports of this host and of others in the inventory")
    if any(name not in segments for probe in document["probes"] for name in (probe["from"], probe["to"])):
        handed.garbled()
    return document


def _forbidden_pairs(document: dict[str, Any]) -> set[tuple[str, str]]:
    """Return the pairs of a segment of this host and one that it must not reach."""
    own = {probe["from"] for probe in document["probes"]}
    return {
        (one, other)
        for one in own
        for other in document["segments"]
        if other not in document["segments"][one]["reaches"]
    }


def _is_allowed(document: dict[str, Any], probe: dict[str, Any]) -> bool:
    return probe["to"] in document["segments"][probe["from"]]["reaches"]


def _reached(probe: dict[str, Any]) -> bool:
    """Return whether a probe was answered. How it was says the same, or the text is garbled."""
    if probe["reached"] is not (probe["how"] in WAYS) or probe["how"] not in {*WAYS, ""}:
        raise ValueError(probe["how"])
    return bool(probe["reached"])


def _words(probe: dict[str, Any]) -> str:
    return f"{probe['from']} ({probe['port']}) to {probe['host']} in {probe['to']}"


def _listed(words: list[str]) -> str:
    more = f" and {len(words) - SHOWN} more" if len(words) > SHOWN else ""
    return "; ".join(words[:SHOWN]) + more


TOOL = Tool(
    "segment probe",
    OUTPUT,
    "playbooks/networking/053_network_segmentation.yml",
    (
        Metric("segments.leaks", "count", leaks),
        Metric("segments.allowed_pairs_reachable_ratio", "ratio", reachable_ratio),
        Metric("addresses.overlaps", "count", overlaps),
    ),
)
