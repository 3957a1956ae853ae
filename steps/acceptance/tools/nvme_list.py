"""NVMe drives from nvme list -o json, which is flat (nvme-cli 1, and 2 until 2.10) or nested by subsystem (2.11)."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from steps.acceptance.handed import Found, Handed, NotMeasuredError, number
from steps.acceptance.metric import Metric, Tool

TERA = Decimal(1_000_000_000_000)


def drives(handed: Handed) -> Found:
    """Count drives by serial number."""
    return Found(Decimal(len({serial for serial, _, _ in _drives(handed)})))


def capacity_min_tb(handed: Handed) -> Found:
    """Return the TB of all namespaces of the smallest drive."""
    sizes: dict[str, Decimal] = {}
    for serial, _, size in _drives(handed):
        sizes[serial] = sizes.get(serial, Decimal(0)) + size
    least = min(sizes, key=lambda serial: sizes[serial])
    return Found(sizes[least] / TERA, least)


def firmware_versions(handed: Handed) -> Found:
    """Count different firmware versions; drives of one model should have one."""
    versions = {firmware for _, firmware, _ in _drives(handed)}
    return Found(Decimal(len(versions)), ", ".join(sorted(versions)))


def _drives(handed: Handed) -> list[tuple[str, str, Decimal]]:
    """Return serial, firmware and bytes of each namespace; a document without a list of devices is garbled."""
    found = [drive for device in handed.document("nvme_list")["Devices"] for drive in _of(device)]
    if not found:
        raise NotMeasuredError("nvme lists no drive")
    if not all(serial and firmware for serial, firmware, _ in found):
        handed.garbled()
    return found


def _of(device: dict[str, Any]) -> Iterator[tuple[str, str, Decimal]]:
    if "SerialNumber" in device and "PhysicalSize" in device:
        size = number(device["PhysicalSize"])
        yield device["SerialNumber"].strip(), device["Firmware"].strip(), size
        return
    for subsystem in device["Subsystems"]:
        for controller in subsystem["Controllers"]:
            spaces = controller.get("Namespaces") or subsystem.get("Namespaces") or []
            size = sum((number(space["PhysicalSize"]) for space in spaces), Decimal(0))
            yield controller["SerialNumber"].strip(), controller["Firmware"].strip(), size


TOOL = Tool(
    "nvme-cli",
    "nvme_list",
    "nvme list -o json",
    (
        Metric("nvme.drives", "count", drives),
        Metric("nvme.capacity_min_tb", "TB", capacity_min_tb),
        Metric("nvme.firmware_versions", "count", firmware_versions),
    ),
)
