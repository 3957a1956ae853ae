"""OSU micro benchmarks: osu_bw, osu_latency and osu_allreduce, of MPI with or without GPU buffers.

A metric belongs to one message size, so a table that was cut before it measures nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal

from steps.acceptance.handed import Found, Handed, NotMeasuredError, number
from steps.acceptance.metric import Metric, Tool

TITLES = {"osu_bw": "Bandwidth Test", "osu_latency": "Latency Test", "osu_allreduce": "Allreduce Latency Test"}
UNITS = {"osu_bw": "Bandwidth (MB/s)", "osu_latency": "Latency (us)", "osu_allreduce": "Avg Latency(us)"}
ROW = re.compile(r"(\d+)\s+(\d+\.\d\d)(?:\s+\S+)*", re.ASCII)
"""The tools print two decimals; a number with fewer was cut."""

LARGE, SMALL, MEGABYTE = 4 * 1024 * 1024, 8, 1024 * 1024


def at(name: str, size: int) -> Callable[[Handed], Found]:
    """Give the reader of one tool's figure at one message size."""

    def read(handed: Handed) -> Found:
        said = handed.text(name).splitlines()
        head = [line for line in said if line.startswith("#")]
        if not any(re.match(rf"# OSU MPI.* {TITLES[name]}", line) for line in head) or not any(
            UNITS[name] in line for line in head
        ):
            handed.garbled()
        rows = [row for line in said if (row := ROW.fullmatch(line.strip()))]
        found = [number(row[2]) for row in rows if row[1] == str(size)]
        if not found:
            raise NotMeasuredError(f"{name} measured nothing at {size} bytes")
        if len(found) > 1 or [int(r[1]) for r in rows] != sorted(int(r[1]) for r in rows):
            handed.garbled()
        return Found(Decimal(found[0]), f"at {size} bytes")

    return read


BANDWIDTH = Tool("OSU osu_bw", "osu_bw", "osu_bw", (Metric("mpi.bandwidth", "MB/s", at("osu_bw", LARGE)),))
LATENCY = Tool(
    "OSU osu_latency", "osu_latency", "osu_latency", (Metric("mpi.latency", "us", at("osu_latency", SMALL)),),
)  # fmt: skip
ALLREDUCE = Tool(
    "OSU osu_allreduce", "osu_allreduce", "osu_allreduce", (Metric("mpi.allreduce_latency_8b", "us", at("osu_allreduce", SMALL)),
     Metric("mpi.allreduce_latency_1mib", "us", at("osu_allreduce", MEGABYTE))),
)  # fmt: skip
