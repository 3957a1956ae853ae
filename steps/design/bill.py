"""The bill of quantities: every part of a design, for the whole site and for one full pod.

Counts are the installed parts; spares are counted separately. Weights and areas say what the floor must carry.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import ceil
from typing import NamedTuple

from steps.catalog.terms import Scope
from steps.design.cable_lists import PURCHASES, CableLists
from steps.design.design import Design
from steps.design.economics import CHARGES, Economics
from steps.design.floor_load import load_of
from steps.design.reliability import Reliability
from steps.design.service_cables import ACTIVE_OPTICAL, PATCH


class Line(NamedTuple):
    """One part. `pod` is the count in a full pod, None if the part belongs to no pod.

    `each_kw` is the IT power of one, `each_usd` its price, 0 where another line or the building has it. `cost` is the category of
    the money under which it is bought, `supply` the supply line of the catalog that buys it; empty where it has no price of its own.
    """

    section: str
    item: str
    unit: str
    site: float
    spare: float
    pod: float | None
    each_kw: float = 0.0
    each_usd: float = 0.0
    cost: str = ""
    supply: str = ""

    @property
    def usd(self) -> float:
        """The price of all, spares included."""
        return (self.site + self.spare) * self.each_usd


Lines = tuple[Line, ...]


def bill_of(design: Design, lists: CableLists | None, rates: Reliability | None) -> Lines:
    """Return every line that is not empty."""
    lines = (
        *_servers(design, rates),
        *_parts(design),
        *_room(design),
        *_switches(design),
        *(_cables(design, lists) if lists else ()),
        *_circuits(design),
        *_power(design),
        *_cooling(design),
        *_storage(design),
        *_benches(design),
    )
    return tuple(line for line in lines if line.site or line.spare)


def charges_of(money: Economics) -> Lines:
    """Return the lines that no order has and that are no part: freight, duty, tax and cost contingency. What is zero has none."""
    charged = {name: money.capex_by_category[name] for name in CHARGES} | {"cost contingency": money.cost_contingency}
    return tuple(Line("charges", name, "lot", 1, 0, None, 0.0, usd, name) for name, usd in charged.items() if usd)


def priced(bill: Lines) -> dict[str, float]:
    """Return the price in USD of all lines of each category, spares included."""
    found: dict[str, float] = {}
    for line in bill:
        if line.cost:
            found[line.cost] = found.get(line.cost, 0.0) + line.usd
    return found


def prices_of(bill: Iterable[Line]) -> dict[str, float]:
    """Return the price in USD of all that each supply line of the catalog buys, spares included; none where no line has its price."""
    found: dict[str, float] = {}
    for line in bill:
        if line.supply and line.usd:
            found[line.supply] = found.get(line.supply, 0.0) + line.usd
    return found


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
    f, v, pod = design.figures, design.site.values, _pod(design)["nodes_in_pod"]
    servers, in_parts = "servers", _comes_in_parts(design)
    price = (0.0, "", "") if in_parts else (f["node_usd"], servers, "gpu-server")
    yield Line("servers", "GPU servers", "each", f["nodes"], 0, pod, f["node_kw"], *price)
    yield Line("servers", "of these, hot spares", "each", rates.hot_spares if rates else 0, 0, None)
    if f["nodes"] == 1:
        return
    each = f["management_server_usd"]
    for item, name, kw, usd, cost in (
        ("management servers", "management_servers", "management_server_kw", each, "management servers"),
        ("fabric managers", "fabric_managers", "fabric_manager_kw", f["fabric_manager_usd"], "switches"),
        ("border routers", "border_routers", "border_router_kw", f["border_router_usd"], "switches"),
    ):
        supply = item.removesuffix("s").replace(" ", "-")
        yield Line("servers", item, "each", float(v[name]), 0, None, f[kw], usd, cost, supply)


def _comes_in_parts(design: Design) -> bool:
    return design.choices["build"] == "white-box"


def _gpus_usd(design: Design) -> float:
    """Return the price of the GPUs of a server."""
    return design.figures["node_usd"] * design.figures["gpu_price_share"]


class _Part(NamedTuple):
    """A part of a server: how many a server has, the supply that buys it where servers are built here, and its spares."""

    item: str
    each: float
    usd: float
    supply: str
    spares: str = ""
    spare_supply: str = ""


def _server_parts(design: Design) -> tuple[_Part, ...]:
    """Return the parts of a server. NICs and memory for the shelf of a site that builds its servers are bought with the others."""
    f, in_parts = design.figures, _comes_in_parts(design)
    memory, nic = ("memory", "nic") if in_parts else ("spare-memory", "spare-nic")
    gpu_usd = _gpus_usd(design) / max(1.0, f["gpus_per_node"])
    return (
        _Part("GPUs", f["gpus_per_node"], gpu_usd, "gpu", "spare_gpus", "spare-parts"),
        _Part("processors", f["cpus_per_node"], f["processor_usd"], "processor"),
        _Part("memory modules", f["dimms_per_node"], f["memory_usd"], "memory", "spare_modules", memory),
        _Part("NVMe drives", f["nvme_per_node"], f["drive_usd"], "nvme-drive", "spare_drives", "spare-drive"),
        _Part("NICs", f["nics_per_node"], f["nic_usd"], "nic", "spare_nics", nic),
        _Part("power supplies", f["psus_per_node"], f["psu_usd"], "", "spare_supplies", "spare-supply"),
        _Part("fan modules", f["fans_per_node"], 0.0, ""),
    )


def _parts(design: Design) -> Iterator[Line]:
    """Yield the parts inside the servers, which are in their price, and those on the shelf, which are not.

    A site that builds its servers buys their parts. The chassis has what is left of a server's price, with fans and supplies.
    """
    f, v, pod = design.figures, design.site.values, _pod(design)["nodes_in_pod"]
    is_new = f["node_usd"] > 0
    in_parts = _comes_in_parts(design)
    parts = _server_parts(design)
    for part in parts:
        kept = float(v[part.spares]) if part.spares and is_new else 0.0
        own = (part.usd, "servers", part.supply) if in_parts and part.supply else (0.0, "", "")
        yield Line("servers", part.item, "each", f["nodes"] * part.each, 0, pod * part.each, 0.0, *own)
        if kept:
            yield Line("spare parts", part.item, "each", 0, kept, None, 0.0, part.usd, "spare parts", part.spare_supply)
    if in_parts:
        bought = sum(part.each * part.usd for part in parts if part.supply) + f["motherboard_usd"]
        for item, usd in (("motherboard", f["motherboard_usd"]), ("chassis", max(0.0, f["node_usd"] - bought))):
            yield Line("servers", item, "each", f["nodes"], 0, pod, 0.0, usd, "servers", item)


def _room(design: Design) -> Iterator[Line]:
    f, pod, v = design.figures, _pod(design), design.site.values
    load, nodes, racks = load_of(design), pod["nodes_in_pod"], pod["racks_in_pod"]
    kg = nodes * f["node_kg"] + racks * f["rack_kg"]
    racked, rack_usd, pdu_usd = "racks", f["rack_usd"], f["pdu_usd"]
    come_whole = design.choices["server_form"] == "rack"
    bought_racks = (
        () if come_whole else (("compute racks", "each", float(v["racks"]), racks, rack_usd, "compute-rack"),)
    )
    for item, unit, site, in_pod, usd, supply in (
        *bought_racks,
        (
            "network, storage and management racks",
            "each",
            float(v["infra_racks"]),
            None,
            rack_usd,
            "infrastructure-rack",
        ),
        ("rack PDUs", "each", _pods(design, "pdus_in_pod"), pod["pdus_in_pod"], pdu_usd, "rack-pdu"),
        ("rack PDUs of infrastructure racks", "each", float(v["infra_pdus"]), None, pdu_usd, "infrastructure-pdu"),
        ("rack units in use by servers", "U", f["nodes"] * f["node_u"], nodes * f["node_u"], 0.0, ""),
        ("white space", "m2", round(load.floor_m2, 1), racks * f["floor_m2_per_rack"], 0.0, ""),
        ("servers and racks", "kg", round(load.total_kg), round(kg), 0.0, ""),
    ):
        yield Line("room", item, unit, site, 0, in_pod, 0.0, usd, racked if usd else "", supply)


def _switches(design: Design) -> Iterator[Line]:
    f, fabric, pod = design.figures, design.counted.fabric, _pod(design)
    v, compute = design.site.values, (f["switch_kw"], f["switch_usd"])
    storage = (f["storage_switch_kw"], f["storage_switch_usd"])
    in_band = (f["in_band_switch_kw"], f["in_band_switch_usd"])
    out_of_band = (f["out_of_band_switch_kw"], f["out_of_band_switch_usd"])
    files, in_pods, services = "storage network", pod["storage_leaf_in_pod"], "management network"
    for section, item, count, in_pod, (kw, usd), supply in (
        ("fabric", "leaf switches", fabric.leaf, pod["leaf_in_pod"], compute, "leaf-switch"),
        ("fabric", "spine switches", fabric.spine, None, compute, "spine-switch"),
        ("fabric", "core switches", fabric.core, None, compute, "spine-switch"),
        (files, "storage leaf switches", float(v["storage_leaf"]), in_pods, storage, "storage-switch"),
        (files, "storage spine switches", float(v["storage_spine"]), None, storage, "storage-spine"),
        (services, "in-band switches", float(v["in_band_switches"]), None, in_band, "in-band-switch"),
        (services, "out-of-band switches", float(v["out_of_band_switches"]), None, out_of_band, "management-switch"),
    ):
        spare = ceil(count * f["switch_spares"] - 1e-9)
        yield Line(section, item, "each", count, spare, in_pod, kw, usd, "switches", supply)


def _cables(design: Design, lists: CableLists) -> Iterator[Line]:
    """Yield cables by tier, type and length, and transceivers; the spares of a purchase are spread over its lines."""
    f, cost = design.figures, "cables and optics"
    sections = {"server": "fabric", "trunk": "fabric", "storage": "storage network", "management": "management network"}
    for purchase, section in sections.items():
        lines = [line for line in lists.cables if PURCHASES[line.tier] == purchase]
        kept = _spread([line.number for line in lines], f["cable_spares"])
        for line, spare in zip(lines, kept, strict=True):
            item, usd = f"cable {line.tier}, {line.type}, {line.stock_m} m", _cable_usd(design, line.type)
            yield Line(section, item, "each", line.number, spare, None, 0.0, usd, cost, f"{purchase}-cable")
    for end in ("server", "switch"):
        optics = [line for line in lists.optics if line.end == end]
        kept = _spread([line.number for line in optics], f["cable_spares"])
        for optic, spare in zip(optics, kept, strict=True):
            section = {"compute": "fabric", "storage": "storage network"}.get(optic.network, "management network")
            item = f"{end} transceivers, {optic.type}"
            named = item if optic.network == "compute" else f"{optic.network} {item}"
            usd = f["optics_usd"] * _links_per_transceiver(design, optic.network, end)
            yield Line(section, named, "each", optic.number, spare, None, 0.0, usd, cost, f"{end}-transceiver")


def _circuits(design: Design) -> Iterator[Line]:
    """Yield the carrier circuits of a cluster; a single machine has its office's."""
    if design.choices["fabric"] != "none":
        f = design.figures
        usd, item = f["circuit_usd"], "carrier circuits"
        yield Line("management network", item, "circuit", f["wan_circuits"], 0, None, 0.0, usd, item, "carrier-circuit")


def _spread(counts: Iterable[int], share: float) -> list[int]:
    """Return the spares of each line, so that they add up to the spares of all lines together."""
    found, before, so_far = [], 0, 0
    for count in counts:
        so_far += count
        upto = ceil(so_far * share - 1e-9)
        found.append(upto - before)
        before = upto
    return found


def _cable_usd(design: Design, kind: str) -> float:
    names = {ACTIVE_OPTICAL: "active_optical_usd", PATCH: "patch_usd"}
    return design.figures[names.get(kind, "cable_usd")]


def _links_per_transceiver(design: Design, network: str, end: str) -> float:
    f = design.figures
    if network not in ("compute", "storage"):
        return 1
    if end == "switch":
        return f["ports_per_cage"]
    return f["node_ports_per_cage"] if network == "compute" else 1


def _power(design: Design) -> Iterator[Line]:
    f, pod, v = design.figures, _pod(design), design.site.values
    yield Line(
        "power",
        f"rack breakers, {f['rack_breaker_a']:g} A three-phase",
        "each",
        float(v["racks"]) * f["rack_feeds"],
        0,
        pod["racks_in_pod"] * f["rack_feeds"],
    )
    if design.choices["facility"] == "existing":
        return
    for item, name, unit in (
        ("remote power panels", "rpps_in_hall", "each"),
        ("busway", "busway_m_in_hall", "m"),
        ("UPS modules", "ups_modules_in_hall", "each"),
        ("battery containers", "battery_units_in_hall", "each"),
        ("generator sets", "generators_in_hall", "each"),
        ("gas turbines", "gas_turbines_in_hall", "each"),
        ("transfer switches", "transfer_switches_in_hall", "each"),
        ("distribution transformers", "distribution_transformers_in_hall", "each"),
        ("power transformers", "transformers_in_hall", "each"),
    ):
        yield Line("power", item, unit, _halls(design, name), 0, None)
    yield Line("power", "diesel on site", "l", round(design.counted.power.fuel_litres), 0, None)


def _cooling(design: Design) -> Iterator[Line]:
    """Yield the cooling of racks and, where it is built, that of the halls. A hall in service has its own plant."""
    for item, unit, site, in_pod, usd, supply in _at_racks(design):
        yield Line("cooling", item, unit, site, 0, in_pod, 0.0, usd, "cooling and air at racks", supply)
    if design.choices["facility"] != "existing":
        for item, name in (
            ("room air handlers", "crahs_in_hall"),
            ("in-row coolers", "in_row_coolers_in_hall"),
            ("chillers", "chillers_in_hall"),
            ("cooling towers", "towers_in_hall"),
            ("dry coolers", "dry_coolers_in_hall"),
            ("water pumps", "pumps_in_hall"),
        ):
            yield Line("cooling", item, "each", _halls(design, name), 0, None)


_Priced = tuple[str, str, float, float | None, float, str]
"""Item, unit, number at the site and in a pod, price of one, and the supply that buys it."""


def _at_racks(design: Design) -> Iterator[_Priced]:
    f, pod, choices = design.figures, _pod(design), design.choices
    racks, in_pod = _pods(design, "racks_in_pod"), pod["racks_in_pod"]
    if choices["rear_door"]:
        yield "rear-door heat exchangers", "each", racks, in_pod, f["rear_door_usd"], "rear-door"
    if choices["cooling"] != "air":
        cdus, cdu_usd = _pods(design, "cdus_in_pod"), f["cdu_kw"] * f["cdu_usd_kw"]
        supply = "cdu" if choices["cooling_equipment"] == "made-to-order" else "cdu-stock"
        yield "coolant distribution units", "each", cdus, pod["cdus_in_pod"], cdu_usd, supply
        if choices["server_form"] != "rack":  # a whole rack has its own
            yield "rack manifolds", "rack", racks, in_pod, f["manifold_usd"], "manifold"
        yield "leak sensors with valve", "rack", racks, in_pod, f["leak_detection_usd"], "leak-sensor"
    if choices["cooling"] != "liquid":
        panels, in_a_pod = _pods(design, "blanking_panels_in_pod"), pod["blanking_panels_in_pod"]
        yield "aisle containment", "rack", racks, in_pod, f["containment_usd"], "containment"
        yield "blanking panels", "each", panels, in_a_pod, f["blanking_panel_usd"], "blanking-panel"
    yield "temperature sensors", "each", _halls(design, "sensors_in_hall"), None, f["sensor_usd"], "sensor"


def _benches(design: Design) -> Iterator[Line]:
    f, choices, cost = design.figures, design.choices, "test benches"
    benches = float(design.site.values["staging_benches"])
    yield Line(cost, cost, "bench", benches, 0, None, 0.0, f["bench_usd"], cost, "staging-benches")
    if choices["burn_in"] == "bench" and choices["cooling"] != "air":
        usd, supply = f["bench_loop_usd"], "bench-loop"
        yield Line(cost, "coolant loops of benches", "place", f["test_benches"], 0, None, 0.0, usd, cost, supply)


def _storage(design: Design) -> Iterator[Line]:
    """Yield storage servers, whose price is that of their capacity, and what belongs to them."""
    f, storage, v = design.figures, design.counted.storage, design.site.values
    kw, cost = f["storage_server_kw"], "storage"
    each = storage.capacity_pb * f["storage_usd_pb"] / max(1, storage.servers)
    for item, count, usd in (
        ("storage servers", storage.servers, each),
        ("metadata servers", storage.metadata_servers, f["metadata_server_usd"]),
    ):
        yield Line("storage", item, "each", count, 0, None, kw, usd, cost, "storage-array")
    spare = float(v["spare_storage_drives"]) if storage.servers else 0
    yield Line("storage", "drives", "each", storage.drives, 0, None)
    usd = f["storage_drive_usd"]
    yield Line("spare parts", "storage drives", "each", 0, spare, None, 0.0, usd, "spare parts", "spare-storage-drive")
