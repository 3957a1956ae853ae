"""The load on the floor: the weight of racks and servers, and the findings about what a rack holds and a floor carries."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from steps.catalog.terms import Scope
from steps.design.design import Design
from steps.design.findings import Finding


class Load(NamedTuple):
    """The weight of a full compute rack and of everything, in kg, and the white space."""

    rack_kg: float
    rack_kpa: float
    floor_m2: float
    total_kg: float


def load_of(design: Design) -> Load:
    """Return the weight of racks, and the load on the floor in kPa."""
    f = design.figures
    rack = f["rack_kg"] + f["nodes_per_rack"] * f["node_kg"]
    footprint = f["rack_pitch_m"] * f["rack_depth_m"]
    racks = float(design.site.values["racks"])
    return Load(
        rack_kg=rack,
        rack_kpa=rack * 9.81 / 1000 / footprint,
        floor_m2=sum(float(unit.values["floor_m2_in_hall"]) for unit in design.units if unit.kind is Scope.HALL),
        total_kg=f["nodes"] * f["node_kg"] + racks * f["rack_kg"],
    )


def findings(design: Design, load: Load) -> Iterator[Finding]:
    """Yield racks that have too many servers, or that are heavier than the floor carries."""
    f = design.figures
    if f["nodes"] == 1:
        return
    beside = (
        f["pod_switches_per_rack"]
        if f["nodes_per_rack"] * f["node_u"] <= f["rack_u"] and design.counted.fabric.leaf
        else 0
    )
    used = f["nodes_per_rack"] * f["node_u"] + beside
    if used > f["rack_u"]:
        yield Finding(
            "rack-over-full",
            "error",
            "room",
            f"{f['nodes_per_rack']:g} servers of {f['node_u']:g} U are {used:g} U, the rack has {f['rack_u']:g}",
            f"nodes_per_rack: {int(f['rack_u'] // f['node_u'])}",
            {"used_u": used, "rack_u": f["rack_u"]},
        )
    if load.rack_kpa > f["floor_kpa"]:
        yield Finding(
            "floor-overloaded",
            "warning",
            "room",
            f"a full rack of {load.rack_kg:,.0f} kg loads its footprint with {load.rack_kpa:.1f} kPa; the floor carries {f['floor_kpa']:g} kPa",
            "spread the load over the aisles, a structural engineer's proof in H05, or fewer servers a rack",
            {"rack_kpa": load.rack_kpa, "floor_kpa": f["floor_kpa"]},
        )
