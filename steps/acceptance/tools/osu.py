"""OSU micro benchmarks: osu_bw, osu_latency and osu_allreduce, of MPI with or without GPU buffers.

Each metric is that of one message size. A table that was cut before it is not measured.
"""

from __future__ import annotations

import re
from decimal import Decimal
from functools import partial

from steps.acceptance.handed import Found, Handed, NotMeasuredError, number
from steps.acceptance.metric import Metric, Tool

TITLES = {"osu_bw": "Bandwidth Test", "osu_latency": "Latency Test", "osu_allreduce": "Allreduce Latency Test"}
UNITS = {"osu_bw": "Bandwidth (MB/s)", "osu_latency": "Latency (us)", "osu_allreduce": "Avg Latency(us)"}
ROW = re.compile(r"(\d+)\s+(\d+\.\d\d)(?:\s+\S+)*", re.ASCII)
"""The tools print two decimals; a number with fewer was cut."""

LARGE, SMALL, MEGABYTE = 4 * 1024 * 1024, 8, 1024 * 1024


def at(handed: Handed, name: str, size: int) -> Found:
    """Return one tool's figure at a message size in bytes."""
    said = handed.text(name).splitlines()
    head = [line for line in said if line.startswith("#")]
    title = re.compile(rf"# OSU MPI.* {TITLES[name]}")
    if not any(title.match(line) for line in head):
        handed.garbled()
    if not any(UNITS[name] in line for line in head):
        handed.garbled()
    rows = [row for line in said if (row := ROW.fullmatch(line.strip()))]
    found = [number(row[2]) for row in rows if row[1] == str(size)]
    if not found:
        raise NotMeasuredError(f"{name} measured nothing at {size} bytes")
    sizes = [int(row[1]) for row in rows]
    if len(found) > 1 or sizes != sorted(sizes):
        handed.garbled()
    return Found(Decimal(found[0]), f"at {size} bytes")


def _tool(name: str, *metrics: Metric) -> Tool:
    return Tool(f"OSU {name}", name, name, metrics)


BANDWIDTH = _tool("osu_bw", Metric("mpi.bandwidth", "MB/s", partial(at, name="osu_bw", size=LARGE)))
LATENCY = _tool("osu_latency", Metric("mpi.latency", "us", partial(at, name="osu_latency", size=SMALL)))
ALLREDUCE = _tool(
    "osu_allreduce",
    Metric("mpi.allreduce_latency_8b", "us", partial(at, name="osu_allreduce", size=SMALL)),
    Metric("mpi.allreduce_latency_1mib", "us", partial(at, name="osu_allreduce", size=MEGABYTE)),
)
