"""What the people of a plan cost, and what it costs more to work in shifts and at weekends, and to buy from stock or hire.

Hours are those of the plan's crews at their most likely durations. What is not worked in crews, as a maker's own hours, is in prices.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from datetime import timedelta
from typing import NamedTuple

from steps.catalog.terms import SHIFT_H
from steps.design.shifts import ONE_SHIFT, Shifts, hours_of_work
from steps.design.site import Site
from steps.planning.activity import ELAPSED, PlanActivity
from steps.planning.plan import Plan, PlanOrder

MONTH = timedelta(days=365 / 12)
SATURDAY, SUNDAY = 6, 7
TURBINES, CHILLERS, DRY_COOLERS = "gas-turbine-hire", "chiller-hire", "dry-cooler-hire"
HIRED_BY = {TURBINES: "power_equipment", CHILLERS: "cooling_equipment", DRY_COOLERS: "cooling_equipment"}
"""The choice that decides whether an item is hired."""


class WorkingCost(NamedTuple):
    """US dollars. `labour` is the crews' time at the plain rate; the others are what comes on top."""

    labour: float
    lost: float
    """Hours of further shifts and of long weeks that get no work done."""
    shifts: float
    """Premiums of second and third shifts."""
    overtime: float
    weekends: float
    stock: float
    """What power and cooling equipment from stock costs more than made to order."""
    hire: float
    """Turbines and mobile cooling, from their delivery to go-live."""
    responses: float = 0.0
    """What the buyer pays on average for late orders. Only odds know it: without them it is zero."""

    @property
    def premium(self) -> float:
        """All that comes on top of plain labour."""
        return self.total - self.labour

    @property
    def total(self) -> float:
        """Everything together."""
        return sum(self)


def working_cost(plan: Plan, site: Site) -> WorkingCost:
    """Return what the crews, the equipment from stock and the hire of a plan cost, with the shifts and calendars of its site."""
    f = plan.figures
    parts = [_Hours(), *(_crews(one, plan, site) for one in plan.activities if one.applicable and one.crews)]
    labour, lost, shifts, overtime, weekends = (sum(column) * f["crew_usd_h"] for column in zip(*parts, strict=True))
    return WorkingCost(labour, lost, shifts, overtime, weekends, sum(_stock(plan).values()), sum(_hire(plan).values()))


class _Hours(NamedTuple):
    """Person-hours at the plain rate; those of premiums count by what they cost more."""

    worked: float = 0.0
    lost: float = 0.0
    shifts: float = 0.0
    overtime: float = 0.0
    weekends: float = 0.0


def _crews(one: PlanActivity, plan: Plan, site: Site) -> _Hours:
    if one.calendar == ELAPSED:
        return _Hours()
    f = plan.figures
    days = plan.calendars[one.calendar].working_days if one.calendar in plan.calendars else plan.working_days
    shifts = site.shifts_of(one.role)
    if not one.calendar.endswith(str(shifts)):  # what is counted in working days keeps office hours
        shifts = ONE_SHIFT
    worked = one.duration.m * one.crews * one.crew_size
    paid = worked * shifts.shifts * shifts.hours / hours_of_work(shifts, len(days), f)
    weekend = (SATURDAY in days) * f["saturday_premium"] + (SUNDAY in days) * f["sunday_premium"]
    return _Hours(
        worked,
        paid - worked,
        paid * _shift_premium(shifts, plan),
        paid * (shifts.hours - SHIFT_H) / shifts.hours * f["overtime_premium"],
        paid * weekend / len(days),
    )


def _shift_premium(shifts: Shifts, plan: Plan) -> float:
    """Return what an hour costs more on average over the shifts of a day, of the plain rate."""
    more = (0.0, plan.figures["second_shift_premium"], plan.figures["third_shift_premium"])
    return sum(more[: shifts.shifts]) / shifts.shifts


def equipment_cost(plan: Plan) -> dict[str, float]:
    """Return what equipment from stock and on hire costs more, by the choice that asks for it."""
    stock, hire = _stock(plan), _hire(plan)
    return {choice: stock.get(choice, 0.0) + hire.get(choice, 0.0) for choice in HIRED_BY.values()}


def _stock(plan: Plan) -> dict[str, float]:
    """Return what equipment from stock costs more, by choice. In a hall in service it is the landlord's."""
    f = plan.figures
    if plan.facility == "existing":
        return {}
    equipment = float(plan.design["it_mw"]) * f["facility_usd_mw"] * (1 - f["building_labour_share"])
    shares = {"power_equipment": f["building_power_share"], "cooling_equipment": f["building_cooling_share"]}
    return {
        choice: equipment * share * f["stock_premium"]
        for choice, share in shares.items()
        if plan.choices[choice] == "stock"
    }


def _hire(plan: Plan) -> dict[str, float]:
    """Return the hire until go-live, by the choice of what is hired."""
    f = plan.figures
    rates = {
        TURBINES: f["gas_turbine_mw"] * 1000 * f["turbine_hire_usd_kw_month"],
        CHILLERS: f["chiller_kw"] * f["cooling_hire_usd_kw_month"],
        DRY_COOLERS: f["dry_cooler_kw"] * f["cooling_hire_usd_kw_month"],
    }
    found = defaultdict[str, float](float)
    for order in plan.orders:
        if order.item in rates:
            found[HIRED_BY[order.item]] += sum(_months(order, plan)) * rates[order.item]
    return found


def _months(order: PlanOrder, plan: Plan) -> Iterator[float]:
    """Yield the months of hire of each delivery, times its pieces."""
    for one in order.tranches:
        if one.dates:
            yield float(one.quantity) * max(0.0, (plan.finish - one.dates.early_finish) / MONTH)
