"""Every metric that something reads, by name: from the machine itself, from a tool's output, or from a proof.

The file of a step says which of them the step reads (`accept` and `also_reads`).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

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
    toolbox,
)
from steps.acceptance.metric import Metric

MACHINE = (
    Metric("gpu.count", "count", gpus.count),
    Metric("kernel.hardware_errors", "count", partial(kernel.lines_of, pattern=kernel.HARDWARE)),
    Metric("firmware.components_unversioned", "count", identity.components_unversioned),
    Metric("firmware.bios_release_age_days", "day", identity.bios_age_days),
    Metric("inventory.serial_recorded", "bool", identity.serial_recorded),
    Metric("cpu.sockets", "count", processor.sockets),
    Metric("memory.total_gib", "GiB", processor.memory_gib),
    Metric("disk.nvme", "count", disks.nvme),
    Metric("gpu.pcie_width_min", "lanes", gpus.pcie_width_min),
    Metric("gpu.pcie_speed_min", "GT/s", gpus.pcie_speed_min),
    Metric("boot.uptime_s", "s", processor.uptime_s),
    Metric("kernel.oom_kills", "count", partial(kernel.lines_of, pattern=kernel.OOM)),
    Metric("os.release_matches_baseline", "bool", baseline.release_matches),
    Metric("os.failed_units", "count", services.failed_units),
    Metric("disk.root_free_ratio", "ratio", disks.root_free_ratio),
    Metric("stress.cpu_failures", "count", partial(stress.failures, name="stress_cpu", stressors=stress.CPU_STRESSORS)),
    Metric(
        "stress.memory_failures",
        "count",
        partial(stress.failures, name="stress_memory", stressors=stress.MEMORY_STRESSORS),
    ),
    Metric("disk.read_mb_s", "MB/s", partial(disks.throughput, name="fio_read", way="read")),
    Metric("disk.write_mb_s", "MB/s", partial(disks.throughput, name="fio_write", way="write")),
    Metric("stress.cpu_ops_s", "count", stress.cpu_ops_s),
    Metric("link.up_ratio", "ratio", links.up_ratio),
    Metric("link.speed_min_gbit", "Gbit/s", links.speed_min_gbit),
    Metric("path_mtu.min", "byte", links.mtu_min),
    Metric("ports.unexpected", "count", ports.unexpected),
    Metric("time.offset_abs_ms", "ms", clock.offset_abs_ms),
    Metric("time.synchronised", "bool", clock.synchronised),
    Metric("time.stratum", "count", clock.stratum),
    Metric("time.follows_ptp", "bool", clock.follows_ptp),
    Metric("gpu.driver_loaded", "bool", gpus.driver_loaded),
    Metric("gpu.driver_version_matches", "bool", baseline.driver_matches),
    Metric("container.runtime_supported", "bool", services.runtime_supported),
)
"""Metrics that any host has, whatever its GPUs and fabric."""

_ALL = (*MACHINE, *toolbox.METRICS.values(), *proofs.METRICS)

READERS: Mapping[str, Metric] = {metric.name: metric for metric in _ALL}
"""Every reader by the name of its metric."""
