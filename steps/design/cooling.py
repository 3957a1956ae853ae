"""Heat and its removal: loops of air and liquid, flows, units with redundancy, the limits of air, hours of free cooling.

Each kilowatt is in one loop: warm water from cold plates, rear doors, in-row coolers, or the air of the room. Warm water
rejects its heat outdoors; everything else is chilled.

All electrical power of the IT becomes heat. Air has 1.2 kg/m3 and 1.005 kJ/(kg K). The coolant is water with propylene glycol
near 40 degrees C (ASHRAE Handbook, Fundamentals).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import ceil
from typing import NamedTuple

from steps.design.figures import Chosen, Figures
from steps.design.findings import Finding
from steps.design.power import Power, annual_cost

KW_A_TON = 3.517
CFM_A_M3_S = 2118.88
AIR_KJ_M3_K = 1.2 * 1.005
CELSIUS_ZERO_WATER = 4.18


class Cooling(NamedTuple):
    """The heat of a site, and the flows and temperatures of air and liquid that remove it."""

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
    warm_kw: float
    chilled_kw: float
    rear_door_kw: float
    in_row_kw: float
    room_air_kw: float


class Loops(NamedTuple):
    """The heat that each loop removes, in kW. Together they are all of it."""

    warm_kw: float
    plates_kw: float
    rear_door_kw: float
    in_row_kw: float
    room_kw: float

    @property
    def chilled_kw(self) -> float:
        """The heat that chillers remove: all but that of warm water."""
        return self.plates_kw + self.rear_door_kw + self.in_row_kw + self.room_kw


def tons(heat_kw: float) -> float:
    """Return the tons of refrigeration that remove a heat."""
    return heat_kw / KW_A_TON


def air_m3_s(kw: float, delta_k: float) -> float:
    """Return the airflow in cubic metres per second that removes `kw` when it warms by `delta_k`."""
    return kw / (AIR_KJ_M3_K * delta_k)


def cfm(kw: float, delta_k: float) -> float:
    """Return the same airflow in cubic feet per minute."""
    return air_m3_s(kw, delta_k) * CFM_A_M3_S


def liquid_l_min(kw: float, delta_k: float, glycol: float = 0.25) -> float:
    """Return the coolant flow in litres per minute that removes `kw` when it warms by `delta_k`.

    Rule of thumb: 1.5 l/min for each kW at 10 K, with 25 % glycol.
    """
    kj_kg_k = CELSIUS_ZERO_WATER - glycol
    kg_l = 0.992 + 0.09 * glycol
    return kw * 60 / (kj_kg_k * kg_l * delta_k)


def units(kw: float, unit_kw: float, spare: int) -> int:
    """Return the number of units for a heat, spare ones included; 0 without heat."""
    return 0 if kw <= 0 else ceil(kw / unit_kw - 1e-9) + spare


def liquid_share(f: Figures, choices: Chosen) -> float:
    """Return the share of a server's heat that liquid removes."""
    shares = {"air": 0.0, "hybrid": f["liquid_share"], "liquid": 1.0}
    return shares[str(choices["cooling"])]


def loops_of(f: Figures, choices: Chosen, *, servers: float, heat_kw: float) -> Loops:
    """Return the loops that remove `heat_kw`, of which so many servers give the heat of their racks.

    Cold plates warm the coolant so far that it needs no chiller if it is supplied at `warm_water_c` or above. Rear doors remove
    their share of what is left in a rack's air. Without them, in-row coolers do where a rack is too hot for the air of a room.
    """
    share = liquid_share(f, choices)
    liquid = servers * f["node_kw"] * share
    in_racks = servers * f["node_kw"] - liquid
    is_warm = f["liquid_supply_c"] >= f.get("warm_water_c", 32.0)
    doors = in_racks * f.get("rear_door_share", 1.0) if choices["rear_door"] else 0.0
    is_hot = f["node_kw"] * f["nodes_per_rack"] * (1 - share) > f["air_rack_kw"]
    in_row = in_racks if is_hot and not choices["rear_door"] else 0.0
    return Loops(
        warm_kw=liquid if is_warm else 0.0,
        plates_kw=0.0 if is_warm else liquid,
        rear_door_kw=doors,
        in_row_kw=in_row,
        room_kw=max(0.0, heat_kw - liquid - doors - in_row),
    )


def free_cooling_hours(outside_c: Iterable[float], supply_c: float, approach_k: float) -> int:
    """Return the hours of a temperature profile (one value for each hour) without a need for chillers."""
    return sum(1 for value in outside_c if value <= supply_c - approach_k)


def cooling_of(f: Figures, choices: Chosen, power: Power) -> Cooling:
    """Return the heat of a design, and what air and liquid remove of it."""
    share = liquid_share(f, choices)
    heat, liquid = power.it_mw * 1000, power.compute_mw * 1000 * share
    rack_liquid = f["node_kw"] * f["nodes_per_rack"] * share
    rack_air = power.rack_kw - rack_liquid  # switches in the rack are on air
    loops = loops_of(f, choices, servers=f["nodes"], heat_kw=heat)
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
        mechanical_mw=power.facility_mw - power.it_mw,
        usd_per_tenth_of_pue=annual_cost(0.1 * power.it_mw, f["electricity_usd_kwh"], f["load_factor"]),
        warm_kw=loops.warm_kw,
        chilled_kw=loops.chilled_kw,
        rear_door_kw=loops.rear_door_kw,
        in_row_kw=loops.in_row_kw,
        room_air_kw=loops.room_kw,
    )


def findings(f: Figures, choices: Chosen, cooling: Cooling) -> Iterator[Finding]:
    """Yield heat that air or liquid cannot remove."""
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
