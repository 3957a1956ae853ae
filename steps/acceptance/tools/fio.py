"""Storage under load: bandwidth, operations per second and the slowest percentile, from fio's JSON."""

from __future__ import annotations

from decimal import ROUND_DOWN, ROUND_UP, Decimal
from functools import partial
from typing import Any

from steps.acceptance.handed import Found, Handed, NotMeasuredError, number
from steps.acceptance.metric import Metric, Tool

Job = dict[str, Any]

GIGA, MICRO = Decimal(1_000_000_000), Decimal(1000)
THOUSANDTH, HUNDREDTH, WHOLE = Decimal("0.001"), Decimal("0.01"), Decimal(1)


def bandwidth(handed: Handed, name: str, way: str) -> Found:
    """Return the GB/s of all jobs in one direction."""
    jobs = jobs_of(handed, name, way)
    rates = [number(job[way]["bw_bytes"]) for job in jobs]
    return Found((sum(rates, Decimal(0)) / GIGA).quantize(HUNDREDTH, ROUND_DOWN))


def operations(handed: Handed, name: str, way: str) -> Found:
    """Return the thousands of operations per second of all jobs in one direction."""
    jobs = jobs_of(handed, name, way)
    rates = [number(job[way]["iops"]) for job in jobs]
    return Found((sum(rates, Decimal(0)) / 1000).quantize(HUNDREDTH, ROUND_DOWN))


def slowest_us(handed: Handed, name: str, way: str) -> Found:
    """Return the worst job's 99th percentile of completion latency, in microseconds."""
    jobs = jobs_of(handed, name, way)
    worst = max(number(job[way]["clat_ns"]["percentile"]["99.000000"]) for job in jobs)
    return Found((worst / MICRO).quantize(WHOLE, ROUND_UP), f"worst of {len(jobs)} jobs")


def of_all_clients(handed: Handed, way: str) -> Found:
    """Return the GB/s of all clients together, which began at the same second. A client that failed leaves the sum unmeasured."""
    clients = handed.document(f"fio_clients_{way}")
    failed = [str(client["client"]) for client in clients if number(client["rc"]) or number(client["error"])]
    if failed or not clients:
        raise NotMeasuredError(f"fio failed on {', '.join(failed[:5]) or 'every client'}")
    rate = sum((number(client["bw_bytes"]) for client in clients), Decimal(0)) / GIGA
    before = [client["before_bytes"] for client in clients]
    known = all(each is not None for each in before)
    words = f", {sum(map(number, before), Decimal(0)) / GIGA:.3f} GB/s before" if known else ""
    return Found(rate.quantize(THOUSANDTH, ROUND_DOWN), f"{len(clients)} clients at once{words}")


def jobs_of(handed: Handed, name: str, way: str) -> list[Job]:
    """Return the jobs of a run. One with an error, or one that moved no data, leaves it unmeasured."""
    jobs: list[Job] = handed.document(name)["jobs"]
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
        Metric("mount.read_gb_s", "GB/s", partial(bandwidth, name="fio_read", way="read")),
        Metric("gds.read_gb_s", "GB/s", partial(bandwidth, name="fio_read", way="read")),
        Metric("disk.read_kiops", "count", partial(operations, name="fio_read", way="read")),
        Metric("disk.read_p99_us", "us", partial(slowest_us, name="fio_read", way="read")),
    ),
)
WRITE = Tool(
    "fio",
    "fio_write",
    "fio --rw=write --output-format=json",
    (
        Metric("mount.write_gb_s", "GB/s", partial(bandwidth, name="fio_write", way="write")),
        Metric("disk.write_p99_us", "us", partial(slowest_us, name="fio_write", way="write")),
    ),
)
