"""No large order is placed before the site is under control and its power is contracted."""

from __future__ import annotations

from collections import defaultdict

import pytest

from steps.design.bill import prices_of
from steps.design.design import design_of_preset
from steps.design.dossier import dossier_of
from steps.design.preset import preset_names
from steps.planning.network.expansion import expand
from steps.planning.network.parts import Expansion
from tests.shipped import shipped_catalog

LARGE_USD = 1_000_000
GATES = {"H01@site", "074@site", "075@site"}
"""Lease or purchase, the utility's letter, and the contract for power."""
MAKERS = ("-maker", "rack-supplier", "cable-supplier", "component-supplier")
CABLES = (
    "server-cable",
    "trunk-cable",
    "storage-cable",
    "management-cable",
    "server-transceiver",
    "switch-transceiver",
)

pytestmark = pytest.mark.xdist_group("five-lists")


def before(found: Expansion) -> dict[str, set[str]]:
    """Return what comes directly before each activity, order and delivery."""
    links: dict[str, set[str]] = defaultdict(set)
    for link in found.links:
        links[link.after].add(link.before)
    return links


def all_before(name: str, links: dict[str, set[str]]) -> set[str]:
    """Return everything that is done before something."""
    found: set[str] = set()
    left = [name]
    while left:
        for one in links[left.pop()] - found:
            found.add(one)
            left.append(one)
    return found


@pytest.mark.parametrize("facility", ["existing", "shell"])
@pytest.mark.parametrize("preset", [name for name in preset_names() if name not in ("lab", "localhost")])
def test_no_large_order_is_placed_before_site_and_power_are_contracted(preset: str, facility: str) -> None:
    """Equipment whose price the bill has in that of the building counts as large."""
    design = design_of_preset(preset, {"facility": facility})
    found, price = expand(shipped_catalog(), design, 8.0), prices_of(dossier_of(design).bill)
    links = before(found)
    large = {
        name: order
        for name, order in found.orders.items()
        if order.supply.supplier.endswith(MAKERS) and price.get(order.supply.item, LARGE_USD) >= LARGE_USD
    }

    early = {name: GATES - all_before(name, links) for name in large}

    assert large
    assert not {name: missing for name, missing in early.items() if missing}
