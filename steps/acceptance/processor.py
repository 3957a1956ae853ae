"""Processor, memory and uptime: lscpu, /proc/meminfo, /proc/uptime."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import ROUND_DOWN, Decimal
from typing import Any

from steps.acceptance.handed import Found, Handed, number

KIB_IN_GIB = 1024 * 1024
HUNDREDTH = Decimal("0.01")


def sockets(handed: Handed) -> Found:
    """Return the number of processor sockets that lscpu sees."""
    document = handed.document("lscpu")
    found = [data for field, data in _fields(document["lscpu"]) if field == "Socket(s):"]
    if len(found) != 1 or not re.fullmatch(r"[1-9]\d*", found[0], re.ASCII):
        handed.garbled()
    return Found(number(found[0]))


def _fields(rows: list[Any]) -> Iterator[tuple[str, Any]]:
    """Yield the fields of lscpu's rows, which util-linux 2.38 and newer may nest."""
    for row in rows:
        yield row["field"], row["data"]
        yield from _fields(row.get("children", []))


def memory_gib(handed: Handed) -> Found:
    """Return the memory that the kernel has in GiB, cut after two decimals."""
    found = re.findall(r"^MemTotal:\s+(\d+) kB$", handed.text("meminfo"), re.MULTILINE | re.ASCII)
    if len(found) != 1:
        handed.garbled()
    return Found((number(found[0]) / KIB_IN_GIB).quantize(HUNDREDTH, ROUND_DOWN))


def uptime_s(handed: Handed) -> Found:
    """Return the seconds since boot."""
    found = re.fullmatch(r"(\d+\.\d\d) \d+\.\d\d", handed.text("uptime").strip(), re.ASCII)
    if not found:
        handed.garbled()
    return Found(number(found[1]))
