"""TCP between two hosts: the rate that the far side received, from iperf3 -J."""

from __future__ import annotations

from decimal import ROUND_DOWN, Decimal

from steps.acceptance.handed import Found, Handed, NotMeasuredError, number
from steps.acceptance.metric import Metric, Tool

GIGA = Decimal(1_000_000_000)
HUNDREDTH = Decimal("0.01")


def received_gbit(handed: Handed) -> Found:
    """Return the Gbit/s that the far side received over the whole run."""
    document = handed.document("iperf3", accept=(0, 1))
    if error := document.get("error"):
        raise NotMeasuredError(f"iperf3: {error}")
    received = document["end"]["sum_received"]
    if not number(received["bytes"]):
        raise NotMeasuredError("iperf3 moved not a single byte")
    rate = number(received["bits_per_second"]) / GIGA
    return Found(rate.quantize(HUNDREDTH, ROUND_DOWN))


def line_share(handed: Handed) -> Found:
    """Return the received rate as a share of the design's line rate, rounded down."""
    rate = handed.design.get("link_gb_s")
    if not rate:
        raise NotMeasuredError("the design states no link rate")
    found = Decimal(str(received_gbit(handed).value))
    share = found / Decimal(str(rate))
    return Found(share.quantize(HUNDREDTH, ROUND_DOWN))


def retransmits(handed: Handed) -> Found:
    """Count segments that had to be sent again."""
    received_gbit(handed)
    return Found(number(handed.document("iperf3")["end"]["sum_sent"]["retransmits"]))


TOOL = Tool(
    "iperf3",
    "iperf3",
    "iperf3 -J -c PEER",
    (
        Metric("tcp.received_gbit", "Gbit/s", received_gbit),
        Metric("storage.port_rate_ratio", "ratio", line_share),
        Metric("tcp.retransmits", "count", retransmits),
    ),
)
