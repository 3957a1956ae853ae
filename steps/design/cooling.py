"""Heat and how it leaves: air and liquid, flows, units with redundancy, what air can do, free-cooling hours.

All electrical power of the IT becomes heat. Air at 1.2 kg/m3 and 1.005 kJ/(kg K); coolant is water with
propylene glycol near 40 degrees C (ASHRAE Handbook, Fundamentals).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from math import ceil
from typing import Any, NamedTuple

from steps.design.findings import Finding

KW_A_TON = 3.517
CFM_A_M3_S = 2118.88
AIR_KJ_M3_K = 1.2 * 1.005
CELSIUS_ZERO_WATER = 4.18


class Cooling(NamedTuple):
    """The heat of a site and what carries it; unit counts hold for the whole site as if it were one hall."""

    heat_kw: float
    tons: float
    liquid_kw: float
    air_kw: float
    rack_air_kw: float
    rack_liquid_kw: float
    rack_air_m3_s: float
    rack_cfm: float
    rack_liquid_l_min: float
    air_limit_kw: float
    return_air_c: float
    return_liquid_c: float
    mechanical_mw: float
    usd_per_tenth_of_pue: float


def tons(heat_kw: float) -> float:
    """Return tons of refrigeration."""
    return heat_kw / KW_A_TON


def air_m3_s(kw: float, delta_k: float) -> float:
    """Return the air that carries a heat at a warming, cubic metres a second."""
    return kw / (AIR_KJ_M3_K * delta_k)


def cfm(kw: float, delta_k: float) -> float:
    """Return the same in cubic feet a minute."""
    return air_m3_s(kw, delta_k) * CFM_A_M3_S


def liquid_l_min(kw: float, delta_k: float, glycol: float = 0.25) -> float:
    """Return the coolant that carries a heat at a warming, litres a minute; 1.5 a kW at 10 K with a quarter glycol."""
    kj_kg_k = CELSIUS_ZERO_WATER - glycol
    kg_l = 0.992 + 0.09 * glycol
    return kw * 60 / (kj_kg_k * kg_l * delta_k)


def units(kw: float, unit_kw: float, spare: int) -> int:
    """Return the units that carry a heat, with spare ones; none where there is no heat."""
    return 0 if kw <= 0 else ceil(kw / unit_kw - 1e-9) + spare


def liquid_share(f: Mapping[str, float], choices: Mapping[str, Any]) -> float:
    """Return the share of a server's heat that liquid takes."""
    return {"air": 0.0, "hybrid": f["liquid_share"], "liquid": 1.0}[str(choices["cooling"])]


def free_cooling_hours(outside_c: Iterable[float], supply_c: float, approach_k: float) -> int:
    """Return the hours of a temperature profile (one value an hour) in which no chiller is needed."""
    return sum(1 for value in outside_c if value <= supply_c - approach_k)


def cooling_of(
    f: Mapping[str, float], choices: Mapping[str, Any], *, it_mw: float, facility_mw: float, compute_mw: float
) -> Cooling:
    """Return the heat of a design and its split."""
    share = liquid_share(f, choices)
    rack_kw = f["node_kw"] * f["nodes_per_rack"]
    heat, liquid = it_mw * 1000, compute_mw * 1000 * share
    rack_air, rack_liquid = rack_kw * (1 - share), rack_kw * share
    limit = f["rear_door_rack_kw"] if choices["rear_door"] else f["contained_rack_kw"]
    return Cooling(
        heat_kw=heat,
        tons=tons(heat),
        liquid_kw=liquid,
        air_kw=heat - liquid,
        rack_air_kw=rack_air,
        rack_liquid_kw=rack_liquid,
        rack_air_m3_s=air_m3_s(rack_air, f["air_delta_k"]),
        rack_cfm=cfm(rack_air, f["air_delta_k"]),
        rack_liquid_l_min=liquid_l_min(rack_liquid, f["liquid_delta_k"], f["glycol"]),
        air_limit_kw=limit,
        return_air_c=f["air_supply_c"] + f["air_delta_k"],
        return_liquid_c=f["liquid_supply_c"] + f["liquid_delta_k"],
        mechanical_mw=facility_mw - it_mw,
        usd_per_tenth_of_pue=0.1 * it_mw * 1000 * 8760 * f["load_factor"] * f["electricity_usd_kwh"],
    )


def findings(f: Mapping[str, float], choices: Mapping[str, Any], cooling: Cooling) -> Iterator[Finding]:
    """Return what air or liquid cannot carry."""
    kw = cooling.rack_air_kw
    way = "rear doors" if choices["rear_door"] else "contained aisles"
    if kw > cooling.air_limit_kw:
        fits = int(cooling.air_limit_kw // (kw / f["nodes_per_rack"]))
        yield Finding(
            "rack-too-hot-for-air",
            "error",
            "cooling",
            f"air must carry {kw:.0f} kW a rack ({cooling.rack_cfm:,.0f} cfm); {way} carry {cooling.air_limit_kw:g} kW",
            (f"at most {fits} servers a rack, " if fits else "")
            + "cooling: hybrid or liquid"
            + ("" if choices["rear_door"] else f", or rear_door: true up to {f['rear_door_rack_kw']:g} kW"),
            {"rack_air_kw": kw, "limit_kw": cooling.air_limit_kw},
        )
    elif kw > f["air_rack_kw"] and not choices["rear_door"]:
        yield Finding(
            "rack-hot-for-air",
            "warning",
            "cooling",
            f"air must carry {kw:.0f} kW a rack; over {f['air_rack_kw']:g} kW it needs full containment and {cooling.rack_cfm:,.0f} cfm at each rack",
            "check the airflow of the hall at one rack, rear_door: true, or fewer servers a rack",
            {"rack_air_kw": kw, "comfortable_kw": f["air_rack_kw"]},
        )
    if choices["cooling"] != "air" and cooling.return_liquid_c > 65:
        yield Finding(
            "coolant-too-warm",
            "error",
            "cooling",
            f"coolant returns at {cooling.return_liquid_c:.0f} degrees C; cold plates are rated to 65",
            "liquid_supply_c or liquid_delta_k lower",
            {"return_c": cooling.return_liquid_c},
        )
