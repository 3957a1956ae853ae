"""Drives, free space and throughput: lsblk, df, fio."""

from __future__ import annotations

import re
from decimal import ROUND_DOWN, Decimal
from typing import Any

from steps.acceptance.handed import Found, Handed, number, share_of
from steps.acceptance.tools.fio import jobs_of

BYTES_IN_MB = 1_000_000


def nvme(handed: Handed) -> Found:
    """Count whole NVMe drives; a drive of size zero has failed and does not count."""
    devices = handed.document("lsblk")["blockdevices"]
    drives = [d["name"] for d in devices if _is_nvme(d)]
    return Found(Decimal(len(drives)), ", ".join(sorted(drives)))


def _is_nvme(device: dict[str, Any]) -> bool:
    name = device["name"]
    has_failed = str(device.get("size", 1)) in {"0", "None"}
    if has_failed or device.get("type", "disk") != "disk":
        return False
    return bool(device.get("tran") == "nvme" or name.startswith("nvme"))


def root_free_ratio(handed: Handed) -> Found:
    """Return the share of the root file system that a user may still fill."""
    lines = handed.text("df_root").strip().splitlines()
    if len(lines) != 2 or "Avail" not in lines[0]:
        handed.garbled()
    found = re.fullmatch(r"\s*(\d+)\s+(\d+)\s*", lines[1], re.ASCII)
    if not found:
        handed.garbled()
    size, free = number(found[1]), number(found[2])
    if free > size:
        handed.garbled()
    return Found(share_of(free, size))


def throughput(handed: Handed, name: str, way: str) -> Found:
    """Return what fio read or wrote in a run, in MB/s: the sum over its jobs."""
    total = sum((number(job[way]["bw_bytes"]) for job in jobs_of(handed, name, way)), Decimal(0))
    return Found((total / BYTES_IN_MB).quantize(Decimal("0.1"), ROUND_DOWN))
