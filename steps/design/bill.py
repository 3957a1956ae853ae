"""The bill of quantities: every part of a design, for the whole site and for one full pod.

Counts are the installed parts; spares are counted separately. Weights and areas say what the floor must carry.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from math import ceil
from typing import NamedTuple

from steps.catalog.terms import Scope
from steps.design.cables import CableSchedule
from steps.design.design import Design
from steps.design.findings import Finding
from steps.design.reliability import Reliability


class Line(NamedTuple):
    """One part. `pod` is the count in a full pod, None if the part belongs to no pod."""

    section: str
    item: str
    unit: str
    site: float
    spare: float
    pod: float | None


Lines = tuple[Line, ...]


class Load(NamedTuple):
    """The weight of a full compute rack and of everything, in kg, and the white space."""

    rack_kg: float
    rack_kpa: float
    floor_m2: float
    total_kg: float


def bill_of(design: Design, cables: CableSchedule | None, rates: Reliability | None) -> Lines:
    """Return every line that is not empty."""
    lines = (
        *_servers(design, rates),
        *_room(design),
        *(_fabric(design, cables) if cables else ()),
        *_power(design),
        *_cooling(design),
        *_storage(design),
    )
    return tuple(line for line in lines if line.site)


def load_of(design: Design) -> Load:
    """Return the weight of racks, and the load on the floor in kPa."""
    f = design.figures
    rack = f["rack_kg"] + f["nodes_per_rack"] * f["node_kg"]
    footprint = f["rack_pitch_m"] * f["rack_depth_m"]
    racks = float(design.site.values["racks"])
    return Load(
        rack_kg=rack,
        rack_kpa=rack * 9.81 / 1000 / footprint,
        floor_m2=_sum(design, Scope.HALL, "floor_m2_in_hall"),
        total_kg=f["nodes"] * f["node_kg"] + racks * f["rack_kg"],
    )


def findings(design: Design, load: Load) -> Iterator[Finding]:
    """Yield racks that have too many servers, or that are heavier than the floor carries."""
    f = design.figures
    if f["nodes"] == 1:
        return
    used = f["nodes_per_rack"] * f["node_u"]
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


def _pod(design: Design) -> dict[str, float]:
    """Return the values of the fullest pod."""
    pods = [u for u in design.units if u.kind is Scope.POD]
    fullest = max(pods, key=lambda u: float(u.values["nodes_in_pod"])).values
    numbers = {name: value for name, value in fullest.items() if not isinstance(value, str)}
    return {name: float(value) for name, value in numbers.items()}


def _sum(design: Design, kind: Scope, name: str) -> float:
    return sum(float(unit.values[name]) for unit in design.units if unit.kind is kind)


def _halls(design: Design, name: str) -> float:
    return _sum(design, Scope.HALL, name)


def _pods(design: Design, name: str) -> float:
    return _sum(design, Scope.POD, name)


def _servers(design: Design, rates: Reliability | None) -> Iterator[Line]:
    f, pod = design.figures, _pod(design)["nodes_in_pod"]
    spares = rates.spares if rates else {}
    hot = rates.hot_spares if rates else 0
    yield Line("servers", "GPU servers", "each", f["nodes"], hot, pod)
    for item, each, spare in (
        ("GPUs", "gpus_per_node", spares.get("GPUs", 0)),
        ("processors", "cpus_per_node", 0),
        ("memory modules", "dimms_per_node", 0),
        ("NVMe drives", "nvme_per_node", spares.get("drives", 0)),
        ("NICs", "nics_per_node", ceil(f["nodes"] * f["nics_per_node"] * 0.02)),
        ("power supplies", "psus_per_node", spares.get("power supplies", 0)),
        ("fan modules", "fans_per_node", 0),
    ):
        count = f[each]
        yield Line("servers", item, "each", f["nodes"] * count, spare, pod * count)
    v = design.site.values
    if f["nodes"] > 1:
        yield Line("servers", "management servers", "each", float(v["management_servers"]), 0, None)


def _room(design: Design) -> Iterator[Line]:
    f, pod, v = design.figures, _pod(design), design.site.values
    load, nodes, racks = load_of(design), pod["nodes_in_pod"], pod["racks_in_pod"]
    panels, kg = _pods(design, "blanking_panels_in_pod"), nodes * f["node_kg"] + racks * f["rack_kg"]
    for item, unit, site, in_pod in (
        ("compute racks", "each", float(v["racks"]), racks),
        ("network, storage and management racks", "each", float(v["infra_racks"]), None),
        ("rack units in use by servers", "U", f["nodes"] * f["node_u"], nodes * f["node_u"]),
        ("blanking panels", "each", panels, pod["blanking_panels_in_pod"]),
        ("white space", "m2", round(load.floor_m2, 1), racks * f["floor_m2_per_rack"]),
        ("servers and racks", "kg", round(load.total_kg), round(kg)),
    ):
        yield Line("room", item, unit, site, 0, in_pod)


def _fabric(design: Design, cables: CableSchedule) -> Iterator[Line]:
    f, fabric, pod = design.figures, design.counted.fabric, _pod(design)
    for item, count, in_pod in (
        ("leaf switches", fabric.leaf, pod["leaf_in_pod"]),
        ("spine switches", fabric.spine, None),
        ("core switches", fabric.core, None),
    ):
        yield Line("fabric", item, "each", count, ceil(count * f["switch_spares"]), in_pod)
    yield Line("fabric", "management switches", "each", float(design.site.values["management_switches"]), 1, None)
    optical: Counter[str] = Counter()
    for (tier, stock, kind), count in sorted(cables.lengths().items()):
        yield Line("fabric", f"cable {tier}, {kind}, {stock} m", "each", count, ceil(count * f["cable_spares"]), None)
        if kind in ("multimode", "single-mode"):
            ends = ("server", "switch") if tier == "node-leaf" else ("switch", "switch")
            for end in ends:
                optical[f"{end} transceivers, {kind}"] += count
    for item, ends_of in sorted(optical.items()):
        count = ends_of if item.startswith("server") else ceil(ends_of / f["ports_per_cage"])
        yield Line("fabric", item, "each", count, ceil(count * f["cable_spares"]), None)


def _power(design: Design) -> Iterator[Line]:
    f, pod, v = design.figures, _pod(design), design.site.values
    yield Line("power", "rack PDUs", "each", _pods(design, "pdus_in_pod"), 0, pod["pdus_in_pod"])
    yield Line(
        "power",
        f"rack breakers, {f['rack_breaker_a']:g} A three-phase",
        "each",
        float(v["racks"]) * f["rack_feeds"],
        0,
        pod["racks_in_pod"] * f["rack_feeds"],
    )
    for item, name, unit in (
        ("remote power panels", "rpps_in_hall", "each"),
        ("busway", "busway_m_in_hall", "m"),
        ("UPS modules", "ups_modules_in_hall", "each"),
        ("generator sets", "generators_in_hall", "each"),
        ("transfer switches", "transfer_switches_in_hall", "each"),
        ("distribution transformers", "distribution_transformers_in_hall", "each"),
        ("power transformers", "transformers_in_hall", "each"),
    ):
        yield Line("power", item, unit, _halls(design, name), 0, None)
    yield Line("power", "diesel on site", "l", round(design.counted.power.fuel_litres), 0, None)


def _cooling(design: Design) -> Iterator[Line]:
    pod, choices = _pod(design), design.choices
    if choices["cooling"] != "liquid":
        yield Line("cooling", "room air handlers", "each", _halls(design, "crahs_in_hall"), 0, None)
    if choices["rear_door"]:
        yield Line(
            "cooling", "rear-door heat exchangers", "each", _pods(design, "racks_in_pod"), 0, pod["racks_in_pod"]
        )
    if choices["cooling"] != "air":
        yield Line("cooling", "coolant distribution units", "each", _pods(design, "cdus_in_pod"), 0, pod["cdus_in_pod"])
        for item in ("rack manifolds", "leak sensors with valve"):
            yield Line("cooling", item, "rack", _pods(design, "racks_in_pod"), 0, pod["racks_in_pod"])
    for item, name in (
        ("chillers", "chillers_in_hall"),
        ("cooling towers or dry coolers", "towers_in_hall"),
        ("chilled-water pumps", "pumps_in_hall"),
    ):
        yield Line("cooling", item, "each", _halls(design, name), 0, None)
    yield Line("cooling", "temperature sensors", "each", _pods(design, "sensors_in_pod"), 0, pod["sensors_in_pod"])


def _storage(design: Design) -> Iterator[Line]:
    storage = design.counted.storage
    yield Line("storage", "storage servers", "each", storage.servers, 0, None)
    yield Line("storage", "metadata servers", "each", storage.metadata_servers, 0, None)
    yield Line("storage", "drives", "each", storage.drives, ceil(storage.drives * 0.01), None)
