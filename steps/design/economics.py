"""The cost of a site in US dollars: to build, to run, for a day of delay, and for renting the same hours instead."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil
from typing import NamedTuple

from steps.design.figures import Chosen, Figures

HOURS_A_MONTH = 730
CHARGES = {
    "freight and insurance": "freight_share",
    "import duty": "import_duty_share",
    "sales tax": "sales_tax_share",
}
"""What a buyer pays on top of the price of the equipment, and the figure with its share."""


class Economics(NamedTuple):
    """The money of a design. `slip_day` is the cost of a day of delay: depreciation, lease and staff.

    `budget` is `capex` with the cost contingency, which is money for what an estimate leaves out. Schedule contingency is time.
    """

    capex: float
    capex_by_category: dict[str, float]
    cost_contingency: float
    budget: float
    opex_month: float
    opex_by_category: dict[str, float]
    depreciation_year: float
    gpu_hour: float
    run_cost: float
    run_rented: float
    rent_month: float
    break_even_months: float | None
    idle_day: float
    lost_work_day: float
    slip_day: float
    slip_day_rented: float


class Operating(NamedTuple):
    """What a site costs to run, in US dollars a month; `total` is the sum of the others."""

    electricity: float
    lease: float
    staff: float
    maintenance: float
    total: float


def operating_month(
    *,
    electricity_year: float,
    leased_kw: float,
    lease_usd_kw_month: float,
    people: float,
    staff_usd_year: float,
    equipment_usd: float,
    maintenance_share: float,
) -> Operating:
    """Return what a site costs to run in a month; `maintenance_share` is of the price of the equipment, a year."""
    parts = (
        electricity_year / 12,
        leased_kw * lease_usd_kw_month,
        people * staff_usd_year / 12,
        equipment_usd * maintenance_share / 12,
    )
    return Operating(*parts, total=sum(parts))


def rent_usd(gpus: float, days: float, usd_gpu_h: float) -> float:
    """Return the rent of GPUs for a number of days."""
    return gpus * days * 24 * usd_gpu_h


def straight_line(usd: float, years: float) -> float:
    """Return the depreciation of a year."""
    return usd / years


def break_even_months(capex: float, opex_month: float, rent_month: float) -> float | None:
    """Return the months after which owning has cost less than renting; None if it never does."""
    return capex / (rent_month - opex_month) if rent_month > opex_month else None


def economics_of(
    f: Figures,
    choices: Chosen,
    *,
    equipment: Mapping[str, float],
    it_mw: float,
    annual_electricity: float,
    run_days: float,
    lost_gpu_hours_day: float,
) -> Economics:
    """Return the money of a design; an existing facility is leased, any other one is built.

    `equipment` is the price of the bill of quantities by category, spares included.
    """
    it = sum(equipment.values())
    built = choices["facility"] != "existing"
    capex = {**equipment} | {
        "installation": it * f["installation_share"],
        "building, power and cooling": it_mw * f["facility_usd_mw"] if built else 0.0,
        **{name: it * f[share] for name, share in CHARGES.items()},
    }
    running = operating_month(
        electricity_year=annual_electricity,
        leased_kw=0.0 if built else it_mw * 1000,
        lease_usd_kw_month=f["lease_usd_kw_month"],
        people=f["staff"] + ceil(f["nodes"] / f["nodes_per_staff"]),
        staff_usd_year=f["staff_usd_year"],
        equipment_usd=it,
        maintenance_share=f["maintenance_share"],
    )
    opex = {name: usd for name, usd in running._asdict().items() if name != "total"}
    total, month = sum(capex.values()), running.total
    contingency = total * f["cost_contingency_share"]
    facility = capex["building, power and cooling"]
    depreciation = straight_line(total - facility, f["it_years"]) + straight_line(facility, f["facility_years"])
    hourly = (depreciation + month * 12) / 8760
    gpus = f["nodes"] * f["gpus_per_node"]
    gpu_hour = hourly / gpus if gpus else 0.0
    rent_month = gpus * HOURS_A_MONTH * f["utilisation"] * f["rent_usd_gpu_h"]
    return Economics(
        capex=total,
        capex_by_category=capex,
        cost_contingency=contingency,
        budget=total + contingency,
        opex_month=month,
        opex_by_category=opex,
        depreciation_year=depreciation,
        gpu_hour=gpu_hour,
        run_cost=hourly * 24 * run_days,
        run_rented=rent_usd(gpus, run_days, f["rent_usd_gpu_h"]),
        rent_month=rent_month,
        break_even_months=break_even_months(total, month, rent_month),
        idle_day=hourly * 24 * (1 - f["utilisation"]),
        lost_work_day=lost_gpu_hours_day * gpu_hour,
        slip_day=depreciation / 365 + (opex["lease"] + opex["staff"]) * 12 / 365,
        slip_day_rented=rent_usd(gpus, 1, f["rent_usd_gpu_h"]) * f["utilisation"],
    )
