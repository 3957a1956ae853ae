"""Ports of NVIDIA cards and switches: mlxlink -c -m --json, one port in each line.

mlxlink prints a bit error rate of `15E-255` if it has never seen an error.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from functools import partial
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


def raw_bit_error_rate_max(handed: Handed) -> Found:
    """Return the worst port's bit error rate before correction."""
    rates = _counter(handed, "Raw Physical BER")
    worst = max(rates, key=lambda name: (rates[name], name))
    return Found(rates[worst], worst)


def _sum(handed: Handed, counter: str) -> Found:
    """Count what the ports counted since their counters were cleared, and name those with any."""
    counts = _counter(handed, counter)
    bad = [name for name, count in counts.items() if count]
    return Found(sum(counts.values(), Decimal(0)), ", ".join(bad))


def _counter(handed: Handed, name: str) -> dict[str, Decimal]:
    """Return one counter of every port."""
    return {port: number(said[COUNTERS][name]) for port, said in _ports(handed)}


def _ports(handed: Handed) -> Iterator[tuple[str, dict[str, Any]]]:
    ports = handed.lines("mlxlink", accept=(0,))
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
        Metric("port.effective_errors", "count", partial(_sum, counter="Effective Physical Errors")),
        Metric("port.link_downs", "count", partial(_sum, counter="Link Down Counter")),
        Metric("port.raw_ber_max", "ratio", raw_bit_error_rate_max),
    ),
)
