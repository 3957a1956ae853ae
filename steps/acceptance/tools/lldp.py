"""What is plugged in where: lldpcli -f json show neighbors against the cable schedule's ends of this host.

The schedule's ends are handed over beside it: local interface to the far side's name and port.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import ROUND_DOWN, Decimal
from typing import Any

from steps.acceptance.handed import Found, Handed, NotMeasuredError
from steps.acceptance.metric import Metric, Tool

SHARE = Decimal("0.000001")


def neighbours(handed: Handed) -> Found:
    """Count interfaces that hear somebody."""
    return Found(Decimal(len(_heard(handed))))


def mismatches(handed: Handed) -> Found:
    """Count planned ends that hear another device or port than planned, or nobody."""
    heard, planned = _heard(handed), _planned(handed)
    wrong = [
        f"{name}: {' '.join(heard[name]) if name in heard else 'nobody'}, planned {' '.join(end)}"
        for name, end in planned.items()
        if not _is_end(heard.get(name), end)
    ]
    return Found(Decimal(len(wrong)), "; ".join(wrong))


def found_ratio(handed: Handed) -> Found:
    """Give the share of planned ends that hear the planned device and port, rounded down."""
    heard, planned = _heard(handed), _planned(handed)
    right = sum(_is_end(heard.get(name), end) for name, end in planned.items())
    return Found((Decimal(right) / len(planned)).quantize(SHARE, ROUND_DOWN).normalize())


def _is_end(heard: tuple[str, ...] | None, planned: tuple[str, str]) -> bool:
    return heard is not None and heard[0] == planned[0] and planned[1] in heard[1:]


def _planned(handed: Handed) -> dict[str, tuple[str, str]]:
    ends = {str(name): (str(end[0]), str(end[1])) for name, end in handed.document("planned_ends").items()}
    if not ends:
        raise NotMeasuredError("the cable schedule has no end at this host")
    handed.text("lldp")
    return ends


def _heard(handed: Handed) -> dict[str, tuple[str, ...]]:
    """Give the far side's name, and its port by number and by description, for each interface; two voices are garbled."""
    found: dict[str, tuple[str, ...]] = {}
    for name, entry in _interfaces(handed.document("lldp")["lldp"]):
        if entry.get("via", "LLDP") != "LLDP":
            continue
        if name in found:
            raise NotMeasuredError(f"{name} hears more than one neighbour; a switch that passes LLDP on lies between")
        ((chassis, about),) = entry["chassis"].items()
        port = entry["port"]
        device = chassis if isinstance(about, dict) and "id" in about else str(about["value"])
        found[name] = (device, str(port["id"]["value"]), str(port.get("descr", "")))
    if not found:
        raise NotMeasuredError("no interface hears a neighbour; is lldpd running on both sides?")
    return found


def _interfaces(root: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Walk interfaces: an object where there is one neighbour, a list of objects where there are more."""
    interfaces = root.get("interface", [])
    for group in interfaces if isinstance(interfaces, list) else [interfaces]:
        yield from group.items()


TOOL = Tool(
    "lldpd",
    "lldp",
    "lldpcli -f json show neighbors",
    (
        Metric("lldp.neighbours", "count", neighbours),
        Metric("lldp.mismatches", "count", mismatches),
        Metric("lldp.links_found_ratio", "ratio", found_ratio),
    ),
)
