"""Steps 021, 071, 072, 073 and 085: power from the server to the hall, compared with the facility."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil, sqrt

from steps.design.calculations.calculation import Calculation, Facts, Under, number
from steps.design.design import Counted
from steps.design.power import carried_kw, feed_imbalance, feed_kw, findings
from steps.planning.activity import PlanActivity

FITS = {
    "C14": ("C13", "C15"),
    "C16": ("C15",),
    "C20": ("C19", "C21"),
    "C22": ("C21",),
}
"""Inlets of IEC 60320, each with the outlets that a cord for it may have."""

OUTLET_A = {"C13": 10, "C15": 10, "C19": 16, "C21": 16}
"""Rated current of an outlet of IEC 60320, in A."""

SUPPLY_V = (200.0, 240.0)
"""Input voltages at which supplies reach their full rating, in V (NVIDIA DGX H100 user guide: 200 to 240)."""


def server_power(under: Under, activity: PlanActivity, facts: Facts, counted: Counted) -> Calculation:  # noqa: ARG001
    """Step 071: the power of one server, compared with its GPUs and its supplies."""
    f, power = counted.figures, counted.power
    calculation = _begun(counted, "node_kw", "gpus_per_node", "gpu_w", "psus_per_node", "psu_kw")
    gives = calculation.gives
    gpus = f["gpus_per_node"] * f["gpu_w"] / 1000
    gives("power.node_kw", power.node_kw, "kW", "the server's maximum, as its profile or the site states it")
    gives("power.gpus_kw", gpus, "kW", "GPUs times their design power")
    gives("power.gpu_share_of_node", gpus / power.node_kw, "ratio", "power of the GPUs over the server's maximum")
    gives("power.supplies_kw", f["psus_per_node"] * f["psu_kw"], "kW", "supplies times their rating")
    gives("power.supplies_needed", power.psus_needed, "count", "supplies that carry the server alone")
    gives("power.supplies_spare", power.psus_spare, "count", "supplies beyond those")
    return calculation


def cluster_power(under: Under, activity: PlanActivity, facts: Facts, counted: Counted) -> Calculation:  # noqa: ARG001
    """Step 072: IT power, added up by parts and by halls, and compared with the design's figure."""
    f, site = counted.figures, under.plan.design
    calculation = _begun(counted, "node_kw", "switch_kw", "storage_server_kw", "management_server_kw")
    switches = _switches(under)
    servers = sum(float(pod["nodes_in_pod"]) for pod in under.inside("site", "pod"))
    storage = float(site["storage_servers"]) + float(site["metadata_servers"])
    alone = f["nodes"] == 1 and counted.choices["fabric"] == "none"
    management = 0 if alone else float(site["management_servers"])
    calculation.takes("servers", servers, "count", "servers of all pods")
    calculation.takes("switches", switches, "count", "switches with a cable in the cable schedule")
    calculation.takes("storage_servers", storage, "count", "storage and metadata servers")
    calculation.takes("management_servers", management, "count")
    networks_kw = counted.services.kw(f)
    calculation.takes("networks_kw", networks_kw, "kW", "switches of storage and management, managers and routers")
    gives = calculation.gives
    parts = {
        "power.servers_kw": servers * f["node_kw"],
        "power.switches_kw": switches * f["switch_kw"],
        "power.storage_kw": storage * f["storage_server_kw"],
        "power.management_kw": management * f["management_server_kw"],
        "power.networks_kw": networks_kw,
    }
    for name, kw in parts.items():
        gives(name, kw, "kW", "count times power of each")
    it_kw = float(site["it_mw"]) * 1000
    halls = sum(float(hall["hall_it_mw"]) for hall in under.inside("site", "hall")) * 1000
    gives("power.it_mw", sum(parts.values()) / 1000, "MW", "parts added up")
    gives(
        "power.parts_difference_kw",
        abs(sum(parts.values()) - it_kw),
        "kW",
        "parts added up against the design's IT power",
    )
    gives("power.halls_difference_kw", abs(halls - it_kw), "kW", "halls added up against the design's IT power")
    for unit in under.plan.units:
        if unit.kind == "hall":
            gives(
                f"power.{unit.id}_it_mw",
                float(under.values(unit.id)["hall_it_mw"]),
                "MW",
                "the hall's share by servers",
            )
    return calculation


def _switches(under: Under) -> int:
    if under.wiring is None:
        return 0
    return sum(under.wiring.switches(level) for level in ("leaf", "spine", "core"))


def facility_power(under: Under, activity: PlanActivity, facts: Facts, counted: Counted) -> Calculation:  # noqa: ARG001
    """Step 073: facility power, and whether the equipment of each hall carries it without the redundant part."""
    f, site = counted.figures, under.plan.design
    calculation = _begun(
        counted,
        "pue",
        "power_factor",
        "ups_module_mw",
        "generator_mw",
        "transformer_mva",
        "distribution_transformer_mva",
    )
    calculation.takes_choices(counted, "power_redundancy")
    calculation.takes("it_mw", float(site["it_mw"]), "MW")
    gives = calculation.gives
    facility = float(site["it_mw"]) * f["pue"]
    gives("power.facility_mw", facility, "MW", "IT power times PUE")
    gives("power.overhead_mw", facility - float(site["it_mw"]), "MW", "cooling and losses")
    gives("power.utility_mva", facility / f["power_factor"], "MVA", "facility power over power factor")
    short = list(_short(under, counted))
    gives(
        "power.equipment_short",
        len(short),
        "count",
        "; ".join(short) or "UPS, generators and transformers of every hall carry it, their redundancy lost",
    )
    return calculation


def _short(under: Under, counted: Counted) -> Iterator[str]:
    """Yield the equipment of each hall that is too small without its redundant part."""
    f, redundancy = counted.figures, str(counted.choices["power_redundancy"])
    for hall in (u for u in under.plan.units if u.kind == "hall"):
        v = under.values(hall.id)
        mva = float(v["hall_mw"]) / f["power_factor"]
        # plans of before ratings followed the load have none of their own: the figure held for every hall
        for what, name, each, load in (
            ("UPS modules", "ups_modules_in_hall", f["ups_module_mw"], v.get("ups_load_mw_in_hall", v["hall_it_mw"])),
            ("generators", "generators_in_hall", v.get("generator_mw_in_hall", f["generator_mw"]), v["hall_mw"]),
            ("transformers", "transformers_in_hall", v.get("transformer_mva_in_hall", f["transformer_mva"]), mva),
            (
                "distribution transformers",
                "distribution_transformers_in_hall",
                v.get("distribution_transformer_mva_in_hall", f["distribution_transformer_mva"]),
                mva,
            ),
        ):
            count = int(v[name])
            left = {"N": count, "N+1": count - 1, "2N": count // 2}[redundancy]
            # none at all is a choice: power at the hall, a substation of the utility, no diesel sets, no UPS
            if count and left * float(each) < float(load) - 1e-9:
                yield f"{hall.id}: {left} {what} of {float(each):g} for {float(load):.3f}"


def rack_circuits(under: Under, activity: PlanActivity, facts: Facts, counted: Counted) -> Calculation:  # noqa: ARG001
    """Step 085: what the facility's rack feeds carry if one is lost, compared with a full rack."""
    f = counted.figures
    calculation = _begun(counted, "node_kw", "nodes_per_rack", "psus_per_node", "rack_feeds", "continuous_load")
    gives, rack_kw = calculation.gives, counted.power.rack_kw
    gives("rack.kw", rack_kw, "kW", "servers and switches of the fullest rack at full load")
    volts, amps = number(facts, "feed.voltage"), number(facts, "feed.breaker")
    feeds, phases = number(facts, "feed.count"), number(facts, "feed.phases")
    if volts is None or amps is None or feeds is None or phases is None:
        return calculation
    three_phase = phases == 3
    one = feed_kw(volts, amps, f["continuous_load"]) / (1 if three_phase else sqrt(3))
    gives(
        "rack.feed_kw", one, "kW", ("sqrt(3) x " if three_phase else "") + "V x A x the share a continuous load may use"
    )
    uneven = feed_imbalance(f, feeds) if three_phase and feeds else 0.0
    gives("rack.phase_imbalance", uneven, "ratio", "the fullest phase of a feed over the mean, supplies in turn")
    gives(
        "rack.kw_one_feed_lost",
        carried_kw(max(0.0, feeds - 1), one, uneven),
        "kW",
        "what the feeds that are left carry, when the fullest phase is at its limit",
    )
    gives(
        "rack.feeds_short",
        max(0.0, f["rack_feeds"] - feeds),
        "count",
        "feeds of the design that the facility does not have",
    )
    gives(
        "rack.servers_on_a_feed",
        int(carried_kw(1, one, uneven) // counted.power.node_kw),
        "count",
        "servers that one feed carries",
    )
    as_designed = "as designed; the facility's is a fact"
    gives("feed.voltage_in_design", f["rack_feed_v"], "V", as_designed)
    gives("feed.breaker_in_design", f["rack_breaker_a"], "A", as_designed)
    return calculation


def supplies(under: Under, activity: PlanActivity, facts: Facts, counted: Counted) -> Calculation:  # noqa: ARG001
    """Step 021: supplies, plugs and outlets compared, and what one path carries if the other is lost."""
    f, power = counted.figures, counted.power
    calculation = _begun(counted, "node_kw", "psus_per_node", "psu_kw", "rack_feeds")
    calculation.takes("supply.full_rating_from_v", SUPPLY_V[0], "V", "maker: 200 to 240 V")
    calculation.takes("supply.full_rating_to_v", SUPPLY_V[1], "V", "maker: 200 to 240 V")
    feeds = number(facts, "feed.count")
    if feeds is not None:
        lost = ceil(f["psus_per_node"] / feeds) if feeds else f["psus_per_node"]
        left = f["psus_per_node"] - lost
        calculation.gives("psu.left_on_one_path_lost", left, "count", "supplies on the other feeds")
        calculation.gives("psu.redundant_kw", left * f["psu_kw"], "kW", "their rating")
        if (mismatches := _mismatches(facts, power.node_kw / max(1, left))) is not None:
            calculation.gives(
                "plug.mismatches",
                len(mismatches),
                "count",
                "; ".join(mismatches) or "plug, voltage, current and phase fit",
            )
    return calculation


def _mismatches(facts: Facts, kw_each: float) -> list[str] | None:
    """Return what does not fit between server and rack PDU; None while a fact is missing."""
    inlet, outlet = facts.get("server.inlet"), facts.get("pdu.outlet")
    at_outlet, phases = number(facts, "pdu.outlet_voltage"), number(facts, "pdu.phases")
    feed, feed_phases = number(facts, "feed.voltage"), number(facts, "feed.phases")
    if inlet is None or outlet is None or None in (at_outlet, phases, feed, feed_phases):
        return None
    assert at_outlet is not None
    assert feed is not None
    found = []
    if str(outlet) not in FITS.get(str(inlet), ()):
        found.append(f"an inlet {inlet} has no cord to an outlet {outlet}")
    if not SUPPLY_V[0] <= at_outlet <= SUPPLY_V[1]:
        found.append(f"{at_outlet:g} V at the outlet, the supplies take {SUPPLY_V[0]:g} to {SUPPLY_V[1]:g}")
    amps = kw_each * 1000 / at_outlet if at_outlet else float("inf")
    if amps > OUTLET_A.get(str(outlet), 0):
        found.append(
            f"a supply draws {amps:.1f} A with one path lost, an outlet {outlet} is for {OUTLET_A.get(str(outlet), 0)} A"
        )
    if phases != feed_phases:
        found.append(f"the PDU is for {phases:g} phases, the feed has {feed_phases:g}")
    possible = (feed, feed / sqrt(3))
    if not any(abs(at_outlet - volts) <= 0.05 * volts for volts in possible):
        found.append(f"{at_outlet:g} V at the outlet is neither {feed:g} V nor {feed / sqrt(3):.0f} V of the feed")
    return found


def _begun(counted: Counted, *figures: str) -> Calculation:
    calculation = Calculation()
    calculation.takes_figures(counted, *figures)
    calculation.findings += findings(counted.figures, counted.choices, counted.power)
    return calculation
