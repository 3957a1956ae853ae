"""Power from the server to the utility: rack circuits, supplies, phases, UPS, generators, energy and its cost.

Powers are real powers in kW or MW, currents are in A, voltages are line to line. Everything is three-phase.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil, sqrt
from typing import NamedTuple

from steps.design.figures import Chosen, Figures
from steps.design.findings import Finding

HOURS_A_YEAR = 8760
BREAKERS_A = (
    *(15, 16, 20, 30, 32, 40, 50, 60, 63, 80),
    *(100, 125, 150, 160, 200, 225, 250, 400),
)
"""Currents of three-phase breakers on the market (series of NFPA 70, 240.6 and IEC 60898), in A."""


class Power(NamedTuple):
    """The power of a site, level by level. `quantities` counts the modules of each hall."""

    node_kw: float
    rack_kw: float
    feed_kw: float
    feeds_kw_one_lost: float
    breaker_a_needed: float
    phase_imbalance: float
    psus_needed: int
    psus_spare: int
    psu_kw_one_feed_lost: float
    gpu_mw: float
    compute_mw: float
    fabric_mw: float
    storage_mw: float
    management_mw: float
    it_mw: float
    facility_mw: float
    utility_mva: float
    ups_mwh: float
    fuel_litres: float
    annual_mwh: float
    annual_cost: float


def feed_kw(volts: float, amps: float, continuous_load: float = 0.8) -> float:
    """Return the load in kW that a three-phase circuit may carry without a break: sqrt(3) V A times that share."""
    return sqrt(3) * volts * amps * continuous_load / 1000


def breaker_needed(kw: float, volts: float, continuous_load: float = 0.8) -> float:
    """Return the current in A of the breaker that a continuous load needs."""
    return kw * 1000 / (sqrt(3) * volts * continuous_load)


def standard_breaker(amps: float) -> int | None:
    """Return the smallest breaker on the market that carries a current; None above the largest one."""
    return next((size for size in BREAKERS_A if size >= amps), None)


def supplies_needed(node_kw: float, psu_kw: float) -> int:
    """Return the number of supplies that carry a server by themselves."""
    return ceil(node_kw / psu_kw - 1e-9)


def phase_imbalance(loads: int) -> float:
    """Return how far the fullest phase exceeds the mean (0 is level) if equal loads are put on three phases in turn."""
    return 0.0 if loads == 0 else ceil(loads / 3) * 3 / loads - 1


def feed_imbalance(f: Figures, feeds: float) -> float:
    """Return the imbalance of a feed if the supplies of a full rack are spread over so many feeds."""
    return phase_imbalance(int(f["nodes_per_rack"] * f["psus_per_node"] // feeds))


def carried_kw(feeds: float, one_feed_kw: float, imbalance: float) -> float:
    """Return the kW that feeds carry together; the breaker of the fullest phase trips first."""
    return feeds * one_feed_kw / (1 + imbalance)


def annual_mwh(mw: float, load_factor: float = 1.0) -> float:
    """Return the energy of a year in MWh."""
    return mw * HOURS_A_YEAR * load_factor


def annual_cost(mw: float, usd_kwh: float, load_factor: float = 1.0) -> float:
    """Return the electricity bill of a year in USD."""
    return annual_mwh(mw, load_factor) * 1000 * usd_kwh


def redundant(needed: int, redundancy: str) -> int:
    """Return the modules to install if `needed` of them carry the load: N, N+1 or 2N."""
    if needed == 0:
        return 0
    return {"N": needed, "N+1": needed + 1, "2N": 2 * needed}[redundancy]


def modules(mw: float, module_mw: float, redundancy: str) -> int:
    """Return the number of modules of a rating that a load needs, redundancy included."""
    return redundant(ceil(mw / module_mw - 1e-9), redundancy)


def transformers(
    mw: float,
    mva: float,
    power_factor: float,
    load: float,
    redundancy: str,
) -> int:
    """Return the number of transformers of a rating for a load; each runs at a share `load` of its rating."""
    return modules(mw / power_factor / load, mva, redundancy)


def power_of(
    f: Figures,
    *,
    switches: int,
    storage_servers: int,
    management_servers: int,
    has_diesel: bool,
    network_kw: float = 0.0,
    rack_switch_kw: float = 0.0,
) -> Power:
    """Return the power of a design at every level.

    `network_kw` is the power of the storage and management networks, `rack_switch_kw` that of the switches in the fullest rack.
    """
    nodes, node_kw, feeds = f["nodes"], f["node_kw"], f["rack_feeds"]
    rack_kw = node_kw * f["nodes_per_rack"] + rack_switch_kw
    one_feed = feed_kw(f["rack_feed_v"], f["rack_breaker_a"], f["continuous_load"])
    carrying = max(1, feeds - 1)
    uneven = feed_imbalance(f, feeds)
    needed = supplies_needed(node_kw, f["psu_kw"])
    psus = f["psus_per_node"]
    left = psus - ceil(psus / feeds) if feeds > 1 else psus
    compute, fabric = nodes * node_kw / 1000, switches * f["switch_kw"] / 1000 + network_kw / 1000
    storage = storage_servers * f["storage_server_kw"] / 1000
    management = management_servers * f["management_server_kw"] / 1000
    it = compute + fabric + storage + management
    facility = it * f["pue"]
    fullest = rack_kw / carrying * (1 + uneven)
    return Power(
        node_kw=node_kw,
        rack_kw=rack_kw,
        feed_kw=one_feed,
        feeds_kw_one_lost=carried_kw(feeds - 1, one_feed, uneven),
        breaker_a_needed=breaker_needed(fullest, f["rack_feed_v"], f["continuous_load"]),
        phase_imbalance=uneven,
        psus_needed=needed,
        psus_spare=int(f["psus_per_node"]) - needed,
        psu_kw_one_feed_lost=left * f["psu_kw"],
        gpu_mw=nodes * f["gpus_per_node"] * f["gpu_w"] / 1e6,
        compute_mw=compute,
        fabric_mw=fabric,
        storage_mw=storage,
        management_mw=management,
        it_mw=it,
        facility_mw=facility,
        utility_mva=facility / f["power_factor"],
        ups_mwh=it * f["ups_minutes"] / 60,
        fuel_litres=facility * f["generator_hours"] * f["litres_per_mwh"] if has_diesel else 0.0,
        annual_mwh=annual_mwh(facility, f["load_factor"]),
        annual_cost=annual_cost(facility, f["electricity_usd_kwh"], f["load_factor"]),
    )


def findings(f: Figures, choices: Chosen, power: Power) -> Iterator[Finding]:
    """Yield what is wrong with circuits, supplies and phases; a single machine in service is not judged."""
    if f["nodes"] == 1 and choices["fabric"] == "none":
        return
    p = power
    feeds = f["rack_feeds"]
    carried = carried_kw(max(1, feeds - 1), p.feed_kw, p.phase_imbalance)
    if p.rack_kw > carried * (1 + 1e-9):
        size = standard_breaker(p.breaker_a_needed)
        fits = int(carried // p.node_kw)
        left = f"with one of {feeds:g} feeds lost the rest carry" if feeds > 1 else "its one feed carries"
        yield Finding(
            "breaker-too-small",
            "error",
            "power",
            f"a full rack draws {p.rack_kw:.1f} kW, and {left} {carried:.1f} kW "
            f"(sqrt(3) x {f['rack_feed_v']:g} V x {f['rack_breaker_a']:g} A x {f['continuous_load']:g} each)",
            (f"breakers of {size} A at {f['rack_feed_v']:g} V, " if size else "a higher voltage or more feeds, ")
            + (f"or {fits} servers a rack" if fits else "or smaller servers"),
            {"rack_kw": p.rack_kw, "feeds_kw_one_lost": p.feeds_kw_one_lost, "breaker_a_needed": p.breaker_a_needed},
        )
    if feeds < 2:
        yield Finding(
            "one-feed",
            "warning",
            "power",
            "racks have one feed: every fault and every maintenance of it stops them",
            "rack_feeds: 2",
        )
    yield from _supply_findings(f, p)
    if p.phase_imbalance > f["phase_imbalance"]:
        yield Finding(
            "phases-unbalanced",
            "note",
            "power",
            f"supplies of a full rack load one phase of a feed {p.phase_imbalance:.0%} over the mean, which the breaker must carry; panels allow {f['phase_imbalance']:.0%}",
            "begin each rack on the next phase, so that the panel is level",
            {"phase_imbalance": p.phase_imbalance},
        )


def _supply_findings(f: Figures, p: Power) -> Iterator[Finding]:
    count, rating = int(f["psus_per_node"]), f["psu_kw"]
    if count and p.psus_spare < 0:
        yield Finding(
            "supplies-too-small",
            "error",
            "power",
            f"{count} supplies of {rating:g} kW have {count * rating:g} kW, the server draws {p.node_kw:g} kW",
            f"at least {p.psus_needed + 1} supplies of this rating",
            {"psus_needed": p.psus_needed, "psus": count},
        )
    elif count and p.psus_spare == 0:
        yield Finding(
            "supplies-not-redundant",
            "error",
            "power",
            f"{p.psus_needed} of {count} supplies of {rating:g} kW are needed for {p.node_kw:g} kW: the loss of one stops the server",
            f"at least {p.psus_needed + 1} supplies of this rating",
            {"psus_needed": p.psus_needed, "psus": count},
        )
    elif f["rack_feeds"] > 1 and count and p.psu_kw_one_feed_lost < p.node_kw:
        feeds = int(f["rack_feeds"])
        yield Finding(
            "supplies-short-on-one-feed",
            "warning",
            "power",
            f"with one of {feeds} feeds lost {p.psu_kw_one_feed_lost:g} kW of supplies are left for {p.node_kw:g} kW: servers slow down or stop",
            f"rack_feeds: {feeds + 1}, so that fewer supplies depend on one feed",
            {"psu_kw_one_feed_lost": p.psu_kw_one_feed_lost, "node_kw": p.node_kw},
        )
