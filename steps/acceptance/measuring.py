"""From what a playbook handed over to metrics: one table of steps, one function that never raises.

A metric that cannot be read has the value None and a note that says why. Verdicts are the ledger's.
"""

from __future__ import annotations

from collections.abc import Mapping
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
    proofs,
    services,
    stress,
)
from steps.acceptance.handed import GARBLED, Handed, NotMeasuredError
from steps.acceptance.metric import Metric
from steps.acceptance.theory import share_of_best
from steps.acceptance.toolbox import METRICS


class Measurement(NamedTuple):
    """One metric of one host; None is `not measured`, and the note says why."""

    metric: str
    value: Decimal | bool | None
    unit: str
    item: str
    source: str
    note: str = ""


GPU_COUNT = Metric("gpu.count", "count", gpus.count)
HARDWARE_ERRORS = Metric("kernel.hardware_errors", "count", kernel.hardware_errors)

TOOLED: Mapping[str, tuple[str, ...]] = {
    "006": ("dcgm.failed_tests", "gpu.dbe", "dcgm.skipped_tests", "gpu.row_remaps_failed", "gpu.rows_remapped"),
    "019": ("raid.boot_volume_optimal",),
    "034": (
        "burn_in.clean_h",
        "gpu.xid_events",
        "gpu.dbe",
        "gpu.hw_slowdown_s",
        "gpu.xid_hardware_events",
        "gpu.temperature_max",
        "gpu.memory_temperature_max",
        "gpu_burn.faulty",
        "gemm.tflops",
        "burn_in.temperature_max",
    ),
    "043": ("rdma.rail_devices",),
    "062": (
        "topology.mismatches",
        "topology.links_found_ratio",
        "port.link_down_growth",
        "port.symbol_error_growth",
        "fabric.links_degraded",
    ),
    "063": ("nccl.allreduce_busbw_node", "nccl.allreduce_pod_line_share", "nccl.wrong_results"),
    "064": ("rdma.write_bw_min_gbit", "rdma.write_latency_max_us", "port.error_growth"),
    "065": ("gpudirect.write_bw_min_gbit", "gpudirect.affinity_mismatches"),
    "066": ("nccl.allreduce_full_line_share", "nccl.wrong_results"),
    "119": ("thermal.sensors_seen_ratio",),
    "125": ("storage.port_rate_ratio",),
    "129": ("storage.read_gb_s", "storage.write_gb_s"),
    "130": ("mount.read_gb_s",),
    "133": ("cache.hit_read_gb_s",),
    "134": ("gds.read_gb_s",),
    "167": ("exporter.up_ratio",),
    "168": ("dcgm.up_ratio",),
    "169": ("gpu.series_present_ratio",),
}
"""Steps whose tools are in the toolbox, by metric: the criteria, then what is noted beside them."""

STEPS: Mapping[str, tuple[Metric, ...]] = {
    **{step: tuple(METRICS[name] for name in names) for step, names in TOOLED.items()},
    **proofs.STEPS,
    "007": (
        Metric("firmware.components_unversioned", "count", identity.components_unversioned),
        Metric("firmware.bios_release_age_days", "day", identity.bios_age_days),
        METRICS["firmware.baseline_deviations"],
        METRICS["redfish.firmware_unversioned"],
    ),
    "008": (
        Metric("inventory.serial_recorded", "bool", identity.serial_recorded),
        Metric("cpu.sockets", "count", processor.sockets),
        Metric("memory.total_gib", "GiB", processor.memory_gib),
        Metric("disk.nvme", "count", disks.nvme),
        GPU_COUNT,
        METRICS["inventory.serial_as_planned"],
        METRICS["redfish.processors"],
        METRICS["redfish.memory_gib"],
        METRICS["redfish.drives"],
    ),
    "029": (
        GPU_COUNT,
        Metric("gpu.pcie_width_min", "lanes", gpus.pcie_width_min),
        Metric("gpu.pcie_speed_min", "GT/s", gpus.pcie_speed_min),
        METRICS["redfish.pcie_degraded"],
    ),
    "031": (
        Metric("boot.uptime_s", "s", processor.uptime_s),
        HARDWARE_ERRORS,
        Metric("kernel.oom_kills", "count", kernel.oom_kills),
        METRICS["redfish.post_completed"],
        METRICS["redfish.critical_events"],
        METRICS["redfish.bios_deviations"],
        METRICS["redfish.system_healthy"],
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
        Metric("stress.cpu_ops_s", "count", stress.cpu_ops_s),
        *(METRICS[name] for name in ("burn_in.clean_h", "burn_in.temperature_max", "gpu_burn.faulty", "gemm.tflops")),
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
        Metric("time.follows_ptp", "bool", clock.follows_ptp),
        METRICS["ptp.follows"],
        METRICS["ptp.offset_abs_ms"],
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
"""What is read at each step out of what is handed over, in the order of its criteria."""


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
    return [measured(metric, host, raw, design, day) for metric in STEPS.get(step, ())]


def measured(
    metric: Metric, host: str, raw: Mapping[str, Mapping[str, Any]], design: Mapping[str, Any], today: date
) -> Measurement:
    """Give one metric of one host; whatever is wrong with the outputs, it is a value or `not measured`."""
    handed = Handed(raw, design, today)
    try:
        found = metric.read(handed)
    except NotMeasuredError as error:
        note = str(error)
    except GARBLED:
        note = f"the output of {handed.tool} does not parse"
    else:
        note = "; ".join(filter(None, (share_of_best(metric.name, found.value, design), found.note)))
        return Measurement(metric.name, found.value, metric.unit, host, handed.tool, note)
    return Measurement(metric.name, None, metric.unit, host, handed.tool, f"not measured: {note}")
