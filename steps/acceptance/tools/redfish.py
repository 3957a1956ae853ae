"""A server's controller, as Redfish resources: temperatures and fans, power supplies, event logs, PCIe devices.

Resources are told by their `@odata.type`; one that a controller answers with an error is not measured. What is
absent from the machine (`State: Absent`) is neither good nor bad.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from steps.acceptance.handed import Found, Handed, NotMeasuredError, number
from steps.acceptance.metric import Metric, Tool

HEALTHS = {"OK", "Warning", "Critical"}
GENERATIONS = ("Gen1", "Gen2", "Gen3", "Gen4", "Gen5", "Gen6", "Gen7")


def thermal_faults(handed: Handed) -> Found:
    """Count temperatures and fans that are not OK, or beyond their critical limit."""
    thermal = _resource(handed, "redfish_thermal", "Thermal")
    sensors = [*_present(thermal["Temperatures"]), *_present(thermal["Fans"])]
    if not sensors:
        raise NotMeasuredError("the controller lists no temperature and no fan")
    bad = [_named(s) for s in sensors if _known(handed, s["Status"]["Health"]) != "OK" or _too_hot(s)]
    return Found(Decimal(len(bad)), ", ".join(bad))


def inlet_temperature(handed: Handed) -> Found:
    """Give the degrees of the warmest intake sensor."""
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
    bad = [_named(s) for s in supplies if _known(handed, s["Status"]["Health"]) != "OK"]
    return Found(Decimal(len(supplies) - len(bad)), f"not OK: {', '.join(bad)}" if bad else "")


def power_kw(handed: Handed) -> Found:
    """Give the kW that the server draws."""
    drawn = [number(c["PowerConsumedWatts"]) for c in _resource(handed, "redfish_power", "Power")["PowerControl"]]
    if not drawn:
        handed.garbled()
    return Found(sum(drawn, Decimal(0)) / 1000)


def critical_events(handed: Handed) -> Found:
    """Count entries of the event logs that are critical and not marked as resolved."""
    entries = list(_entries(handed))
    bad = [
        str(e.get("Message", e.get("Id")))
        for e in entries
        if _known(handed, e["Severity"]) == "Critical" and e.get("Resolved") is not True
    ]
    return Found(Decimal(len(bad)), "; ".join(bad[:5]))


def pcie_degraded(handed: Handed) -> Found:
    """Count PCIe devices that trained fewer lanes, or an older generation, than both ends can."""
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


def _entries(handed: Handed) -> Iterator[dict[str, Any]]:
    """Give the entries of every log, whose pages follow each other; a log of which a page lacks is not read."""
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
            raise NotMeasuredError("the log came in part")
        seen = 0
    if "Members@odata.nextLink" in pages[-1]:
        raise NotMeasuredError("the log came in part")


def _documents(handed: Handed, name: str, kind: str) -> list[dict[str, Any]]:
    """Give what was read one after the other; one that came as an error spoils all, for nobody knows what it would say."""
    documents: list[dict[str, Any]] = handed.document(name)
    if not documents:
        handed.garbled()
    return [_checked(handed, document, kind) for document in documents]


def _known(handed: Handed, health: Any) -> str:
    if health not in HEALTHS:
        handed.garbled()
    return str(health)


def _named(part: dict[str, Any]) -> str:
    return str(part.get("Name") or part.get("Id") or part["MemberId"])


def _present(parts: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    yield from (part for part in parts if part["Status"].get("State") != "Absent")


def _too_hot(sensor: dict[str, Any]) -> bool:
    reading, limit = sensor.get("ReadingCelsius"), sensor.get("UpperThresholdCritical")
    return reading is not None and limit is not None and number(reading) >= number(limit)


def _resource(handed: Handed, name: str, kind: str) -> dict[str, Any]:
    return _checked(handed, handed.document(name), kind)


def _checked(handed: Handed, document: dict[str, Any], kind: str) -> dict[str, Any]:
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
