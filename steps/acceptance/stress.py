"""Load with verification: stress-ng's YAML and its exit status.

The status says whether a stressor failed; the YAML shows that it ran. Without work in the YAML, or without its end mark, a
status of zero is not measured.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from schedule.errors import InputError
from steps.acceptance.handed import Found, Handed, NotMeasuredError, number
from steps.yaml_lines import parse

FAILED = 2
"""stress-ng's exit status if a stressor failed or found a wrong result."""

CPU_STRESSORS = ("cpu", "matrix", "fp", "vecmath", "vnni")
MEMORY_STRESSORS = ("vm", "memrate", "memcpy", "bigheap", "mmap")


def cpu_ops_s(handed: Handed) -> Found:
    """Return the operations per second of the processor's load; they serve to compare servers of one model."""
    entries = _metrics(handed, handed.text("stress_cpu"))
    entry = next((e for e in entries if e["stressor"] in CPU_STRESSORS), None)
    if entry is None:
        raise NotMeasuredError(f"{handed.tool} names no work of {CPU_STRESSORS[0]}; run it with --metrics and --yaml")
    return Found(number(str(entry["bogo-ops-per-second-real-time"])), str(entry["stressor"]))


def failures(handed: Handed, name: str, stressors: Sequence[str]) -> Found:
    """Count failures of the load of a part; at least 1 if stress-ng reports any."""
    said = handed.text(name, accept=(0, FAILED))
    if handed.rc(name) == FAILED:
        counts = [int(count) for count in re.findall(r"\bfailed: (\d{1,6})\b", said, re.ASCII)]
        return Found(Decimal(max([1, *counts])), "stress-ng ended with exit status 2")
    ran = _work(handed, said)
    own = {stressor: work for stressor, work in ran.items() if stressor in stressors}
    if not own:
        raise NotMeasuredError(f"{handed.tool} names no work of {stressors[0]}; run it with --metrics and --yaml")
    if min(own.values()) <= 0:
        raise NotMeasuredError(
            f"{handed.tool} finished no operation of {min(own, key=lambda s: own[s])}; run it for longer"
        )
    work = [f"{stressor}: {operations} operations" for stressor, operations in sorted(own.items())]
    return Found(Decimal(0), ", ".join(work))


def _work(handed: Handed, said: str) -> dict[str, int]:
    """Return the operations of each stressor in a complete document."""
    return {entry["stressor"]: int(entry["bogo-ops"]) for entry in _metrics(handed, said)}


def _metrics(handed: Handed, said: str) -> list[dict[str, Any]]:
    _, begins, rest = f"\n{said}\n".partition("\n---\n")
    document, ends, _ = rest.partition("\n...\n")
    if not (begins and ends):
        handed.garbled()
    try:
        return list(parse(document, handed.tool)[0]["metrics"] or ())
    except InputError:
        handed.garbled()
    except KeyError:
        return []
