"""Lead times follow what is bought and where it comes from: made to order, from stock, on hire; servers or whole racks."""

from __future__ import annotations

from functools import cache

import pytest

from steps.design.design import design_of_preset
from steps.planning.network.expansion import expand
from tests.shipped import shipped_catalog


@cache
def likely_weeks(preset: str, **choices: str) -> dict[str, float]:
    """Return the likely lead time of each item that a preset orders."""
    design = design_of_preset(preset, choices)
    orders = expand(shipped_catalog(), design, 8.0).orders.values()
    return {order.supply.item: order.supply.lead_time.points[1] for order in orders}


@pytest.mark.parametrize("item", ["chiller", "heat-rejection", "air-handler", "chilled-water-pump"])
def test_cooling_on_hire_comes_before_stock_and_stock_before_what_is_made_to_order(item: str) -> None:
    made, stock, hired = (
        likely_weeks("h100-10k", facility="shell", cooling_equipment=origin)
        for origin in ("made-to-order", "stock", "hired")
    )

    assert hired[f"{item}-hire"] < stock[f"{item}-stock"] < made[item]
    assert item not in stock.keys() | hired.keys()


def test_colossus_hires_its_chillers_and_buys_its_distribution_units_from_stock() -> None:
    """Reported: about a quarter of the mobile cooling of the US. Nobody hires out distribution units in number."""
    ordered = likely_weeks("xai-100k")

    assert {"chiller-hire", "dry-cooler-hire", "cdu-stock"} <= ordered.keys()
    assert not {"chiller", "dry-cooler", "cdu"} & ordered.keys()


@pytest.mark.parametrize(
    ("power", "cooling", "slots"),
    [
        ("made-to-order", "hired", {"factory-test-slot"}),
        ("stock", "made-to-order", {"chiller-test-slot"}),
        ("stock", "stock", set()),
    ],
)
def test_a_factory_test_is_booked_for_what_is_made_to_order(power: str, cooling: str, slots: set[str]) -> None:
    ordered = likely_weeks("h100-10k", facility="shell", power_equipment=power, cooling_equipment=cooling)

    assert ordered.keys() & {"factory-test-slot", "chiller-test-slot"} == slots


@pytest.mark.parametrize(("preset", "weeks"), [("superpod-4su", 26), ("gb200-nvl72-su", 30), ("gb300-nvl72-su", 30)])
def test_whole_racks_take_longer_than_servers(preset: str, weeks: int) -> None:
    assert likely_weeks(preset)["gpu-server"] == weeks
