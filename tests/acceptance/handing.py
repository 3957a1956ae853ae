"""A host's raw outputs as a playbook's last task hands them over: the captured files, and hand-written ones."""

from __future__ import annotations

import json
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

from steps.acceptance import proofs
from steps.acceptance.measured import Measured
from steps.acceptance.measuring import measure
from steps.acceptance.readers import READERS
from steps.catalog.terms import Kind
from steps.planning.network.unjudged import noted
from steps.value import Value
from tests.acceptance import hand_written
from tests.shipped import shipped_catalog

FIXTURES = Path(__file__).parent / "fixtures"
TODAY = date(2026, 3, 15)

BASELINE = {
    "operating_system_baseline": "Debian 12",
    "gpu_driver_version": "550.54.15",
    "listening_ports_policy": ["tcp/2024"],
}

PINNED = {
    "serial_number": "SIM-CWBMC-NODE-01",
    "firmware_baseline": {"BMC": "1.0.0", "BIOS": "2.0.0", "CPLD": "7"},
    "bios_attributes": {"BootMode": "Uefi", "NumaNodesPerSocket": "4"},
}
"""What a site has pinned of a server."""

PROOF = {m.name: {"value": True if m.unit == "bool" else 0, "note": "5 hosts"} for m in proofs.METRICS}

CAPTURED = {
    "lscpu": "lscpu.json",
    "meminfo": "meminfo.txt",
    "lsblk": "lsblk.json",
    "lspci": "lspci.txt",
    "uptime": "uptime.txt",
    "kernel_log": "kernel_log.txt",
    "os_release": "os_release.txt",
    "df_root": "df_root.txt",
    "ip_link": "ip_link.json",
    "ethtool": "ethtool.txt",
    "ss": "ss.txt",
    "docker": "docker.txt",
    "stress_cpu": "stress_cpu.yaml",
    "stress_memory": "stress_memory.yaml",
    "fio_read": "fio_read.json",
    "fio_write": "fio_write.json",
}

CONTROLLER = ("system", "firmware", "bios", "drives", "log", "pcie")

Raw = dict[str, dict[str, Any]]


@cache
def steps_that_read() -> dict[str, tuple[str, ...]]:
    """Return the metrics that software reads at each step that it does or checks, by step."""
    steps = [entry.step for entry in shipped_catalog().values()]
    software = [step for step in steps if step.kind in {Kind.AUTOMATE, Kind.VERIFY}]
    found = {step.id: tuple(read.metric for read in noted(step, ()) if read.metric in READERS) for step in software}
    return {step: metrics for step, metrics in found.items() if metrics}


def entry(stdout: object, *, rc: int = 0, tool: str = "", missing: str | None = None) -> dict[str, Any]:
    """Return one handed-over output."""
    return {"tool": tool, "rc": rc, "stdout": stdout, "missing_package": missing}


def whole() -> Raw:
    """Return a host of which everything can be read: captured where there is a capture, else hand-written."""
    texts = {name: (FIXTURES / file).read_text() for name, file in CAPTURED.items()}
    texts |= {f"redfish_{part}": (FIXTURES / "tools" / f"redfish_{part}.json").read_text() for part in CONTROLLER}
    texts |= {
        "pinned": json.dumps(PINNED),
        "dmi": hand_written.DMI,
        "firmware": hand_written.FIRMWARE,
        "nvidia_smi": hand_written.nvidia_smi(("5", "16x"), ("4", "8x")),
        "systemctl_failed": hand_written.FAILED_UNITS,
        "chrony": hand_written.CHRONY_FOLLOWS,
        "timedatectl": "NTP=yes\nNTPSynchronized=yes\n",
        "baseline": json.dumps(BASELINE),
        "proof": json.dumps(PROOF),
    }
    return {name: entry(text, tool=name.split("_", maxsplit=1)[0]) for name, text in texts.items()}


def read(step: str, metric: str, design: dict[str, Any] | None = None, **changed: Any) -> Measured:
    """Measure one metric of the whole host with some outputs changed: a text, an entry, or None to leave it out."""
    raw = whole()
    for name, said in changed.items():
        if said is None:
            del raw[name]
        else:
            raw[name] = said if isinstance(said, dict) else entry(said, tool=name)
    metrics = steps_that_read()[step]
    found = [m for m in measure(metrics, "node-1", raw, design or {}, today=TODAY) if m.metric == metric]
    assert len(found) == 1
    return found[0]


def value(step: str, metric: str, **changed: Any) -> Value | None:
    """Return the value of one metric."""
    return read(step, metric, **changed).value
