"""GPU health from nvidia-smi -q -x: ECC, remapped rows, retired pages, slowdowns, temperatures, the NVLink fabric.

A card that does not count something reports `N/A`, which is not a count of zero. `steps.acceptance.gpus` reads number, link
and driver from the same text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal
from functools import partial
from typing import Any

from steps.acceptance.gpus import attached
from steps.acceptance.handed import Found, Handed, NotMeasuredError, number
from steps.acceptance.metric import Metric, Tool

ABSENT = {"", "N/A", "None", "[N/A]", "Unknown Error"}
FATAL_ECC = re.compile(r"(sram|dram)_uncorrectable(_parity|_secded)?")
SOFT_ECC = re.compile(r"(sram|dram)_correctable")
REASONS = {
    "hw_slowdown": "hardware slowdown",
    "hw_thermal_slowdown": "hardware thermal slowdown",
    "hw_power_brake_slowdown": "power brake",
    "sw_thermal_slowdown": "software thermal slowdown",
}
"""Reasons for low clocks that a healthy card under load does not report; a power cap and idling are not faults."""

COUNTED = ("hw_therm_slowdown", "hw_power_brake")
MICROSECONDS = 1_000_000


def ecc_enabled(handed: Handed) -> Found:
    """Return whether every GPU has error correction switched on."""
    off = [_name(gpu) for gpu in _gpus(handed) if _said(gpu, "ecc_mode/current_ecc") != "Enabled"]
    return Found(not off, f"off: {', '.join(off)}" if off else "")


def rows_failed(handed: Handed) -> Found:
    """Count GPUs that could not remap a broken row, or that wait for a reset to do so."""
    bad = [_name(gpu) for gpu in _gpus(handed) if _remap_failed(handed, gpu)]
    return Found(Decimal(len(bad)), ", ".join(bad))


def _remap_failed(handed: Handed, gpu: Any) -> bool:
    paths = [f"remapped_rows/remapped_row_{what}" for what in ("failure", "pending")]
    return "Yes" in {_yes_no(handed, gpu, path) for path in paths}


def retired_pages(handed: Handed) -> Found:
    """Count pages retired over the GPU's life; cards newer than Volta remap rows and retire none."""
    kinds = ("multiple_single_bit_retirement", "double_bit_retirement")
    return _sum(handed, [f"retired_pages/{kind}/retired_count" for kind in kinds])


def slowed(handed: Handed) -> Found:
    """Count GPUs that are slowed down now by heat or by a power brake."""
    slow, found = set(), []
    for gpu in _gpus(handed):
        for reason, words in REASONS.items():
            if _reason(gpu, reason) == "Active":
                slow.add(_name(gpu))
                found.append(f"{_name(gpu)}: {words}")
    return Found(Decimal(len(slow)), "; ".join(found))


def slowdown_s(handed: Handed) -> Found:
    """Return the longest time that heat or a power brake slowed a GPU since the driver was loaded, in seconds."""
    worst, note = Decimal(-1), ""
    for gpu in _gpus(handed):
        counters = gpu.find("clocks_event_reasons_counters")
        if counters is None:
            raise NotMeasuredError("this driver does not count slowdowns; version 555 or newer does")
        said = [c.text or "" for c in counters if c.tag.removeprefix("clocks_event_reasons_counters_") in COUNTED]
        if not said:
            handed.garbled()
        times = [_quantity(handed, text, "us") for text in said]
        total = sum(times, Decimal(0)) / MICROSECONDS
        if total > worst:
            worst, note = total, _name(gpu)
    return Found(worst, note)


def fabric_not_ready(handed: Handed) -> Found:
    """Count GPUs that the NVLink fabric manager has not registered."""
    bad = []
    for gpu in _gpus(handed):
        state = (gpu.findtext("fabric/state") or "").strip()
        if state in ABSENT:
            raise NotMeasuredError("the GPUs report no NVLink fabric")
        if state != "Completed" or (gpu.findtext("fabric/status") or "").strip() != "Success":
            bad.append(f"{_name(gpu)}: {state}")
    return Found(Decimal(len(bad)), ", ".join(bad))


def _gpus(handed: Handed) -> list[Any]:
    gpus = attached(handed)
    if not gpus:
        raise NotMeasuredError("no GPU")
    return gpus


def _name(gpu: Any) -> str:
    return str(gpu.get("id"))


def _said(gpu: Any, path: str) -> str:
    """Return the text of a card at a path; a card that reports nothing there is not measured."""
    text = (gpu.findtext(path) or "").strip()
    if text in ABSENT:
        raise NotMeasuredError(f"{_name(gpu)} reports no {path.rsplit('/', maxsplit=1)[-1]}")
    return text


def _yes_no(handed: Handed, gpu: Any, path: str) -> str:
    text = _said(gpu, path)
    if text not in {"Yes", "No"}:
        handed.garbled()
    return text


def _reason(gpu: Any, reason: str) -> str:
    """Return Active or Not Active; drivers before 535 call these throttle reasons."""
    for word in ("event", "throttle"):
        text = gpu.findtext(f"clocks_{word}_reasons/clocks_{word}_reason_{reason}")
        if text in {"Active", "Not Active"}:
            return str(text)
    raise NotMeasuredError(f"{_name(gpu)} reports no {REASONS[reason]}")


def _errors(handed: Handed, kind: re.Pattern[str]) -> Found:
    """Count memory errors of a kind of all GPUs since the last reset; not measured if a card does not count them."""
    total, bad = Decimal(0), []
    for gpu in _gpus(handed):
        counters = [counter for counter in gpu.findall("ecc_errors/volatile/*") if kind.fullmatch(counter.tag)]
        said = [(counter.text or "").strip() for counter in counters]
        counts = [number(text) for text in said if text not in ABSENT]
        if not counts:
            raise NotMeasuredError(f"{_name(gpu)} counts no memory errors; switch ECC on")
        if sum(counts):
            bad.append(f"{_name(gpu)}: {sum(counts)}")
        total += sum(counts)
    return Found(total, ", ".join(bad))


def _sum(handed: Handed, paths: Iterable[str]) -> Found:
    """Return the sum of what all GPUs count: rows remapped over their life, packets of PCI Express that were sent twice."""
    total, bad = Decimal(0), []
    for gpu in _gpus(handed):
        own = sum((number(_said(gpu, path)) for path in paths), Decimal(0))
        if own:
            bad.append(f"{_name(gpu)}: {own}")
        total += own
    return Found(total, ", ".join(bad))


def _hottest(handed: Handed, path: str) -> Found:
    """Return the degrees of the hottest GPU, or of the hottest GPU memory."""
    said = {_name(gpu): _said(gpu, path) for gpu in _gpus(handed)}
    read = {name: _quantity(handed, text, "C") for name, text in said.items()}
    hottest = max(read, key=lambda name: (read[name], name))
    return Found(read[hottest], hottest)


def _quantity(handed: Handed, text: str, unit: str) -> Decimal:
    found = re.fullmatch(rf"(\d+(?:\.\d+)?) {unit}", text.strip(), re.ASCII)
    if not found:
        handed.garbled()
    return Decimal(found[1])


TOOL = Tool(
    "nvidia-smi",
    "nvidia_smi",
    "nvidia-smi -q -x",
    (
        Metric("gpu.dbe", "count", partial(_errors, kind=FATAL_ECC)),
        Metric("gpu.ecc_corrected", "count", partial(_errors, kind=SOFT_ECC)),
        Metric("gpu.ecc_enabled", "bool", ecc_enabled),
        Metric("gpu.row_remaps_failed", "count", rows_failed),
        Metric("gpu.rows_remapped", "count", partial(_sum, paths=["remapped_rows/remapped_row_unc"])),
        Metric("gpu.retired_pages", "count", retired_pages),
        Metric("gpu.slowed", "count", slowed),
        Metric("gpu.hw_slowdown_s", "s", slowdown_s),
        Metric("gpu.temperature_max", "degC", partial(_hottest, path="temperature/gpu_temp")),
        Metric("gpu.memory_temperature_max", "degC", partial(_hottest, path="temperature/memory_temp")),
        Metric("gpu.pcie_replays", "count", partial(_sum, paths=["pci/replay_counter"])),
        Metric("gpu.fabric_not_ready", "count", fabric_not_ready),
    ),
)
