"""From what a playbook handed over to metrics: one table of steps, one function that never raises.

A metric that cannot be read has the value None and a note that says why. Verdicts are the ledger's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any, NamedTuple

from steps.acceptance import (
    baseline,
    clock,
    disks,
    gpus,
    identity,
    kernel,
    links,
    ports,
    processor,
    services,
    stress,
)
from steps.acceptance.handed import GARBLED, Found, Handed, NotMeasuredError


class Measurement(NamedTuple):
    """One metric of one host; None is `not measured`, and the note says why."""

    metric: str
    value: Decimal | bool | None
    unit: str
    item: str
    source: str
    note: str = ""


class Metric(NamedTuple):
    """A metric, its unit and the function that reads it."""

    name: str
    unit: str
    read: Callable[[Handed], Found]


GPU_COUNT = Metric("gpu.count", "count", gpus.count)
HARDWARE_ERRORS = Metric("kernel.hardware_errors", "count", kernel.hardware_errors)

STEPS: Mapping[str, tuple[Metric, ...]] = {
    "007": (
        Metric("firmware.components_unversioned", "count", identity.components_unversioned),
        Metric("firmware.bios_release_age_days", "day", identity.bios_age_days),
    ),
    "008": (
        Metric("inventory.serial_recorded", "bool", identity.serial_recorded),
        Metric("cpu.sockets", "count", processor.sockets),
        Metric("memory.total_gib", "GiB", processor.memory_gib),
        Metric("disk.nvme", "count", disks.nvme),
        GPU_COUNT,
    ),
    "029": (
        GPU_COUNT,
        Metric("gpu.pcie_width_min", "lanes", gpus.pcie_width_min),
        Metric("gpu.pcie_speed_min", "GT/s", gpus.pcie_speed_min),
    ),
    "031": (
        Metric("boot.uptime_s", "s", processor.uptime_s),
        HARDWARE_ERRORS,
        Metric("kernel.oom_kills", "count", kernel.oom_kills),
    ),
    "032": (
        Metric("os.release_matches_baseline", "bool", baseline.release_matches),
        Metric("os.failed_units", "count", services.failed_units),
        Metric("disk.root_free_ratio", "ratio", disks.root_free_ratio),
    ),
    "035": (
        Metric("stress.cpu_failures", "count", stress.cpu_failures),
        Metric("stress.memory_failures", "count", stress.memory_failures),
        Metric("disk.read_mb_s", "MB/s", disks.read_mb_s),
        Metric("disk.write_mb_s", "MB/s", disks.write_mb_s),
        HARDWARE_ERRORS,
    ),
    "047": (
        Metric("link.up_ratio", "ratio", links.up_ratio),
        Metric("link.speed_min_gbit", "Gbit/s", links.speed_min_gbit),
    ),
    "054": (Metric("path_mtu.min", "byte", links.mtu_min),),
    "068": (Metric("ports.unexpected", "count", ports.unexpected),),
    "144": (
        Metric("time.offset_abs_ms", "ms", clock.offset_abs_ms),
        Metric("time.synchronised", "bool", clock.synchronised),
        Metric("time.stratum", "count", clock.stratum),
    ),
    "148": (
        Metric("gpu.driver_loaded", "bool", gpus.driver_loaded),
        Metric("gpu.driver_version_matches", "bool", baseline.driver_matches),
    ),
    "152": (
        Metric("container.runtime_present", "bool", services.runtime_present),
        Metric("container.runtime_major", "count", services.runtime_major),
    ),
}
"""What is read at each step that has a playbook, in the order of its criteria."""


def measure(
    step: str,
    host: str,
    raw: Mapping[str, Mapping[str, Any]],
    design: Mapping[str, Any],
    *,
    today: date | None = None,
) -> list[Measurement]:
    """Give every metric of a step for one host; a step without a table gives none.

    `today` dates the firmware's age; None is today in UTC.
    """
    day = today or datetime.now(UTC).date()
    return [_measured(metric, host, Handed(raw, design, day)) for metric in STEPS.get(step, ())]


def _measured(metric: Metric, host: str, handed: Handed) -> Measurement:
    try:
        found = metric.read(handed)
    except NotMeasuredError as error:
        note = str(error)
    except GARBLED:
        note = f"the output of {handed.tool} does not parse"
    else:
        return Measurement(metric.name, found.value, metric.unit, host, handed.tool, found.note)
    return Measurement(metric.name, None, metric.unit, host, handed.tool, f"not measured: {note}")
