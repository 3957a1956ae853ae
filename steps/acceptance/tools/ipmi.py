"""A server's management controller: ipmitool sel list, and sensor or sdr.

For a log without entries ipmitool prints a sentence; an empty output is not measured.
"""

from __future__ import annotations

import re
from decimal import Decimal

from steps.acceptance.handed import Found, Handed, NotMeasuredError
from steps.acceptance.metric import Metric, Tool

NOISE = "Unable to Get Channel Cipher Suites"
EMPTY = "SEL has no entries"
CELLS = 10
READING = re.compile(r"na|-?\d+(\.\d{3})?|0x[0-9a-f]+")
NUMBER = re.compile(r"[0-9a-f]+")
EVENT_CELLS = 6
FAULT = re.compile(
    r"uncorrectable ecc|correctable ecc logging limit|ierr|thermal trip|critical interrupt|bus (uncorrectable|fatal)"
    r"|non-recoverable|upper critical|lower critical|ac lost|power supply (failure|predictive)|failure detected"
    r"|predictive failure|fault|redundancy lost|memory.*(disabled|parity)|machine check",
    re.IGNORECASE,
)
CRITICAL = {"cr", "nr", "ucr", "unr", "lcr", "lnr"}
SENSOR_STATES = CRITICAL | {"ok", "ns", "nc", "na", "unc", "lnc"}


def critical_events(handed: Handed) -> Found:
    """Count logged hardware faults that were asserted, those that have been cleared since included."""
    asserted = [(what, event) for what, event, way in _events(handed) if way != "Deasserted"]
    bad = [f"{what}: {event}" for what, event in asserted if FAULT.search(f"{event} {what}")]
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
    """Return the degrees of the warmest inlet sensor."""
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
    lines = _lines(handed, "ipmi_sel")
    if [line.strip() for line in lines] == [EMPTY]:
        return []
    if not lines:
        handed.garbled()
    found = []
    for line in lines:
        number, _, _, what, event, way, *_ = [*(cell.strip() for cell in line.split("|")), *[""] * EVENT_CELLS]
        # a line without its last word was cut
        if not NUMBER.fullmatch(number) or not what or not event or way not in {"Asserted", "Deasserted"}:
            handed.garbled()
        found.append((what, event, way))
    return found


def _sensors(handed: Handed) -> list[tuple[str, str, str, str]]:
    """Return name, value, unit and state of every sensor; six limits follow them in each line."""
    found = []
    for line in _lines(handed, "ipmi_sensor"):
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) != CELLS or not cells[-1]:
            handed.garbled()
        name, value, unit, state = cells[:4]
        if not READING.fullmatch(value):
            handed.garbled()
        if unit != "discrete" and state not in SENSOR_STATES:
            handed.garbled()
        found.append((name, value, unit, state))
    if not found:
        handed.garbled()
    return found


def _lines(handed: Handed, name: str) -> list[str]:
    lines = handed.text(name).splitlines()
    return [line for line in lines if line.strip() not in {"", NOISE}]


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
