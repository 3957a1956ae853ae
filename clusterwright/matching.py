"""The planned nodes of a site and the hosts of its inventory, side by side."""

from collections.abc import Collection, Mapping
from pathlib import Path

from flows.runs.inventory.hosts import inventory_nodes
from flows.runs.inventory.sources import current_inventory
from ledger.questions.case import select
from ledger.questions.checks import checked_items
from ledger.questions.snapshot import Snapshot
from ledger.reading import open_snapshot
from ledger.rules.activity import State
from ledger.stores.following import has_ledger
from steps.design.design import Design
from steps.design.matching import Matching, match
from steps.design.nodes import planned_nodes
from steps.design.site import Inventory

SERVERS = ("servers", "nodes")
"""What steps call the items that are at a node's position."""


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
    """Return the serial number last recorded at each server's position."""
    begun = [a for a in select(snapshot, "started_at IS NOT NULL") if a.plan.items_of in SERVERS]
    checks = [check for activity in begun for check in checked_items(snapshot, activity)]
    in_order = sorted(checks, key=lambda check: check.seq)
    return {check.item: check.serial for check in in_order if check.serial}


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
