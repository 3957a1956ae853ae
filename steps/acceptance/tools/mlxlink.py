"""A port of an NVIDIA card or switch: mlxlink -c -m --json, one port a line; its state, bit errors and optic.

Bit error rates come as `15E-255` where none was ever seen, which is as good as nought.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from steps.acceptance.handed import Found, Handed, NotMeasuredError, number
from steps.acceptance.metric import Metric, Tool

COUNTERS = "Physical Counters and BER Info"


def ports_down(handed: Handed) -> Found:
    """Count ports that are not active; the card's own advice is in the note."""
    bad = []
    for name, port in _ports(handed):
        info = port["Operational Info"]
        if info["State"] != "Active":
            advice = port.get("Troubleshooting Info", {}).get("Recommendation", "")
            bad.append(f"{name}: {info['State']} {advice}".strip())
    return Found(Decimal(len(bad)), "; ".join(bad))


def effective_errors(handed: Handed) -> Found:
    """Count bit errors that forward error correction could not mend."""
    found = [(number(_counters(port)["Effective Physical Errors"]), name) for name, port in _ports(handed)]
    return Found(sum((count for count, _ in found), Decimal(0)), ", ".join(name for count, name in found if count))


def link_downs(handed: Handed) -> Found:
    """Count how often the links went down since their counters were cleared."""
    found = [(number(_counters(port)["Link Down Counter"]), name) for name, port in _ports(handed)]
    return Found(sum((count for count, _ in found), Decimal(0)), ", ".join(name for count, name in found if count))


def raw_bit_error_rate_max(handed: Handed) -> Found:
    """Give the worst port's bit error rate before correction."""
    worst, name = max((number(_counters(port)["Raw Physical BER"]), name) for name, port in _ports(handed))
    return Found(worst, name)


def _counters(port: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = port[COUNTERS]
    return found


def _ports(handed: Handed) -> Iterator[tuple[str, dict[str, Any]]]:
    ports = handed.lines("mlxlink")
    for index, document in enumerate(ports, start=1):
        if code := document["status"]["code"]:
            raise NotMeasuredError(f"mlxlink: {document['status']['message']} ({code})")
        port = document["result"]["output"]
        yield str(document.get("device", f"port {index}")), port


TOOL = Tool(
    "mlxlink",
    "mlxlink",
    "mlxlink -d DEVICE -c -m --json, a line a port",
    (
        Metric("port.down", "count", ports_down),
        Metric("port.effective_errors", "count", effective_errors),
        Metric("port.link_downs", "count", link_downs),
        Metric("port.raw_ber_max", "ratio", raw_bit_error_rate_max),
    ),
)
