"""The planned nodes of a site and the hosts of its inventory, side by side."""

from collections.abc import Collection, Mapping
from pathlib import Path

from flows.runs.inventory.hosts import inventory_nodes
from flows.runs.inventory.sources import current_inventory
from ledger.questions.case import select
from ledger.questions.checks import checked_items
from ledger.questions.records import MeasurementRow, measurements
from ledger.questions.snapshot import Snapshot
from ledger.reading import open_snapshot
from ledger.rules.activity import Activity, State
from ledger.stores.following import has_ledger
from ledger.subjects.runs.rules import READ_EARLIER
from steps.design.design import Design
from steps.design.matching import Matching, match
from steps.design.nodes import planned_nodes
from steps.design.site import Inventory

SERVERS = ("servers", "nodes")
"""What steps call the items that are at a node's position."""

READ_SERIAL = "inventory.serial_as_planned"
"""Of a server whose controller has the serial number that the inventory states. The number is in the note."""


def matching_of(
    folder: Path,
    inventory: Inventory,
    design: Design,
    serials: Mapping[str, str],
) -> Matching:
    """Return which host is which planned node, by the inventory as it is now and the serial numbers on record."""
    hosts = inventory_nodes(current_inventory(folder, inventory))
    return match(planned_nodes(design, serials), hosts)


def serials_on_record(folder: Path) -> dict[str, str]:
    """Return the serial number last recorded at each server's position; none before there is a ledger."""
    if not has_ledger(folder):
        return {}
    with open_snapshot(folder) as snapshot:
        return serials_of(snapshot)


def serials_of(snapshot: Snapshot) -> dict[str, str]:
    """Return the serial number last recorded at each server's position: by people, or read from its controller."""
    begun = [a for a in select(snapshot, "started_at IS NOT NULL OR attempt > 1") if a.plan.items_of in SERVERS]
    found = [(check.seq, check.item, check.serial) for a in begun for check in checked_items(snapshot, a)]
    found += [(m.seq, m.item, m.note) for a in begun for m in _serials_read(snapshot, a)]
    return {item: serial for _, item, serial in sorted(found) if serial}


def _serials_read(snapshot: Snapshot, activity: Activity) -> list[MeasurementRow]:
    """Return the readings of serial numbers that are those of the inventory, each where it was read."""
    if not any(criterion.metric == READ_SERIAL for criterion in activity.plan.criteria):
        return []
    found = [m for m in measurements(snapshot, activity.id) if m.metric == READ_SERIAL and m.value is True]
    return [m for m in found if READ_EARLIER not in m.note]


def measured_on_servers(folder: Path, pods: Collection[str]) -> dict[str, list[str]]:
    """Return by pod the finished activities that measured each of its servers: a server that is put in the place of another has none of it."""
    if not pods or not has_ledger(folder):
        return {}
    with open_snapshot(folder) as snapshot:
        done = [
            a
            for a in select(snapshot, "started_at IS NOT NULL")
            if a.state is State.DONE and a.plan.items_of in SERVERS
        ]
    return {
        pod: [a.id for a in done if a.plan.unit == pod and any(c.each == "host" for c in a.plan.criteria)]
        for pod in sorted(pods)
    }
