"""A server's management controller: ipmitool sel list, and sensor or sdr.

A log that was cleared has no entries and says so in words; silence measures nothing.
"""

from __future__ import annotations

import re
from decimal import Decimal

from steps.acceptance.handed import Found, Handed, NotMeasuredError
from steps.acceptance.metric import Metric, Tool

NOISE = "Unable to Get Channel Cipher Suites"
EMPTY = "SEL has no entries"
ENTRY = re.compile(
    r"\s*([0-9a-f]+)\s*\|\s*([^|]*?)\s*\|\s*([^|]*?)\s*\|\s*([^|]+?)\s*\|\s*([^|]+?)(?:\s*\|\s*([^|]+?)(?:\s*\|.*)?)?\s*"
)
FAULT = re.compile(
    r"uncorrectable ecc|correctable ecc logging limit|ierr|thermal trip|critical interrupt|bus (uncorrectable|fatal)"
    r"|non-recoverable|upper critical|lower critical|ac lost|power supply (failure|predictive)|failure detected"
    r"|predictive failure|fault|redundancy lost|memory.*(disabled|parity)|machine check",
    re.IGNORECASE,
)
SENSOR_STATES = {"ok", "ns", "nc", "cr", "nr", "na", "ucr", "unr", "unc", "lcr", "lnr", "lnc"}
CRITICAL = {"cr", "nr", "ucr", "unr", "lcr", "lnr"}


def critical_events(handed: Handed) -> Found:
    """Count logged hardware faults that were asserted; what was cleared since still counts, for it happened."""
    bad = [f"{what}: {event}" for what, event, way in _events(handed) if way != "Deasserted" and FAULT.search(event + " " + what)]  # fmt: skip
    return Found(Decimal(len(bad)), "; ".join(bad[:5]))


def events(handed: Handed) -> Found:
    """Count entries of the log."""
    return Found(Decimal(len(_events(handed))))


def sensors_critical(handed: Handed) -> Found:
    """Count sensors beyond a critical limit."""
    sensors = _sensors(handed)
    bad = [name for name, _, _, state in sensors if state in CRITICAL]
    return Found(Decimal(len(bad)), ", ".join(bad))


def inlet_temperature(handed: Handed) -> Found:
    """Give the degrees of the warmest inlet sensor."""
    warm = [
        (Decimal(value), name)
        for name, value, unit, _ in _sensors(handed)
        if unit == "degrees C" and re.search(r"inlet|ambient|intake", name, re.IGNORECASE) and value != "na"
    ]
    if not warm:
        raise NotMeasuredError("no inlet sensor")
    most, name = max(warm)
    if not most.is_finite():
        handed.garbled()
    return Found(most, name)


def _events(handed: Handed) -> list[tuple[str, str, str]]:
    lines = [line for line in handed.text("ipmi_sel").splitlines() if line.strip() and line.strip() != NOISE]
    if [line.strip() for line in lines] == [EMPTY]:
        return []
    if not lines:
        handed.garbled()
    found = []
    for line in lines:
        entry = ENTRY.fullmatch(line)
        # a line that was cut lacks its last word
        if not entry or entry[6] not in {"Asserted", "Deasserted"}:
            handed.garbled()
        found.append((entry[4], entry[5], entry[6]))
    return found


def _sensors(handed: Handed) -> list[tuple[str, str, str, str]]:
    """Read `ipmitool sensor`: name, value, unit, state and six limits."""
    found = []
    for line in handed.text("ipmi_sensor").splitlines():
        if not line.strip() or line.strip() == NOISE:
            continue
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) != 10 or not re.fullmatch(r"na|-?\d+(\.\d{3})?|0x[0-9a-f]+", cells[1]) or not cells[9]:
            handed.garbled()
        if cells[2] != "discrete" and cells[3] not in SENSOR_STATES:
            handed.garbled()
        found.append((cells[0], cells[1], cells[2], cells[3]))
    if not found:
        handed.garbled()
    return found


SEL = Tool(
    "ipmitool sel",
    "ipmi_sel",
    "ipmitool sel list",
    (Metric("bmc.sel_faults", "count", critical_events), Metric("bmc.sel_entries", "count", events)),
)
SENSOR = Tool(
    "ipmitool sensor",
    "ipmi_sensor",
    "ipmitool sensor",
    (
        Metric("bmc.sensors_critical", "count", sensors_critical),
        Metric("bmc.inlet_temperature", "degC", inlet_temperature),
    ),
)
