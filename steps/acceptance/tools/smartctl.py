"""ATA and NVMe drives: smartctl -jc -a, one drive in each line.

smartctl's exit status is a set of flags. The two lowest say that it could not read the drive; the others are about the drive,
and its JSON says the same in full.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from steps.acceptance.handed import Found, Handed, NotMeasuredError, number
from steps.acceptance.metric import Metric, Tool

UNREAD = 0b11
SECTORS = {5, 197, 198}
"""Reallocated, pending and uncorrectable sectors of an ATA drive."""


def failing(handed: Handed) -> Found:
    """Count drives that report a failure or a warning."""
    bad = [_name(drive) for drive in _drives(handed) if not _healthy(handed, drive)]
    return Found(Decimal(len(bad)), ", ".join(bad))


def media_errors(handed: Handed) -> Found:
    """Count media errors of NVMe drives, and bad sectors of ATA drives."""
    total, bad = Decimal(0), []
    for drive in _drives(handed):
        count = _media(handed, drive)
        total += count
        if count:
            bad.append(f"{_name(drive)}: {count}")
    return Found(total, ", ".join(bad))


def wear_max(handed: Handed) -> Found:
    """Return the percent of its rated life that the most worn NVMe drive has used."""
    worn = [
        (number(drive["nvme_smart_health_information_log"]["percentage_used"]), _name(drive))
        for drive in _drives(handed)
        if drive["device"]["protocol"] == "NVMe"
    ]
    if not worn:
        raise NotMeasuredError("no NVMe drive")
    most, name = max(worn)
    return Found(most, name)


def temperature_max(handed: Handed) -> Found:
    """Return the degrees of the hottest drive."""
    said = {_name(drive): drive["temperature"] for drive in _drives(handed)}
    read = {name: number(temperature["current"]) for name, temperature in said.items()}
    hottest = max(read, key=lambda name: (read[name], name))
    return Found(read[hottest], hottest)


def _drives(handed: Handed) -> list[dict[str, Any]]:
    drives = handed.lines("smartctl", accept=None)
    for drive in drives:
        status = drive["smartctl"]["exit_status"]
        if not status & UNREAD and drive["device"]["protocol"] not in {"NVMe", "ATA"}:
            raise NotMeasuredError(f"{_name(drive)} speaks {drive['device']['protocol']}, which is not read here")
        if status & UNREAD:
            said = drive["smartctl"].get("messages") or [{"string": f"exit status {status}"}]
            raise NotMeasuredError(f"smartctl: {said[0]['string']}")
    if len({_name(drive) for drive in drives}) != len(drives):
        handed.garbled()
    return drives


def _name(drive: dict[str, Any]) -> str:
    return str(drive["device"]["name"])


def _healthy(handed: Handed, drive: dict[str, Any]) -> bool:
    passed = drive["smart_status"]["passed"]
    if not isinstance(passed, bool):
        handed.garbled()
    warning = drive.get("nvme_smart_health_information_log", {}).get("critical_warning", 0)
    return passed and not number(warning)


def _media(handed: Handed, drive: dict[str, Any]) -> Decimal:
    if drive["device"]["protocol"] == "NVMe":
        return number(drive["nvme_smart_health_information_log"]["media_errors"])
    rows = drive["ata_smart_attributes"]["table"]
    table = {row["id"]: number(row["raw"]["value"]) for row in rows}
    known = SECTORS & set(table)
    if not known:
        handed.garbled()
    return sum((table[attribute] for attribute in known), Decimal(0))


TOOL = Tool(
    "smartctl",
    "smartctl",
    "smartctl -jc -a DRIVE, a line a drive",
    (
        Metric("drive.failing", "count", failing),
        Metric("drive.media_errors", "count", media_errors),
        Metric("drive.wear_max", "percent", wear_max),
        Metric("drive.temperature_max", "degC", temperature_max),
    ),
)
