"""How a site gets its power: the choices that follow from its load and its facility, and the equipment of a hall.

Ratings of transformers and generators follow from the load: a small hall takes the next standard rating, a large one several
of the largest that the design allows.
"""

from __future__ import annotations

from typing import NamedTuple

from steps.design.figures import Chosen, Figures
from steps.design.power import modules, transformers

DISTRIBUTION_MVA = (0.3, 0.5, 0.75, 1.0, 1.5, 2.0, 2.5, 3.75, 5.0, 7.5, 10.0)
"""Standard ratings of three-phase pad-mounted transformers (IEEE C57.12.34), in MVA."""

POWER_MVA = (7.5, 10.0, 12.0, 15.0, 20.0, 25.0, 30.0, 40.0, 50.0, 60.0, 75.0, 100.0)
"""Usual ratings of power transformers (IEEE C57.12.10), in MVA."""

GENERATOR_MW = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.75, 1.0, 1.25, 1.5, 2.0, 2.5, 3.0)
"""Ratings in which makers offer diesel sets, in MW."""


class HallPower(NamedTuple):
    """Equipment of one hall, redundancy included, and its ratings. Nothing is counted for what is not chosen."""

    transformers_in_hall: int
    transformer_mva_in_hall: float
    distribution_transformers_in_hall: int
    distribution_transformer_mva_in_hall: float
    ups_load_mw_in_hall: float
    ups_modules_in_hall: int
    generators_in_hall: int
    generator_mw_in_hall: float
    gas_turbines_in_hall: int
    battery_units_in_hall: int
    transfer_switches_in_hall: int


def resolved(f: Figures, choices: Chosen) -> dict[str, str]:
    """Return the power choices that were left to load or facility, as what these ask for."""
    facility = choices["facility"]
    found: dict[str, str] = {}
    if choices["utility_service"] == "by-facility":
        found["utility_service"] = "new" if facility == "greenfield" else "present"
    if choices["power_delivery"] == "by-load":
        servers_mw = f["nodes"] * f["node_kw"] / 1000 * f["pue"]
        by_load = "high" if servers_mw >= f["high_voltage_mw"] else "medium"
        found["power_delivery"] = "low" if facility == "existing" else by_load
    return found


def standard_rating(load: float, largest: float, ratings: tuple[float, ...]) -> float:
    """Return the smallest standard rating that carries a load alone, never above the largest that the design allows."""
    fits = (rating for rating in ratings if load - 1e-9 <= rating < largest)
    return next(fits, largest)


def hall_power(f: Figures, choices: Chosen, *, mw: float, it_mw: float, servers_mw: float) -> HallPower:
    """Return the power equipment of a hall with this facility power, IT power and power of servers, in MW."""
    redundancy = str(choices["power_redundancy"])
    factor, share = f["power_factor"], f["transformer_load"]
    mva = mw / factor / share
    power_mva = standard_rating(mva, f["transformer_mva"], POWER_MVA)
    distribution_mva = standard_rating(mva, f["distribution_transformer_mva"], DISTRIBUTION_MVA)
    generator_mw = standard_rating(mw, f["generator_mw"], GENERATOR_MW)
    has_substation = choices["power_delivery"] == "high" and choices["substation_owner"] == "site"
    is_fed_low = choices["power_delivery"] == "low"
    behind_ups = {"ups": it_mw, "none": it_mw - servers_mw, "batteries": 0.0}[str(choices["ride_through"])]
    generation = choices["generators"]
    sets = modules(mw, generator_mw, redundancy) if generation == "diesel" else 0
    turbines = modules(mw, f["gas_turbine_mw"], redundancy) if generation == "gas-turbine" else 0
    has_batteries = choices["ride_through"] == "batteries"
    return HallPower(
        transformers_in_hall=transformers(mw, power_mva, factor, share, redundancy) if has_substation else 0,
        transformer_mva_in_hall=power_mva,
        distribution_transformers_in_hall=(
            0 if is_fed_low else transformers(mw, distribution_mva, factor, share, redundancy)
        ),
        distribution_transformer_mva_in_hall=distribution_mva,
        ups_load_mw_in_hall=behind_ups,
        ups_modules_in_hall=modules(behind_ups, f["ups_module_mw"], redundancy),
        generators_in_hall=sets,
        generator_mw_in_hall=generator_mw,
        gas_turbines_in_hall=turbines,
        battery_units_in_hall=modules(mw, f["battery_mw"], redundancy) if has_batteries else 0,
        transfer_switches_in_hall=sets + turbines,
    )
