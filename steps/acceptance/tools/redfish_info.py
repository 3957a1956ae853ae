"""A server's controller as Ansible's module `community.general.redfish_info` reports it: system, drives, firmware, BIOS.

The module asks for each member of a collection and returns the properties that it knows, by system. `ret` says whether
everything was answered; an answer in part is not measured. The playbook also hands over the site's pinned values, as `pinned`.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from steps.acceptance.handed import Found, Handed, NotMeasuredError, number
from steps.acceptance.identity import PLACEHOLDERS
from steps.acceptance.metric import Metric, Tool
from steps.acceptance.tools.redfish import known

POWER = {"On", "Off", "PoweringOn", "PoweringOff", "Paused"}
STAGES = (
    *("None", "PrimaryProcessorInitializationStarted", "BusInitializationStarted", "MemoryInitializationStarted"),
    *("SecondaryProcessorInitializationStarted", "PCIResourceConfigStarted", "OEM"),
    *("SystemHardwareInitializationComplete", "SetupEntered", "OSBootStarted", "OSRunning"),
)
"""Stages of a boot, in the standard's words; after the self-test come the last four."""

PAST_POST = STAGES[-4:]
MIRRORS = {"RAID1", "RAID10", "RAID1E", "RAID10E", "Mirrored"}


def system_healthy(handed: Handed) -> Found:
    """Return whether the system and all its parts report OK."""
    status = _of_system(handed, "redfish_system")["Status"]
    health, rollup = status["Health"], status.get("HealthRollup", status["Health"])
    said = {known(handed, health), known(handed, rollup)}
    return Found(said == {"OK"}, rollup)


def powered_on(handed: Handed) -> Found:
    """Return whether the system is on."""
    state = _of_system(handed, "redfish_system")["PowerState"]
    if state not in POWER:
        handed.garbled()
    return Found(state == "On", state)


def post_completed(handed: Handed) -> Found:
    """Return whether the system is on and past its self-test."""
    progress = _of_system(handed, "redfish_system").get("BootProgress")
    if progress is None:
        raise NotMeasuredError("the controller does not report BootProgress")
    if progress["LastState"] not in STAGES:
        handed.garbled()
    return Found(powered_on(handed).value is True and progress["LastState"] in PAST_POST, progress["LastState"])


def serial_as_planned(handed: Handed) -> Found:
    """Return whether the serial number is the one in the inventory; some makers put theirs into `SKU`."""
    planned = _stated(handed, "serial_number")
    system = _of_system(handed, "redfish_system")
    serial = str(system["SerialNumber"])
    if serial.casefold() in PLACEHOLDERS:
        raise NotMeasuredError(f"the controller reports {serial!r} in place of a serial number")
    return Found(str(planned) in {serial, str(system.get("SKU"))}, serial)


def processors(handed: Handed) -> Found:
    """Return the number of processors in the system's summary."""
    return Found(number(_of_system(handed, "redfish_system")["ProcessorSummary"]["Count"]))


def memory_gib(handed: Handed) -> Found:
    """Return the memory in the system's summary, in GiB."""
    return Found(number(_of_system(handed, "redfish_system")["MemorySummary"]["TotalSystemMemoryGiB"]))


def drives(handed: Handed) -> Found:
    """Count the drives that are present, on every storage controller."""
    there = [
        str(drive["Id"])
        for controller in _of_system(handed, "redfish_drives")
        for drive in controller["Drives"]
        if drive["Status"]["State"] != "Absent"
    ]
    return Found(Decimal(len(there)), ", ".join(there[:12]))


def volumes_optimal(handed: Handed) -> Found:
    """Return whether there is a mirrored volume, and every volume is enabled and OK."""
    volumes = [v for controller in _of_system(handed, "redfish_volumes") for v in controller["Volumes"]]
    kinds = [{volume.get("RAIDType"), volume.get("VolumeType")} for volume in volumes]
    if not any(kind & MIRRORS for kind in kinds):
        return Found(value=False, note="no mirrored volume")
    bad = [
        str(v.get("Name", v["Id"]))
        for v in volumes
        if v["Status"]["State"] != "Enabled" or known(handed, v["Status"]["Health"]) != "OK"
    ]
    return Found(not bad, ", ".join(bad))


def firmware_unversioned(handed: Handed) -> Found:
    """Count firmware components without a version."""
    versions = _firmware(handed)
    bare = sorted(name for name, version in versions.items() if not version.strip())
    return Found(Decimal(len(bare)), ", ".join(bare))


def baseline_deviations(handed: Handed) -> Found:
    """Count components of the site's baseline that have another version, or that the controller does not list."""
    wanted = _stated(handed, "firmware_baseline")
    found = _firmware(handed)
    wrong = [
        f"{name}: {found.get(name, 'not listed')} instead of {version}"
        for name, version in wanted.items()
        if found.get(name) != str(version)
    ]
    return Found(Decimal(len(wrong)), ", ".join(wrong))


def bios_deviations(handed: Handed) -> Found:
    """Count BIOS attributes that differ from the site's pinned ones."""
    wanted = _stated(handed, "bios_attributes")
    attributes = _of_system(handed, "redfish_bios")
    wrong = [f"{name}: {attributes.get(name)}" for name, value in wanted.items() if attributes.get(name) != value]
    return Found(Decimal(len(wrong)), ", ".join(wrong))


def _stated(handed: Handed, name: str) -> Any:
    """Return what the inventory states."""
    if not (found := handed.document("pinned").get(name)):
        raise NotMeasuredError(f"state {name} in the inventory")
    return found


def _firmware(handed: Handed) -> dict[str, str]:
    entries = _answered(handed, "redfish_firmware")
    if not entries:
        raise NotMeasuredError("the controller lists no firmware")
    found = {str(entry["Id"]): str(entry.get("Version") or "") for entry in entries}
    if len(found) != len(entries):
        handed.garbled()
    return found


def _of_system(handed: Handed, name: str) -> Any:
    """Return the properties of the controller's system; not measured if it has several."""
    entries = _answered(handed, name)
    if len(entries) != 1:
        raise NotMeasuredError(f"the controller has {len(entries)} systems; state bmc_system_id in the inventory")
    ((system, told),) = entries
    if not str(system["system_uri"]).startswith("/redfish/v1/Systems/"):
        handed.garbled()
    return told


def _answered(handed: Handed, name: str) -> list[Any]:
    document = handed.document(name)
    if document["ret"] is not True:
        raise NotMeasuredError(str(document.get("msg") or "the controller answered in part"))
    entries: list[Any] = document["entries"]
    return entries


def _tool(command: str, name: str, *metrics: Metric) -> Tool:
    return Tool("Redfish", name, f"community.general.redfish_info {command}", metrics)


SYSTEM = _tool(
    "GetSystemInventory", "redfish_system",
    Metric("redfish.system_healthy", "bool", system_healthy), Metric("redfish.powered_on", "bool", powered_on),
    Metric("redfish.post_completed", "bool", post_completed),
    Metric("inventory.serial_as_planned", "bool", serial_as_planned),
    Metric("redfish.processors", "count", processors), Metric("redfish.memory_gib", "GiB", memory_gib),
)  # fmt: skip
DRIVES = _tool("GetDiskInventory", "redfish_drives", Metric("redfish.drives", "count", drives))
VOLUMES = _tool("GetVolumeInventory", "redfish_volumes", Metric("raid.boot_volume_optimal", "bool", volumes_optimal))
FIRMWARE = _tool(
    "GetFirmwareInventory", "redfish_firmware",
    Metric("redfish.firmware_unversioned", "count", firmware_unversioned),
    Metric("firmware.baseline_deviations", "count", baseline_deviations),
)  # fmt: skip
BIOS = _tool("GetBiosAttributes", "redfish_bios", Metric("redfish.bios_deviations", "count", bios_deviations))
