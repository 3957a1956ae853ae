"""Firmware of the NVLink switch trays of a rack, as the role `switch_trays` hands it over, against what the site has pinned."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from steps.acceptance.handed import Found, Handed, NotMeasuredError
from steps.acceptance.metric import Metric, Tool

OUTPUT = "switch_trays"
SHOWN = 5


def deviations(handed: Handed) -> Found:
    """Count components of all trays that have another version than the pinned one, or that their controller does not list."""
    document = handed.document(OUTPUT)
    pinned: dict[str, str] = document["pinned"]
    if not pinned:
        raise NotMeasuredError("state nvlink_switch_baseline in the inventory")
    wrong = [
        f"{tray} {component}: {found.get(component, 'not listed')} instead of {version}"
        for tray, found in _versions(document["found"])
        for component, version in pinned.items()
        if found.get(component) != str(version)
    ]
    return Found(Decimal(len(wrong)), ", ".join(wrong[:SHOWN]))


def _versions(found: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Return the versions of each tray by component. Raise if a tray did not answer in full."""
    silent = [tray for tray, told in found.items() if told["ret"] is not True]
    if silent:
        raise NotMeasuredError(f"the controller does not answer: {', '.join(silent[:SHOWN])}")
    return [(tray, {entry["Id"]: entry["Version"] for entry in told["entries"]}) for tray, told in found.items()]


TOOL = Tool(
    "NVLink switch trays",
    OUTPUT,
    "community.general.redfish_info GetFirmwareInventory",
    (Metric("firmware.switch_tray_deviations", "count", deviations),),
)
