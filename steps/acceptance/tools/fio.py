"""Storage under load: fio's JSON, as bandwidth, operations a second and the slowest percentile."""

from __future__ import annotations

from collections.abc import Callable
from decimal import ROUND_DOWN, ROUND_UP, Decimal
from typing import Any

from steps.acceptance.handed import Found, Handed, NotMeasuredError, number
from steps.acceptance.metric import Metric, Tool

GIGA, MICRO = Decimal(1_000_000_000), Decimal(1000)
HUNDREDTH, WHOLE = Decimal("0.01"), Decimal(1)


def bandwidth(name: str, way: str) -> Callable[[Handed], Found]:
    """Give the reader of the GB/s of all jobs in one direction."""

    def read(handed: Handed) -> Found:
        total = sum((number(job[way]["bw_bytes"]) for job in _jobs(handed, name, way)), Decimal(0))
        return Found((total / GIGA).quantize(HUNDREDTH, ROUND_DOWN))

    return read


def operations(name: str, way: str) -> Callable[[Handed], Found]:
    """Give the reader of the operations a second of all jobs in one direction, in thousands."""

    def read(handed: Handed) -> Found:
        total = sum((number(job[way]["iops"]) for job in _jobs(handed, name, way)), Decimal(0))
        return Found((total / 1000).quantize(HUNDREDTH, ROUND_DOWN))

    return read


def slowest_us(name: str, way: str) -> Callable[[Handed], Found]:
    """Give the reader of the worst job's 99th percentile of completion latency."""

    def read(handed: Handed) -> Found:
        jobs = _jobs(handed, name, way)
        worst = max(number(job[way]["clat_ns"]["percentile"]["99.000000"]) for job in jobs)
        return Found((worst / MICRO).quantize(WHOLE, ROUND_UP), f"worst of {len(jobs)} jobs")

    return read


def _jobs(handed: Handed, name: str, way: str) -> list[dict[str, Any]]:
    jobs: list[dict[str, Any]] = handed.document(name)["jobs"]
    for job in jobs:
        if error := number(job["error"]):
            raise NotMeasuredError(f"fio reports error {error}")
        if not number(job[way]["io_bytes"]):
            raise NotMeasuredError(f"fio has no {way} of a single byte")
    if not jobs:
        handed.garbled()
    return jobs


READ = Tool(
    "fio",
    "fio_read",
    "fio --rw=read --output-format=json",
    (
        Metric("mount.read_gb_s", "GB/s", bandwidth("fio_read", "read")),
        Metric("cache.hit_read_gb_s", "GB/s", bandwidth("fio_read", "read")),
        Metric("gds.read_gb_s", "GB/s", bandwidth("fio_read", "read")),
        Metric("disk.read_kiops", "count", operations("fio_read", "read")),
        Metric("disk.read_p99_us", "us", slowest_us("fio_read", "read")),
    ),
)
WRITE = Tool(
    "fio",
    "fio_write",
    "fio --rw=write --output-format=json",
    (
        Metric("mount.write_gb_s", "GB/s", bandwidth("fio_write", "write")),
        Metric("disk.write_p99_us", "us", slowest_us("fio_write", "write")),
    ),
)
