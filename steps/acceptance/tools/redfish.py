"""A server by Redfish: its system, temperatures and fans, power supplies, firmware, BIOS settings, event log, volumes.

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


def system_healthy(handed: Handed) -> Found:
    """Say whether the system and all below it call themselves OK."""
    status = _resource(handed, "redfish_system", "ComputerSystem")["Status"]
    health = status.get("HealthRollup", status.get("HealthRollUp", status["Health"]))
    return Found(_known(handed, health) == "OK" and _known(handed, status["Health"]) == "OK", health)


def powered_on(handed: Handed) -> Found:
    """Say whether the system is on."""
    state = _resource(handed, "redfish_system", "ComputerSystem")["PowerState"]
    if state not in {"On", "Off", "PoweringOn", "PoweringOff", "Paused"}:
        handed.garbled()
    return Found(state == "On", state)


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


def firmware_unversioned(handed: Handed) -> Found:
    """Count firmware components without a version."""
    members = _members(handed, "redfish_firmware")
    bare = [_named(m) for m in members if not str(m.get("Version") or "").strip()]
    return Found(Decimal(len(bare)), ", ".join(bare))


def bios_deviations(handed: Handed) -> Found:
    """Count BIOS attributes that differ from the site's pinned ones."""
    wanted = handed.document("baseline").get("bios_attributes")
    if not wanted:
        raise NotMeasuredError("state bios_attributes in the inventory")
    attributes = _resource(handed, "redfish_bios", "Bios")["Attributes"]
    wrong = [f"{name}: {attributes.get(name)}" for name, value in wanted.items() if attributes.get(name) != value]
    return Found(Decimal(len(wrong)), ", ".join(wrong))


def critical_events(handed: Handed) -> Found:
    """Count entries of the event log that are critical."""
    bad = [str(m.get("Message", m.get("Id"))) for m in _members(handed, "redfish_log", empty=True) if _severity(handed, m) == "Critical"]  # fmt: skip
    return Found(Decimal(len(bad)), "; ".join(bad[:5]))


def volumes_optimal(handed: Handed) -> Found:
    """Say whether every volume is enabled and OK."""
    members = _members(handed, "redfish_volumes")
    bad = [_named(m) for m in members if m["Status"].get("State") != "Enabled" or _known(handed, m["Status"]["Health"]) != "OK"]  # fmt: skip
    return Found(not bad, ", ".join(bad))


def _severity(handed: Handed, entry: dict[str, Any]) -> str:
    return _known(handed, entry["Severity"])


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


def _members(handed: Handed, name: str, *, empty: bool = False) -> list[dict[str, Any]]:
    """Give a collection's expanded members; as many as it counts, for long collections come in pages."""
    document = _resource(handed, name, "")
    members: list[dict[str, Any]] = document["Members"]
    if document["Members@odata.count"] != len(members) or "Members@odata.nextLink" in document:
        raise NotMeasuredError("the collection came in part; let the playbook read every page")
    if not members and not empty:
        raise NotMeasuredError("the collection is empty")
    if any(set(m) == {"@odata.id"} for m in members):
        raise NotMeasuredError("the collection holds links only; read it with $expand")
    return members


def _resource(handed: Handed, name: str, kind: str) -> dict[str, Any]:
    document: dict[str, Any] = handed.document(name)
    if error := document.get("error"):
        raise NotMeasuredError(f"the controller says: {error['message']}")
    if not document["@odata.type"].startswith(f"#{kind}"):
        handed.garbled()
    return document


def _tool(resource: str, name: str, *metrics: Metric) -> Tool:
    return Tool("Redfish", name, f"GET /redfish/v1/{resource}", metrics)


SYSTEM = _tool(
    "Systems/ID", "redfish_system",
    Metric("redfish.system_healthy", "bool", system_healthy), Metric("redfish.powered_on", "bool", powered_on),
)  # fmt: skip
THERMAL = _tool(
    "Chassis/ID/Thermal", "redfish_thermal",
    Metric("redfish.thermal_faults", "count", thermal_faults),
    Metric("redfish.inlet_temperature", "degC", inlet_temperature),
)  # fmt: skip
POWER = _tool(
    "Chassis/ID/Power", "redfish_power",
    Metric("redfish.supplies_ok", "count", supplies_ok), Metric("redfish.power_kw", "kW", power_kw),
)  # fmt: skip
FIRMWARE = _tool(
    "UpdateService/FirmwareInventory?$expand=*", "redfish_firmware",
    Metric("redfish.firmware_unversioned", "count", firmware_unversioned),
)  # fmt: skip
BIOS = _tool("Systems/ID/Bios", "redfish_bios", Metric("redfish.bios_deviations", "count", bios_deviations))
LOG = _tool(
    "Systems/ID/LogServices/ID/Entries", "redfish_log", Metric("redfish.critical_events", "count", critical_events)
)
VOLUMES = _tool(
    "Systems/ID/Storage/ID/Volumes?$expand=*", "redfish_volumes",
    Metric("raid.boot_volume_optimal", "bool", volumes_optimal),
)  # fmt: skip
