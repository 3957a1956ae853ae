"""The planned nodes of a site and the hosts of its inventory, laid side by side."""

from __future__ import annotations

from pathlib import Path

from ledger.questions.activities import activities
from ledger.questions.case import require_activity
from ledger.questions.checks import checked_items
from ledger.reading import open_snapshot
from steps.design.design import Design
from steps.design.matching import Matching, match
from steps.design.nodes import planned_nodes
from steps.design.site import Inventory

SERVERS = ("servers", "nodes")
"""What steps call the items that stand at a node's position."""


def matching_of(folder: Path, inventory: Inventory, design: Design) -> Matching:
    """Give which host is which planned node, by the inventory as it is now and the serial numbers on record."""
    from flows.ansible.nodes import inventory_nodes
    from flows.ansible.sources import current_inventory

    hosts = inventory_nodes(current_inventory(folder, inventory))
    return match(planned_nodes(design, serials_on_record(folder)), hosts)


def serials_on_record(folder: Path) -> dict[str, str]:
    """Give the serial number last recorded at each server's position; none before there is a ledger."""
    from ledger.stores.following import has_ledger

    if not has_ledger(folder):
        return {}
    with open_snapshot(folder) as reader:
        begun = [a.id for a in activities(reader) if a.plan.items_of in SERVERS and a.started_at]
        checks = [
            check for name in begun for check in checked_items(reader, require_activity(reader, name)) if check.serial
        ]
    return {check.item: check.serial for check in sorted(checks, key=lambda check: check.seq)}
