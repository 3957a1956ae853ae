"""Each kilowatt of heat is in one loop, and each kind of unit is sized for its own loop."""

from __future__ import annotations

import pytest

from steps.catalog.terms import Scope
from steps.design.cooling import loops_of
from steps.design.design import Design, design_of_preset
from steps.design.preset import preset_names


def halls(design: Design, name: str) -> list[float]:
    return [float(unit.values[name]) for unit in design.units if unit.kind is Scope.HALL]


@pytest.mark.parametrize("preset", preset_names())
def test_the_loops_of_a_hall_are_all_of_its_heat(preset: str) -> None:
    design = design_of_preset(preset)

    for heat, chilled, warm in zip(
        halls(design, "hall_it_mw"), halls(design, "hall_chilled_mw"), halls(design, "hall_warm_mw"), strict=True
    ):
        assert chilled + warm == pytest.approx(heat)


def test_warm_water_is_no_chillers_heat() -> None:
    """Four fifths of xAI's servers are on coolant of 40 degrees C: 84 chillers were counted where 24 and a spare a hall serve."""
    design = design_of_preset("xai-100k")

    chillers, chilled = halls(design, "chillers_in_hall"), halls(design, "hall_chilled_mw")

    assert sum(chillers) == 28
    working = sum(chillers) - len(chillers)
    assert working * design.figures["chiller_kw"] >= sum(chilled) * 1000
    assert sum(halls(design, "dry_coolers_in_hall")) * design.figures["dry_cooler_kw"] > 12_500 * 10.2 * 0.8


def test_cold_coolant_is_chilled() -> None:
    cold = design_of_preset("xai-100k", {"liquid_supply_c": 20})

    assert sum(halls(cold, "hall_warm_mw")) == 0
    assert sum(halls(cold, "chillers_in_hall")) > 80
    assert sum(halls(cold, "dry_coolers_in_hall")) == 0


def test_rear_doors_and_air_handlers_do_not_both_carry_the_racks_heat() -> None:
    with_doors = design_of_preset("h100-10k", {"facility": "shell"})
    f = with_doors.figures
    heat_kw = sum(halls(with_doors, "hall_it_mw")) * 1000
    loops = loops_of(f, with_doors.choices, servers=f["nodes"], heat_kw=heat_kw)

    assert loops.rear_door_kw == pytest.approx(1250 * 10.2 * f["rear_door_share"])
    assert loops.rear_door_kw + loops.room_kw == pytest.approx(heat_kw)
    working = sum(count - f["spare_units"] for count in halls(with_doors, "crahs_in_hall"))
    assert loops.room_kw <= working * f["crah_kw"] < loops.room_kw + 2 * f["crah_kw"]


def test_in_row_coolers_serve_racks_that_are_too_hot_for_a_room_and_no_others() -> None:
    hot = design_of_preset("superpod-4su", {"facility": "shell"})  # four DGX H100 a rack: 41 kW in the air
    mild = design_of_preset("superpod-4su", {"facility": "shell", "nodes_per_rack": 2})
    doors = design_of_preset("superpod-4su", {"facility": "shell", "rear_door": True})

    assert sum(halls(hot, "in_row_coolers_in_hall")) * hot.figures["in_row_kw"] > 128 * 10.2
    assert halls(mild, "in_row_coolers_in_hall") == halls(doors, "in_row_coolers_in_hall") == [0]
    assert sum(halls(hot, "crahs_in_hall")) < sum(halls(mild, "crahs_in_hall"))
