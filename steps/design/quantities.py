"""Counts from figures: the equipment of a site, a hall and a pod.

Every function takes figures by name and returns counts. No count is rounded down.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, log2
from typing import TYPE_CHECKING

from steps.design.cooling import liquid_share, loops_of, units
from steps.design.fabric import Fabric
from steps.design.figures import Chosen, Figures
from steps.design.power import Power
from steps.design.power_topology import hall_power
from steps.design.reliability import spares
from steps.design.service_networks import INFRASTRUCTURE_FEEDS, Services, pod_switches
from steps.design.staging import bench_servers, staging_benches
from steps.design.storage import Storage

if TYPE_CHECKING:
    from steps.design.cable_lists import CableLists

Values = dict[str, float | str | bool]


def rack_count(f: Figures, pods: Sequence[int]) -> int:
    """Return the compute racks of pods by their servers; no rack has servers of two pods."""
    return sum(ceil(nodes / f["nodes_per_rack"]) for nodes in pods)


def site_counts(
    f: Figures,
    choices: Chosen,
    fabric: Fabric,
    power: Power,
    storage: Storage,
    services: Services,
    checkpoint_tb: float,
    cables: CableLists | None,
) -> Values:
    """Return counts and powers of the whole site."""
    nodes = int(f["nodes"])
    racks = rack_count(f, fabric.pods)
    counts: Values = {
        "nodes": nodes,
        "gpus": nodes * int(f["gpus_per_node"]),
        "racks": racks,
        "sensors": int((racks + services.infrastructure_racks) * f["sensors_per_rack"]),
        "pods": len(fabric.pods),
        "halls": int(f["halls"]),
        "infra_racks": services.infrastructure_racks,
        "infra_pdus": services.infrastructure_racks * INFRASTRUCTURE_FEEDS,
        "tiers": fabric.tiers,
        "leaf": fabric.leaf,
        "spine": fabric.spine,
        "core": fabric.core,
        "node_leaf_links": fabric.node_leaf_links,
        "leaf_spine_links": fabric.leaf_spine_links,
        "spine_core_links": fabric.spine_core_links,
        "storage_leaf": sum(services.storage.pod_leaves),
        "storage_spine": services.storage.site_switches,
        "in_band_switches": services.in_band.switches,
        "out_of_band_switches": services.out_of_band.switches,
        "management_switches": services.management_switches,
        "management_servers": int(f["management_servers"]),
        "fabric_managers": services.fabric_managers,
        "border_routers": services.border_routers,
        "storage_servers": storage.servers,
        "metadata_servers": storage.metadata_servers,
        "bench_servers": bench_servers(f),
        "staging_benches": staging_benches(f, choices),
        "wan_circuits": int(f["wan_circuits"]),
        "node_kw": power.node_kw,
        "rack_kw": power.rack_kw,
        "it_mw": power.it_mw,
        "facility_mw": power.facility_mw,
        "load_swing_mw": power.compute_mw * f["swing_share"],
        "swing_limit_mw": f["swing_limit_mw"],
        "pue": f["pue"],
        "storage_pb": storage.needed_pb,
        "storage_gb_s": storage.needed_read_gb_s,
        "storage_write_gb_s": max(storage.needed_write_gb_s, storage.needed_read_gb_s * f["storage_write_share"]),
        "checkpoint_tb": checkpoint_tb,
        "link_gb_s": f["link_gb_s"],
        "rdma_write_share": f["rdma_write_share"],
        "rdma_latency_us": f["rdma_latency_us"],
        "allreduce_gb_s": f["allreduce_gb_s"],
        "gpu_tflops": f["gpu_tflops"],
        "gpu_w": f["gpu_w"],
        "nvlink_gb_s": f["nvlink_gb_s"],
        "pcie_gt_s": f["pcie_gt_s"],
        "rack_breaker_a": f["rack_breaker_a"],
        "rack_feed_v": f["rack_feed_v"],
        "primary_kv": f["primary_kv"],
        "pdus": racks * int(f["rack_feeds"]),
        "cable_spares": f["cable_spares"],
        "rollout_rings": ceil(log2(nodes)),
        "switch_spares": f["switch_spares"],
    }
    counts |= _cable_counts(cables)
    counts |= spare_parts(f, drives=storage.drives)
    counts |= {name: int(f[name]) for name in _AS_GIVEN}
    counts |= dict.fromkeys(_UNITS, 1)
    return counts


def _cable_counts(lists: CableLists | None) -> Values:
    """Return the cables and transceivers of all networks, as the cable schedule has them, without spares."""
    if lists is None:
        return dict.fromkeys(_CABLES, 0)
    counts = [lists.bought(purchase) for purchase in ("server", "trunk", "storage", "management")]
    counts += [lists.transceivers(end) for end in ("server", "switch")]
    return dict(zip(_CABLES, counts, strict=True))


def spare_parts(f: Figures, *, drives: float) -> Values:
    """Return the parts on the shelf: what fails until resupply, and at least the share that is always kept."""

    def kept(installed: float, failures_year: str, least: float) -> int:
        return max(ceil(installed * least - 1e-9), spares(installed, f[failures_year], f["resupply_weeks"]))

    nodes = f["nodes"]
    return {
        "spare_gpus": kept(nodes * f["gpus_per_node"], "gpu_failures_year", LEAST_SPARES),
        "spare_supplies": kept(nodes * f["psus_per_node"], "psu_failures_year", 0),
        "spare_drives": kept(nodes * f["nvme_per_node"], "drive_failures_year", f["drive_spares"]),
        "spare_storage_drives": kept(drives, "drive_failures_year", f["drive_spares"]),
        "spare_nics": ceil(nodes * f["nics_per_node"] * NIC_SPARES - 1e-9),
        "spare_modules": ceil(nodes * f["dimms_per_node"] * LEAST_SPARES - 1e-9),
    }


LEAST_SPARES = 0.01
"""Least spare GPUs and memory modules over those installed (judgement: 0.5 to 2 in a hundred)."""

NIC_SPARES = 0.02
"""Spare network cards over cards (judgement: 1 to 3 in a hundred)."""

_CABLES = (
    "server_cables",
    "trunk_cables",
    "storage_cables",
    "management_cables",
    "server_transceivers",
    "switch_transceivers",
)
_UNITS = ("one_kw", "one_mw", "one_m", "one_m2", "one_pb", "one_gb_s")
_AS_GIVEN = (
    "gpus_per_node",
    "domain_gpus",
    "rails",
    "nics_per_node",
    "psus_per_node",
    "nvme_per_node",
    "dimms_per_node",
    "cpus_per_node",
    "fans_per_node",
    "nodes_per_rack",
    "rack_feeds",
    "test_benches",
    "goods_lifts",
)


def hall_counts(
    f: Figures,
    choices: Chosen,
    site: Values,
    *,
    pods: int,
    nodes: int,
    racks: int,
    infra_racks: int,
) -> Values:
    """Return the counts of one hall; its share of the power is its share of the servers."""
    share = nodes / float(site["nodes"])
    mw, it_mw = float(site["facility_mw"]) * share, float(site["it_mw"]) * share
    racks += infra_racks
    equipment = hall_power(f, choices, mw=mw, it_mw=it_mw, servers_mw=nodes * f["node_kw"] / 1000)
    return {
        "hall_mw": mw,
        "hall_it_mw": it_mw,
        "pods_in_hall": pods,
        "nodes_in_hall": nodes,
        "racks_in_hall": racks,
        "hall_feeds": 2,
        **equipment._asdict(),
        "busway_m_in_hall": ceil(racks * f["rack_pitch_m"] * f["rack_feeds"]),
        "rpps_in_hall": 2 * ceil(racks / f["racks_per_rpp"]),
        "sensors_in_hall": int(racks * f["sensors_per_rack"]),
        "floor_m2_in_hall": racks * f["floor_m2_per_rack"],
    } | _hall_cooling(f, choices, nodes=nodes, heat_kw=it_mw * 1000)


def _hall_cooling(f: Figures, choices: Chosen, *, nodes: int, heat_kw: float) -> Values:
    """Return the cooling units of a hall, each kind for the heat of its own loop."""
    spare = int(f["spare_units"])
    loops = loops_of(f, choices, servers=nodes, heat_kw=heat_kw)
    chillers = units(loops.chilled_kw, f["chiller_kw"], spare)
    warm_pumps = units(loops.warm_kw, f["chiller_kw"], spare)
    return {
        "hall_chilled_mw": loops.chilled_kw / 1000,
        "hall_warm_mw": loops.warm_kw / 1000,
        "crahs_in_hall": units(loops.room_kw, f["crah_kw"], spare),
        "in_row_coolers_in_hall": units(loops.in_row_kw, f["in_row_kw"], spare),
        "chillers_in_hall": chillers,
        "towers_in_hall": chillers,
        "dry_coolers_in_hall": units(loops.warm_kw, f["dry_cooler_kw"], spare),
        "pumps_in_hall": (chillers + spare if chillers else 0) + warm_pumps,
    }


def pod_counts(
    f: Figures,
    choices: Chosen,
    site: Values,
    fabric: Fabric,
    services: Services,
    *,
    pod: int,
) -> Values:
    """Return the counts of one pod (from 0); the last pod may be smaller."""
    nodes, leaf = fabric.pods[pod], fabric.leaves[pod]
    racks = ceil(nodes / f["nodes_per_rack"])
    liquid_kw = nodes * f["node_kw"] * liquid_share(f, choices)
    crates = racks * f["rack_crate_m2"] if choices["server_form"] == "rack" else nodes * f["crate_m2"]
    beside = (services.storage, services.in_band, services.out_of_band)
    room = racks * int(f["pod_switches_per_rack"])
    in_racks = min(room, pod_switches(fabric, beside, pod))
    upward = round(fabric.leaf_spine_links * leaf / fabric.leaf) if fabric.leaf else 0
    return {
        "nodes_in_pod": nodes,
        "gpus_in_pod": nodes * int(site["gpus_per_node"]),
        "racks_in_pod": racks,
        "crates_m2_in_pod": crates * (f["laydown_m2"] > 0),
        "leaf_in_pod": leaf,
        "leaf_spine_links_in_pod": upward,
        "storage_leaf_in_pod": services.storage.pod_leaves[pod],
        "management_switches_in_pod": services.in_band.pod_leaves[pod] + services.out_of_band.pod_leaves[pod],
        "service_uplinks_in_pod": services.pod_uplinks(pod),
        "service_cables_in_pod": sum(network.pod_cables[pod] for network in beside if network.switches),
        "pdus_in_pod": int(f["rack_feeds"]) * racks,
        "rpps_in_pod": 2 * ceil(racks / f["racks_per_rpp"]),
        "sensors_in_pod": int(racks * f["sensors_per_rack"]),
        "cdus_in_pod": units(liquid_kw, f["cdu_kw"], int(f["spare_units"])),
        "blanking_panels_in_pod": max(0, int(racks * f["rack_u"] - nodes * f["node_u"] - in_racks)),
    }
