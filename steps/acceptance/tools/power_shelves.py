"""Power shelves of a rack as Redfish resources, which the role `power_shelves` hands over: health, and voltage at the busbar.

The resources are those of the Open Compute Project's profile for power shelves: the shelf (PowerDistribution), its supplies and its
branch circuits, of which the one with direct current is its output to the busbar.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from steps.acceptance.handed import Found, Handed, NotMeasuredError, number, share_of
from steps.acceptance.metric import Metric, Tool
from steps.acceptance.tools.redfish import known

OUTPUT = "power_shelves"
SHELF, SUPPLY, CIRCUIT = "#PowerDistribution.", "#PowerSupply.", "#Circuit."
CURRENTS = {"AC", "DC"}
SHOWN = 5

Resource = dict[str, Any]


def healthy_ratio(handed: Handed) -> Found:
    """Return the share of shelves and supplies that are in service and healthy. An empty bay is not."""
    parts = 0
    bad = []
    for controller, resources in _controllers(handed):
        if not {SHELF, SUPPLY} <= {_kind(handed, resource) for resource in resources}:
            raise NotMeasuredError(f"{controller} lists no shelf with supplies")
        for part in resources:
            if _kind(handed, part) == CIRCUIT:
                continue
            parts += 1
            if not _is_well(handed, part["Status"]):
                bad.append(f"{controller} {part['Name']}")
    return Found(share_of(parts - len(bad), parts), f"not healthy: {', '.join(bad[:SHOWN])}" if bad else "")


def busbar_voltage(handed: Handed) -> Found:
    """Return the lowest voltage that a shelf reads at its output to the busbar."""
    read = []
    for controller, resources in _controllers(handed):
        outputs = [one for one in resources if _kind(handed, one) == CIRCUIT and _is_direct(handed, one)]
        if not outputs:
            raise NotMeasuredError(f"{controller} lists no output to the busbar")
        read += [(number(output["Voltage"]["Reading"]), controller) for output in outputs]
    lowest, controller = min(read)
    return Found(lowest, controller)


def _controllers(handed: Handed) -> Iterator[tuple[str, list[Resource]]]:
    """Yield each controller with its resources. One that did not answer leaves nothing to say of the rack."""
    document: dict[str, Any] = handed.document(OUTPUT)
    if not document:
        handed.garbled()
    for controller, told in document.items():
        if "error" in told:
            raise NotMeasuredError(f"{controller}: {told['error']}")
        yield controller, told["resources"]


def _kind(handed: Handed, resource: Resource) -> str:
    kind = f"{resource['@odata.type'].partition('.')[0]}."
    if kind not in {SHELF, SUPPLY, CIRCUIT}:
        handed.garbled()
    return kind


def _is_well(handed: Handed, status: dict[str, Any]) -> bool:
    if status.get("State") == "Absent":
        return False
    health = known(handed, status["Health"])
    return bool(status["State"] == "Enabled" and health == "OK")


def _is_direct(handed: Handed, circuit: Resource) -> bool:
    if circuit["VoltageType"] not in CURRENTS:
        handed.garbled()
    return bool(circuit["VoltageType"] == "DC")


TOOL = Tool(
    "power shelves",
    OUTPUT,
    "playbooks/server_assembly/H58_power_shelves.yml",
    (
        Metric("shelf.healthy_ratio", "ratio", healthy_ratio),
        Metric("busbar.voltage", "V", busbar_voltage),
    ),
)
