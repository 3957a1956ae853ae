"""Steps 096, 098 and 114: heat, the air of a hall, and whether the plant carries it with one unit lost."""

from __future__ import annotations

import csv
import io
from math import ceil

from steps.design.calculations.calculation import Calculation, Facts, Sheet, Under, number
from steps.design.cooling import air_m3_s, cfm, cooling_of, findings, liquid_share, loops_of
from steps.design.design import Counted
from steps.design.figures import Figures
from steps.planning.activity import PlanActivity


def heat(under: Under, activity: PlanActivity, facts: Facts, counted: Counted) -> Calculation:  # noqa: ARG001
    """Step 096: the heat to be rejected, added up by hall, and what air and liquid remove of it."""
    calculation = _begun(under, counted)
    total = cooling_of(counted.figures, counted.choices, counted.power)
    gives = calculation.gives
    halls = [unit.id for unit in under.plan.units if unit.kind == "hall"]
    by_hall = {hall: float(under.values(hall)["hall_it_mw"]) * 1000 for hall in halls}
    gives("cooling.heat_kw", sum(by_hall.values()), "kW", "halls added up: all power of the IT becomes heat")
    gives("cooling.liquid_kw", total.liquid_kw, "kW", "the liquid's share of the servers' power")
    gives("cooling.air_kw", total.air_kw, "kW", "the rest")
    gives("cooling.warm_kw", total.warm_kw, "kW", "cold plates whose coolant needs no chiller")
    gives("cooling.rear_door_kw", total.rear_door_kw, "kW", "the doors' share of the servers' heat in air")
    gives("cooling.in_row_kw", total.in_row_kw, "kW", "racks too hot for the air of a room, without doors")
    gives("cooling.room_air_kw", total.room_air_kw, "kW", "what is left for room air handlers")
    gives("cooling.chilled_kw", total.chilled_kw, "kW", "all but the warm water: what chillers carry")
    gives("cooling.rack_air_kw", total.rack_air_kw, "kW", "a full rack's heat that air removes")
    gives("cooling.rack_liquid_kw", total.rack_liquid_kw, "kW", "a full rack's heat that liquid removes")
    gives(
        "cooling.rack_air_m3_s", total.rack_air_m3_s, "m**3/s", "heat over 1.206 kJ/(m3 K) and the warming of the air"
    )
    gives("cooling.rack_liquid_l_min", total.rack_liquid_l_min, "l/min", "heat over the coolant's capacity and warming")
    gives("cooling.air_limit_kw", total.air_limit_kw, "kW", "what contained aisles, or rear doors, remove of a rack")
    over = max(0.0, total.rack_air_kw - total.air_limit_kw)
    gives("cooling.rack_air_over_limit_kw", over, "kW", "a full rack's heat in the air over what the aisle removes")
    for hall, kw in by_hall.items():
        gives(f"cooling.{hall}_kw", kw, "kW", "IT power of the hall")
    return calculation


def containment(under: Under, activity: PlanActivity, facts: Facts, counted: Counted) -> Calculation:  # noqa: ARG001
    """Step 098: rows and racks of a hall, the air that they draw, and the supply of the air handlers without spare ones."""
    f, v = counted.figures, under.values(activity.unit)
    calculation = _begun(under, counted, "crah_kw", "spare_units", "racks_per_row", "row_pitch_m")
    racks, warming = int(v["racks_in_hall"]), f["air_delta_k"]
    share = liquid_share(f, counted.choices)
    heat_kw = float(v["hall_it_mw"]) * 1000
    air_kw = loops_of(f, counted.choices, servers=float(v["nodes_in_hall"]), heat_kw=heat_kw).room_kw
    working = max(0, int(v["crahs_in_hall"]) - int(f["spare_units"]))
    calculation.takes("crahs_in_hall", int(v["crahs_in_hall"]), "count")
    calculation.takes("racks_in_hall", racks, "count")
    gives = calculation.gives
    demand, supply = air_m3_s(air_kw, warming), air_m3_s(working * f["crah_kw"], warming)
    gives(
        "airflow.heat_kw", air_kw, "kW", "IT power of the hall that liquid, rear doors and in-row coolers do not remove"
    )
    gives("airflow.demand_m3_s", demand, "m**3/s", "air that removes it at the design warming")
    gives("airflow.supply_m3_s", supply, "m**3/s", "air handlers without the spare ones, at the same warming")
    gives("airflow.supply_over_demand", supply / demand if demand > 0 else 1, "ratio", "airflow balance of the layout")
    rack = f["node_kw"] * f["nodes_per_rack"] * (1 - share)
    gives("airflow.rack_m3_s", air_m3_s(rack, warming), "m**3/s", "air of a full compute rack")
    gives("airflow.rows", ceil(racks / f["racks_per_row"]), "count", "racks over racks in a row")
    calculation.sheets.append(_layout(activity.unit, racks, rack, f))
    return calculation


def plant(under: Under, activity: PlanActivity, facts: Facts, counted: Counted) -> Calculation:
    """Step 114: the plant's capacity with one unit out, less what others draw, compared with the heat of the hall."""
    v = under.values(activity.unit)
    calculation = _begun(under, counted)
    gives = calculation.gives
    chilled = float(v.get("hall_chilled_mw", v["hall_it_mw"]))
    gives("plant.heat_mw", float(v["hall_it_mw"]), "MW", "all IT power of the hall becomes heat")
    gives("plant.chilled_mw", chilled, "MW", "the heat that is not in the warm-water loop")
    warm = number(facts, "plant.warm_capacity_one_unit_out")
    if warm is not None:
        gives("plant.warm_capacity_n_plus_1_mw", warm, "MW", "capacity of the warm-water loop with one unit out")
    capacity = number(facts, "plant.capacity_one_unit_out")
    others = number(facts, "plant.used_by_others")
    asked = {need.name for need in activity.facts}
    if capacity is None or (others is None and "plant.used_by_others" in asked):
        return calculation
    left = capacity - (others or 0)
    gives(
        "plant.capacity_n_plus_1_mw", left, "MW", "capacity with one unit out at design wet bulb, less what others draw"
    )
    gives("plant.margin_mw", left - chilled, "MW", "what is left over the heat that chillers carry")
    return calculation


def _begun(under: Under, counted: Counted, *more: str) -> Calculation:
    calculation = Calculation()
    calculation.takes_figures(counted, "node_kw", "nodes_per_rack", "air_delta_k", *more)
    calculation.takes_choices(counted, "cooling", "rear_door")
    calculation.takes("liquid_share", liquid_share(counted.figures, counted.choices), "ratio")
    calculation.takes("it_mw", float(under.plan.design["it_mw"]), "MW")
    total = cooling_of(counted.figures, counted.choices, counted.power)
    calculation.findings += findings(counted.figures, counted.choices, total)
    return calculation


def _layout(hall: str, racks: int, rack_kw: float, f: Figures) -> Sheet:
    """Return the sheet of a hall's rows: the aisle of each, and the air that it draws if every rack is full."""
    per_row, delta_k = int(f["racks_per_row"]), f["air_delta_k"]

    def write() -> str:
        text = io.StringIO()
        lines = csv.writer(text, lineterminator="\n")
        lines.writerow(("hall", "row", "begins at m", "racks", "air inlets face", "air heat kW", "air m3/s", "air cfm"))
        for row in range(ceil(racks / per_row)):
            here = min(per_row, racks - row * per_row)
            kw = here * rack_kw
            air = (f"{kw:.1f}", f"{air_m3_s(kw, delta_k):.2f}", f"{cfm(kw, delta_k):.0f}")
            begins_at = f"{row * f['row_pitch_m']:.1f}"
            lines.writerow((hall, row + 1, begins_at, here, f"cold aisle {row // 2 + 1}", *air))
        return text.getvalue()

    return Sheet("containment-layout", f"containment-layout-{hall}.csv", write)
