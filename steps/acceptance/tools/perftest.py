"""RDMA between two ports: ib_write_bw, ib_send_bw, ib_read_bw in Gbit/s, ib_write_lat and ib_read_lat in microseconds.

Bandwidth is the average at the largest size: the peak column is zero if the tool runs for a fixed time. A table in MB/s is
not read, since perftest's MB is 1,048,576 bytes; run it with --report_gbits.
"""

from __future__ import annotations

import re
from decimal import Decimal
from functools import partial

from steps.acceptance.handed import Found, Handed, NotMeasuredError, number
from steps.acceptance.metric import Metric, Tool
from steps.acceptance.tools import pair_tests

RULE = re.compile(r"^\s*-{20,}\s*$", re.MULTILINE)
BANDWIDTH_HEAD = re.compile(
    r"^\s*#bytes\s+#iterations\s+BW peak\[(\S+?)\]\s+BW average\[\S+?\]\s+MsgRate\[Mpps\]", re.MULTILINE
)
BANDWIDTH_ROW = re.compile(r"^\s*(\d+)\s+\d+\s+-?\d+\.\d\d\s+(\d+\.\d\d)\s+(\d+\.\d{6})\s*$", re.MULTILINE | re.ASCII)
LATENCY_HEAD = re.compile(r"^\s*#bytes\s+#iterations\s+t_min\[usec\]\s+t_max\[usec\]\s+t_typical\[usec\]", re.MULTILINE)
LATENCY_ROW = re.compile(
    r"^\s*(\d+)\s+\d+\s+\d+\.\d\d\s+\d+\.\d\d\s+(\d+\.\d\d)(?:\s+\d+\.\d\d){0,4}\s*$", re.MULTILINE | re.ASCII
)
RATE_LIMIT = Decimal("0.02")
BITS = 8


def bandwidth(handed: Handed, name: str) -> Found:
    """Return what a bandwidth test measured: Gbit/s at the largest size, of the slowest pair where all pairs were tested."""
    if handed.is_there(pair_tests.OUTPUT):
        return pair_tests.slowest_gbit(handed, name)
    table = _table(handed, name)
    head = BANDWIDTH_HEAD.search(table)
    if not head:
        handed.garbled()
    if head[1] != "Gb/sec":
        raise NotMeasuredError(f"{name} reports {head[1]}; run it with --report_gbits")
    rows = [tuple(number(cell) for cell in row) for row in BANDWIDTH_ROW.findall(table)]
    if not rows:
        handed.garbled()
    size, rate, messages = max(rows)
    # the message rate is the same figure in another unit: a digit that was lost shows
    by_messages = size * messages * BITS / 1000
    if abs(by_messages - rate) > max(rate, by_messages) * RATE_LIMIT + Decimal("0.05"):
        handed.garbled()
    return Found(rate, f"at {size} bytes on {_device(table_of=handed.text(name, accept=None))}")


def latency(handed: Handed, name: str) -> Found:
    """Return what a latency test measured: typical microseconds at the smallest size."""
    table = _table(handed, name)
    if not LATENCY_HEAD.search(table):
        handed.garbled()
    rows = [tuple(number(cell) for cell in row) for row in LATENCY_ROW.findall(table)]
    if not rows:
        handed.garbled()
    size, typical = min(rows)
    return Found(typical, f"at {size} bytes on {_device(table_of=handed.text(name, accept=None))}")


def _table(handed: Handed, name: str) -> str:
    """Return the text between the last two rules; a report without its closing rule was cut."""
    parts = RULE.split(handed.text(name))
    if len(parts) < 3 or parts[-1].strip():
        handed.garbled()
    if "#bytes" not in parts[-2]:
        handed.garbled()
    return parts[-2]


def _device(*, table_of: str) -> str:
    found = re.search(r"Device\s*: (\S+)", table_of)
    return found[1] if found else "an unnamed device"


def _tool(name: str, *metrics: Metric) -> Tool:
    options = "--report_gbits -F -a" if name.endswith("_bw") else "-F"
    return Tool(f"perftest {name}", name, f"{name} {options} PEER", metrics)


WRITE_BW = _tool(
    "ib_write_bw",
    Metric("rdma.write_bw_min_gbit", "Gbit/s", partial(bandwidth, name="ib_write_bw")),
    Metric("gpudirect.write_bw_min_gbit", "Gbit/s", partial(bandwidth, name="ib_write_bw")),
)
SEND_BW = _tool("ib_send_bw", Metric("rdma.send_bw_gbit", "Gbit/s", partial(bandwidth, name="ib_send_bw")))
READ_BW = _tool("ib_read_bw", Metric("rdma.read_bw_gbit", "Gbit/s", partial(bandwidth, name="ib_read_bw")))
WRITE_LAT = _tool("ib_write_lat", Metric("rdma.write_latency_max_us", "us", partial(latency, name="ib_write_lat")))
READ_LAT = _tool("ib_read_lat", Metric("rdma.read_latency_us", "us", partial(latency, name="ib_read_lat")))
