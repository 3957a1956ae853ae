"""What it costs to work in shifts and at weekends, and to buy from stock or hire."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from steps.planning.plan import Plan
from steps.planning.scenarios.working_cost import WorkingCost, working_cost
from tests.steps.test_plan import planned, site_of

pytestmark = pytest.mark.xdist_group("plans")

PRESET = "superpod-1su"
WEEK = [1, 2, 3, 4, 5]


@cache
def built(power: str = "made-to-order", cooling: str = "made-to-order", generators: str = "diesel") -> Plan:
    choices = {"power_equipment": power, "cooling_equipment": cooling, "generators": generators}
    return planned(PRESET, facility="shell", overrides=choices)


def cost(**more: Any) -> WorkingCost:
    return working_cost(planned(PRESET, **more), site_of(PRESET, **more))


def test_one_shift_on_working_days_costs_the_crews_hours_and_nothing_on_top() -> None:
    made = planned(PRESET)
    people = [one for one in made.activities if one.applicable and one.crews and one.calendar != "elapsed"]

    found = working_cost(made, site_of(PRESET))

    hours = sum(one.duration.m * one.crews * one.crew_size for one in people)
    assert found.labour == pytest.approx(hours * 43.56)
    assert found.premium == pytest.approx(0)
    assert hours > 1000


def test_each_further_shift_costs_more_for_the_same_work() -> None:
    one, two, three = (cost(shifts=shifts) for shifts in (1, 2, 3))

    assert one.labour == pytest.approx(two.labour) == pytest.approx(three.labour)
    assert 0 == one.shifts < two.shifts < three.shifts
    assert 0 == one.lost < two.lost < three.lost
    assert one.total < two.total < three.total


def test_half_of_two_shifts_has_the_second_shifts_premium() -> None:
    """17.3 % on half of the hours that are paid; in offices nobody works a second shift."""
    made, site = planned(PRESET, shifts=2), site_of(PRESET, shifts=2)
    found = working_cost(made, site)

    in_shifts = [one for one in made.activities if one.applicable and one.crews and one.calendar == "2 shifts"]
    paid = sum(one.duration.m * one.crews * one.crew_size for one in in_shifts) * 16 / 13.25
    assert found.shifts == pytest.approx(paid * 43.56 * 0.173 / 2)


def test_weekends_and_long_shifts_cost_more() -> None:
    plain = cost()
    saturdays, sundays = (cost(calendar={"working_days": [*WEEK, *more]}) for more in ([6], [6, 7]))
    ten = cost(shifts={"every-trade": {"shifts": 1, "hours": 10}})

    assert 0 == plain.weekends < saturdays.weekends < sundays.weekends
    assert saturdays.weekends == pytest.approx((saturdays.labour + saturdays.lost) * 0.5 / 6)
    assert 0 == plain.overtime < ten.overtime
    assert ten.lost > 0


def test_stock_costs_more_where_the_plant_is_built_and_nothing_in_a_hall_in_service() -> None:
    site = site_of(PRESET)
    made, power, both = (working_cost(one, site) for one in (built(), built("stock"), built("stock", "stock")))

    assert 0 == made.stock < power.stock < both.stock
    assert cost(overrides={"power_equipment": "stock", "cooling_equipment": "stock"}).stock == 0


def test_hire_is_paid_from_delivery_to_go_live() -> None:
    """A month later it is a month dearer."""
    made = built("stock", "hired", "gas-turbine")
    turbines = next(order for order in made.orders if order.item == "gas-turbine-hire")
    later = made.model_copy(update={"finish": made.finish + (made.finish - made.start)})

    found, longer = (working_cost(one, site_of(PRESET)).hire for one in (made, later))

    kw = float(turbines.quantity) * made.figures["gas_turbine_mw"] * 1000
    assert found > 0
    assert (longer - found) / ((later.finish - made.finish).days * 12 / 365) > kw * 46
    assert working_cost(built(), site_of(PRESET)).hire == 0
