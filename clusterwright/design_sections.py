"""A dossier as sections of labelled values: one list for the terminal, the page and the comparison."""

from collections.abc import Iterator
from typing import NamedTuple

from clusterwright.output import money, number
from steps.design.dossier import Dossier


class Row(NamedTuple):
    """A label, its value as text, and a word on what it means."""

    label: str
    value: str
    note: str = ""


class Section(NamedTuple):
    """A titled table."""

    title: str
    rows: tuple[Row, ...]


def percent(share: float) -> str:
    """Return a share as a percentage."""
    return f"{share:.1%}"


def sections_of(dossier: Dossier) -> tuple[Section, ...]:
    """Return every section that applies, in the order an engineer reads them."""
    made = (
        ("Scale", _scale(dossier)),
        ("Fabric", _fabric(dossier)),
        ("Addresses", _addresses(dossier)),
        ("Power", _power(dossier)),
        ("Cooling", _cooling(dossier)),
        ("Storage", _storage(dossier)),
        ("Reliability", _reliability(dossier)),
        ("Checkpoints", _checkpoints(dossier)),
        ("Training", _training(dossier)),
        ("Economics", _economics(dossier)),
    )
    return tuple(Section(title, rows) for title, lines in made if (rows := tuple(lines)))


def _scale(dossier: Dossier) -> Iterator[Row]:
    v, f, load = dossier.design.site.values, dossier.design.figures, dossier.load
    gpus_each = number(f["gpus_per_node"], "GPUs each")
    yield Row("servers", number(float(v["nodes"])), gpus_each)
    yield Row("GPUs", number(float(v["gpus"])))
    yield Row(
        "racks",
        number(float(v["racks"])),
        f"{f['nodes_per_rack']:g} servers each, and {v['infra_racks']} of network and storage",
    )
    yield Row(
        "pods",
        number(float(v["pods"])),
        f"{number(float(dossier.design.counted.fabric.pods[0]))} servers, in {v['halls']} halls",
    )
    square_feet = load.floor_m2 * 10.764
    yield Row("white space", number(load.floor_m2, "m2", 0), number(square_feet, "sq ft", 0))
    yield Row(
        "full rack",
        number(load.rack_kg, "kg", 0),
        f"{number(load.rack_kpa)} kPa on its footprint, all servers and racks {number(load.total_kg / 1000)} t",
    )


def _fabric(dossier: Dossier) -> Iterator[Row]:
    fabric, f, choices = dossier.design.counted.fabric, dossier.design.figures, dossier.design.choices
    if not fabric.tiers:
        return
    rails = "rail-optimised " if choices["rail_optimised"] and choices["topology"] == "fat-tree" else ""
    yield Row(
        "shape",
        f"{fabric.tiers} tier{'s' if fabric.tiers > 1 else ''}",
        f"{rails}{choices['topology']}, {choices['fabric']}, {f['radix']:g}-port switches, {f['link_gb_s']:g} Gb/s",
    )
    yield Row("leaf switches", number(fabric.leaf), f"{fabric.leaf_down} ports down, {fabric.leaf_up} up")
    yield Row("spine switches", number(fabric.spine), f"in groups over {fabric.group_pods} pods" if fabric.core else "")
    yield Row("core switches", number(fabric.core))
    yield Row(
        "cables, server to leaf",
        number(fabric.node_leaf_links),
        f"and {fabric.manager_links} of fabric managers" if fabric.manager_links else "",
    )
    yield Row("cables, leaf to spine", number(fabric.leaf_spine_links))
    yield Row("cables, spine to core", number(fabric.spine_core_links))
    if dossier.cables:
        longest = max(stock for _, stock, _ in dossier.cables.lengths())
        yield Row("longest cable", f"{longest} m", "stock length")


def _addresses(dossier: Dossier) -> Iterator[Row]:
    plan = dossier.addresses
    rails = [n for n in plan.networks if n.name.startswith("rail-")]
    for network in plan.networks:
        if network not in rails[1:-1]:
            yield Row(network.name, str(network.subnet), f"VLAN {network.vlan}" if network.vlan else "")
    for tier, (first, last) in plan.asns.items():
        yield Row(f"AS numbers, {tier}", f"{first}" if first == last else f"{first} to {last}")
    if plan.lids:
        yield Row("LIDs", number(plan.lids), "ports of servers, managers and one a switch")


def _power(dossier: Dossier) -> Iterator[Row]:
    p, f = dossier.design.counted.power, dossier.design.figures
    yield Row("server", number(p.node_kw, "kW"), f"{p.psus_needed} of {f['psus_per_node']:g} supplies carry it")
    yield Row(
        "full rack",
        number(p.rack_kw, "kW"),
        f"{number(p.feeds_kw_one_lost)} kW with one of {f['rack_feeds']:g} feeds lost ({f['rack_feed_v']:g} V, {f['rack_breaker_a']:g} A)",
    )
    yield Row("GPUs", number(p.gpu_mw, "MW"))
    yield Row("servers", number(p.compute_mw, "MW"))
    yield Row("fabric", number(p.fabric_mw, "MW"))
    yield Row("storage and management", number(p.storage_mw + p.management_mw, "MW"))
    yield Row("IT", number(p.it_mw, "MW"))
    yield Row(
        "facility", number(p.facility_mw, "MW"), f"PUE {f['pue']:g}; {number(p.utility_mva)} MVA from the utility"
    )
    yield Row("UPS", number(p.ups_mwh, "MWh"), f"{f['ups_minutes']:g} minutes")
    yield Row("diesel", number(p.fuel_litres, "l", 0), f"{f['generator_hours']:g} hours")
    yield Row(
        "energy",
        number(p.annual_mwh / 1000, "GWh a year"),
        f"{money(p.annual_cost)} at ${f['electricity_usd_kwh']:g} a kWh",
    )


def _cooling(dossier: Dossier) -> Iterator[Row]:
    c, f = dossier.cooling, dossier.design.figures
    yield Row("heat", number(c.heat_kw, "kW"), number(c.tons, "tons", 0))
    if c.liquid_kw:
        yield Row(
            "carried by liquid",
            number(c.liquid_kw, "kW"),
            f"{number(c.rack_liquid_l_min, places=0)} l/min a rack, {f['liquid_supply_c']:g} to {c.return_liquid_c:g} degrees C",
        )
    yield Row(
        "carried by air",
        number(c.air_kw, "kW"),
        f"{number(c.rack_air_kw)} kW and {number(c.rack_cfm, places=0)} cfm a rack, {f['air_supply_c']:g} to {c.return_air_c:g} degrees C",
    )
    yield Row(
        "cooling and losses",
        number(c.mechanical_mw, "MW"),
        f"a tenth of PUE is worth {money(c.usd_per_tenth_of_pue)} a year",
    )


def _storage(dossier: Dossier) -> Iterator[Row]:
    s = dossier.design.counted.storage
    yield Row("local drives", number(s.local_pb, "PB"))
    if not s.servers:
        return
    yield Row(
        "usable",
        number(s.capacity_pb, "PB"),
        f"{number(s.needed_pb)} PB needed: data {number(s.data_pb)}, checkpoints {number(s.checkpoints_pb)}, work {number(s.work_pb)}",
    )
    yield Row("read", number(s.read_gb_s, "GB/s"), number(s.needed_read_gb_s, "needed"))
    yield Row("write", number(s.write_gb_s, "GB/s"), number(s.needed_write_gb_s, "needed for a checkpoint"))
    yield Row(
        "servers",
        number(s.servers),
        f"two to spare, {number(s.drives)} drives, {s.metadata_servers} metadata servers; decided by {s.decided_by}",
    )


def _reliability(dossier: Dossier) -> Iterator[Row]:
    r = dossier.reliability
    if r is None:
        return
    yield Row("interruptions a day", number(r.interruptions_per_day), "of one job on every GPU")
    is_short = r.mtbf_h < 1000
    between = number(r.mtbf_h, "h") if is_short else number(r.mtbf_h / 24, "days", 0)
    yield Row("mean time between them", between, f"{percent(r.day_failure_probability)} chance of at least one in 24 h")
    yield Row("servers away", number(r.servers_away), f"{r.hot_spares} hot spares ({percent(r.hot_spare_share)})")
    yield Row(
        "spares on the shelf",
        number(sum(r.spares.values())),
        ", ".join(f"{count} {part}" for part, count in r.spares.items()),
    )


def _checkpoints(dossier: Dossier) -> Iterator[Row]:
    c, f = dossier.checkpoints, dossier.design.figures
    if c is None:
        return
    yield Row(
        "size",
        number(c.size_tb, "TB"),
        f"{f['model_params_b']:g} billion parameters, {c.bytes_per_param:g} bytes each",
    )
    yield Row(
        "best interval",
        number(c.interval_min, "min"),
        f"Young, pause {number(c.pause_s, places=0)} s; Daly {number(c.daly_min)} min",
    )
    yield Row(
        "time lost",
        percent(1 - c.effective_share),
        f"writing {percent(c.write_overhead)}, lost work and restarts {percent(c.lost_share)}",
    )
    yield Row("lost a day", number(c.lost_gpu_hours_day, "GPU-hours", 0), money(dossier.economics.lost_work_day))
    yield Row("written a day", number(c.written_tb_day, "TB"))
    for tier in c.tiers:
        yield Row(f"on {tier.name}", number(tier.interval_min, "min"), f"survives {tier.survives}")
    for way in dossier.recovery:
        kept = f"{percent(way.held_share)} of the GPUs kept back, {percent(way.lost_share)} of the time lost"
        yield Row(way.name, percent(way.effective_share), f"left for training: {kept}")


def _training(dossier: Dossier) -> Iterator[Row]:
    t, f = dossier.training, dossier.design.figures
    if t is None:
        return
    yield Row("peak", number(t.peak_eflops, "EFLOPS"), "dense BF16")
    yield Row(
        "reference run",
        number(t.days, "days"),
        f"{f['model_params_b']:g} billion parameters, {t.tokens_t:.3g} trillion tokens, MFU {f['mfu']:g}",
    )
    yield Row("with interruptions", number(t.days_with_interruptions, "days"))
    yield Row("tokens a second", number(t.tokens_per_second, places=0))
    yield Row("GPU memory", number(t.memory_tb, "TB"))


def _economics(dossier: Dossier) -> Iterator[Row]:
    e = dossier.economics
    yield Row(
        "to build",
        money(e.capex),
        ", ".join(f"{name} {money(usd)}" for name, usd in e.capex_by_category.items() if usd),
    )
    yield Row("cost contingency", money(e.cost_contingency), "money for what the estimate leaves out; it is no time")
    if not (e.capex_by_category["import duty"] or e.capex_by_category["sales tax"]):
        yield Row("duty and tax", "none", "exempt or reclaimed; import_duty_share and sales_tax_share say otherwise")
    yield Row("budget", money(e.budget))
    yield Row(
        "to run, a month",
        money(e.opex_month),
        ", ".join(f"{name} {money(usd)}" for name, usd in e.opex_by_category.items() if usd),
    )
    if e.gpu_hour:
        yield Row("a GPU-hour", f"${e.gpu_hour:.2f}", "depreciation and running, every hour counted")
        if dossier.training:
            yield Row("the reference run", money(e.run_cost), f"{money(e.run_rented)} rented")
        after = number(e.break_even_months, "months", 0) if e.break_even_months else "never"
        yield Row("owning beats renting after", after, f"rent {money(e.rent_month)} a month")
        yield Row("idle capacity, a day", money(e.idle_day))
    yield Row(
        "a day of delay",
        money(e.slip_day),
        f"capital and standing costs; {money(e.slip_day_rented)} to rent the same hours",
    )
