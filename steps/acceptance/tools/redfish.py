"""A server's controller, as Redfish resources: temperatures and fans, power supplies, event logs, PCIe devices.

A resource's `@odata.type` says what it is. One that the controller answers with an error is not measured. A part that is
absent from the machine (`State: Absent`) does not count.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from steps.acceptance.handed import Found, Handed, NotMeasuredError, number
from steps.acceptance.metric import Metric, Tool

Resource = dict[str, Any]

HEALTHS = {"OK", "Warning", "Critical"}
GENERATIONS = ("Gen1", "Gen2", "Gen3", "Gen4", "Gen5", "Gen6", "Gen7")


def thermal_faults(handed: Handed) -> Found:
    """Count temperature sensors and fans that are not OK, or are beyond their critical limit."""
    thermal = _resource(handed, "redfish_thermal", "Thermal")
    sensors = [*_present(thermal["Temperatures"]), *_present(thermal["Fans"])]
    if not sensors:
        raise NotMeasuredError("the controller lists no temperature and no fan")
    bad = [_named(sensor) for sensor in sensors if not _is_ok(handed, sensor) or _too_hot(sensor)]
    return Found(Decimal(len(bad)), ", ".join(bad))


def inlet_temperature(handed: Handed) -> Found:
    """Return the degrees of the warmest intake sensor."""
    thermal = _resource(handed, "redfish_thermal", "Thermal")
    warm = [
        (number(s["ReadingCelsius"]), _named(s))
        for s in _present(thermal["Temperatures"])
        if s.get("PhysicalContext") == "Intake" and s.get("ReadingCelsius") is not None
    ]
    if not warm:
        raise NotMeasuredError("no intake sensor")
    most, name = max(warm)
    return Found(most, name)


def supplies_ok(handed: Handed) -> Found:
    """Count power supplies that are OK."""
    supplies = list(_present(_resource(handed, "redfish_power", "Power")["PowerSupplies"]))
    if not supplies:
        raise NotMeasuredError("the controller lists no power supply")
    bad = [_named(supply) for supply in supplies if not _is_ok(handed, supply)]
    return Found(Decimal(len(supplies) - len(bad)), f"not OK: {', '.join(bad)}" if bad else "")


def power_kw(handed: Handed) -> Found:
    """Return the power that the server draws, in kW."""
    power = _resource(handed, "redfish_power", "Power")
    drawn = [number(control["PowerConsumedWatts"]) for control in power["PowerControl"]]
    if not drawn:
        handed.garbled()
    return Found(sum(drawn, Decimal(0)) / 1000)


def critical_events(handed: Handed) -> Found:
    """Count entries of the event logs that are critical and not marked as resolved."""
    entries = list(_entries(handed))
    bad = [
        str(e.get("Message", e.get("Id")))
        for e in entries
        if known(handed, e["Severity"]) == "Critical" and e.get("Resolved") is not True
    ]
    return Found(Decimal(len(bad)), "; ".join(bad[:5]))


def pcie_degraded(handed: Handed) -> Found:
    """Count PCIe devices whose link has fewer lanes, or an older generation, than both ends support."""
    links = [(d, d["PCIeInterface"]) for d in _documents(handed, "redfish_pcie", "PCIeDevice")]
    bad = [
        f"{_named(d)}: x{i['LanesInUse']} {i['PCIeType']}"
        for d, i in links
        if number(i["LanesInUse"]) < number(i["MaxLanes"])
        or _generation(handed, i["PCIeType"]) < _generation(handed, i["MaxPCIeType"])
    ]
    return Found(Decimal(len(bad)), ", ".join(bad))


def _generation(handed: Handed, said: str) -> int:
    if said not in GENERATIONS:
        handed.garbled()
    return GENERATIONS.index(said)


def _entries(handed: Handed) -> Iterator[Resource]:
    """Yield the entries of every log, page by page; a log with a missing page is not measured."""
    seen = 0
    pages = _documents(handed, "redfish_log", "LogEntryCollection")
    for page in pages:
        if any(set(e) == {"@odata.id"} for e in page["Members"]):
            raise NotMeasuredError("the log holds links only")
        yield from page["Members"]
        seen += len(page["Members"])
        if "Members@odata.nextLink" in page:
            continue
        if page["Members@odata.count"] != seen:
            raise NotMeasuredError("a part of the log is missing")
        seen = 0
    if "Members@odata.nextLink" in pages[-1]:
        raise NotMeasuredError("a part of the log is missing")


def _documents(handed: Handed, name: str, kind: str) -> list[Resource]:
    """Return all documents that were read; if one of them is an error, none is measured."""
    documents: list[Resource] = handed.document(name)
    if not documents:
        handed.garbled()
    return [_checked(handed, document, kind) for document in documents]


def known(handed: Handed, health: Any) -> str:
    """Return a health that Redfish has."""
    if health not in HEALTHS:
        handed.garbled()
    return str(health)


def _is_ok(handed: Handed, part: Resource) -> bool:
    return known(handed, part["Status"]["Health"]) == "OK"


def _named(part: Resource) -> str:
    return str(part.get("Name") or part.get("Id") or part["MemberId"])


def _present(parts: list[Resource]) -> Iterator[Resource]:
    yield from (part for part in parts if part["Status"].get("State") != "Absent")


def _too_hot(sensor: Resource) -> bool:
    reading, limit = sensor.get("ReadingCelsius"), sensor.get("UpperThresholdCritical")
    return reading is not None and limit is not None and number(reading) >= number(limit)


def _resource(handed: Handed, name: str, kind: str) -> Resource:
    return _checked(handed, handed.document(name), kind)


def _checked(handed: Handed, document: Resource, kind: str) -> Resource:
    if error := document.get("error"):
        raise NotMeasuredError(f"the controller says: {error['message']}")
    if not document["@odata.type"].startswith(f"#{kind}"):
        handed.garbled()
    return document


def _tool(resource: str, name: str, *metrics: Metric) -> Tool:
    return Tool("Redfish", name, f"GET /redfish/v1/{resource}", metrics)


THERMAL = _tool(
    "Chassis/ID/Thermal", "redfish_thermal",
    Metric("redfish.thermal_faults", "count", thermal_faults),
    Metric("redfish.inlet_temperature", "degC", inlet_temperature),
)  # fmt: skip
POWER = _tool(
    "Chassis/ID/Power", "redfish_power",
    Metric("redfish.supplies_ok", "count", supplies_ok), Metric("redfish.power_kw", "kW", power_kw),
)  # fmt: skip
LOG = _tool(
    "Managers/ID/LogServices/ID/Entries, a list of pages", "redfish_log",
    Metric("redfish.critical_events", "count", critical_events),
)  # fmt: skip
PCIE = _tool(
    "Chassis/ID/PCIeDevices/ID, a list of devices",
    "redfish_pcie",
    Metric("redfish.pcie_degraded", "count", pcie_degraded),
)
