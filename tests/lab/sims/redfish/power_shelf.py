"""What the controller of a power shelf serves beside the rest: the resources that the Open Compute Project's profile makes mandatory.

A controller is one of a shelf if its terms say `equipment: power-shelf`. The fault `power-supply` takes a supply its input, `busbar` lowers the output.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.lab.sims.redfish.bmc import Bmc

CHASSIS = "/redfish/v1/Chassis"
EQUIPMENT = "/redfish/v1/PowerEquipment"
SHELVES = f"{EQUIPMENT}/PowerShelves"
SHELF = f"{SHELVES}/1"
SUBSYSTEM = f"{CHASSIS}/PowerShelf/PowerSubsystem"
SUPPLIES = tuple(f"PS{number}" for number in range(1, 7))
ILL = "PS2"
OUTPUT_V = 50.2
LOW_OUTPUT_V = 44.8

Document = dict[str, Any]


def is_one(bmc: Bmc) -> bool:
    """Return whether a controller is that of a power shelf."""
    return bmc.terms.get("equipment") == "power-shelf"


def documents(bmc: Bmc) -> Iterator[tuple[str, Document]]:
    """Yield its documents by path. The collection of chassis takes the place of the server's."""
    faults = bmc.memory["faults"]
    yield _document(EQUIPMENT, "PowerEquipment", {"PowerShelves": _link(SHELVES), "Status": _status()})
    yield _collection(SHELVES, ("1",))
    yield _document(
        SHELF,
        "PowerDistribution",
        {
            "EquipmentType": "PowerShelf",
            "Name": "Power Shelf 1",
            "SerialNumber": bmc.terms["serial"],
            "FirmwareVersion": bmc.memory["firmware"]["BMC"],
            "Branches": _link(f"{SHELF}/Branches"),
            "Links": {"Chassis": [_link(f"{CHASSIS}/PowerShelf")]},
            "Status": _status(),
        },
    )
    yield _collection(f"{SHELF}/Branches", ("DC",))
    yield _document(
        f"{SHELF}/Branches/DC",
        "Circuit",
        {
            "Name": "DC output circuit to the busbar",
            "CircuitType": "Bus",
            "VoltageType": "DC",
            "NominalVoltage": "DC48V",
            "Voltage": {"Reading": LOW_OUTPUT_V if "busbar" in faults else OUTPUT_V},
            "Status": _status(ill="busbar" in faults),
        },
    )
    yield _collection(CHASSIS, ("1", "PowerShelf"))
    yield _document(
        f"{CHASSIS}/PowerShelf",
        "Chassis",
        {"ChassisType": "Shelf", "PowerSubsystem": _link(SUBSYSTEM), "Status": _status()},
    )
    yield _document(SUBSYSTEM, "PowerSubsystem", {"PowerSupplies": _link(f"{SUBSYSTEM}/PowerSupplies")})
    yield _collection(f"{SUBSYSTEM}/PowerSupplies", SUPPLIES)
    for name in SUPPLIES:
        ill = name == ILL and "power-supply" in faults
        yield _document(
            f"{SUBSYSTEM}/PowerSupplies/{name}",
            "PowerSupply",
            {
                "LineInputStatus": "LossOfInput" if ill else "Normal",
                "OutputRails": [{"NominalVoltage": 50, "PhysicalContext": "DCBus"}],
                "Status": _status(ill=ill),
            },
        )


def _collection(folder: str, names: tuple[str, ...]) -> tuple[str, Document]:
    return folder, {"Members": [_link(f"{folder}/{name}") for name in names], "Members@odata.count": len(names)}


def _document(path: str, kind: str, content: Document) -> tuple[str, Document]:
    return path, {"@odata.type": f"#{kind}.v1_0_0.{kind}", **content}


def _link(path: str) -> Document:
    return {"@odata.id": path}


def _status(*, ill: bool = False) -> Document:
    return {"State": "Enabled", "Health": "Critical" if ill else "OK"}
