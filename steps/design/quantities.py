"""Counts from figures: the equipment of a site, a hall and a pod.

Every function takes figures by name and returns counts. No count is rounded down.
"""

from __future__ import annotations

from math import ceil, log2

from steps.design.cooling import liquid_share, units
from steps.design.fabric import Fabric
from steps.design.figures import Chosen, Figures
from steps.design.power import Power
from steps.design.power_topology import hall_power
from steps.design.staging import bench_servers
from steps.design.storage import Storage

Values = dict[str, float | str | bool]


def rack_count(f: Figures) -> int:
    """Return the compute racks of a site; pods share a rack if they do not fill whole ones."""
    return ceil(f["nodes"] / f["nodes_per_rack"])


def infrastructure_racks(f: Figures, fabric: Fabric, storage: Storage) -> int:
    """Return the racks of spine and core switches, storage and management; a single machine has none."""
    if fabric.tiers == 0 and not storage.servers:
        return 0
    switch_racks = ceil((fabric.spine + fabric.core) / f["switches_per_rack"])
    return 2 + switch_racks + ceil(storage.servers / 10)


def management_switches(f: Figures, fabric: Fabric) -> int:
    """Return the switches of the out-of-band network: one for each pair of racks, and two that join them."""
    if fabric.tiers == 0 and f["nodes"] == 1:
        return 1
    return 2 + ceil(rack_count(f) / 2)


def site_counts(
    f: Figures,
    fabric: Fabric,
    power: Power,
    storage: Storage,
    checkpoint_tb: float,
) -> Values:
    """Return counts and powers of the whole site."""
    nodes = int(f["nodes"])
    counts: Values = {
        "nodes": nodes,
        "gpus": nodes * int(f["gpus_per_node"]),
        "racks": rack_count(f),
        "sensors": int(rack_count(f) * f["sensors_per_rack"]),
        "pods": len(fabric.pods),
        "halls": int(f["halls"]),
        "infra_racks": infrastructure_racks(f, fabric, storage),
        "tiers": fabric.tiers,
        "leaf": fabric.leaf,
        "spine": fabric.spine,
        "core": fabric.core,
        "node_leaf_links": fabric.node_leaf_links,
        "leaf_spine_links": fabric.leaf_spine_links,
        "spine_core_links": fabric.spine_core_links,
        "management_switches": management_switches(f, fabric),
        "management_servers": int(f["management_servers"]),
        "storage_servers": storage.servers,
        "metadata_servers": storage.metadata_servers,
        "bench_servers": bench_servers(f),
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
        "nvlink_gb_s": f["nvlink_gb_s"],
        "pcie_gt_s": f["pcie_gt_s"],
        "rack_breaker_a": f["rack_breaker_a"],
        "rack_feed_v": f["rack_feed_v"],
        "primary_kv": f["primary_kv"],
        "pdus": sum(ceil(pod / f["nodes_per_rack"]) for pod in fabric.pods) * int(f["rack_feeds"]),
        "cable_spares": f["cable_spares"],
        "rollout_rings": ceil(log2(nodes)),
    }
    counts |= {name: int(f[name]) for name in _AS_GIVEN}
    counts |= dict.fromkeys(_UNITS, 1)
    return counts


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
)


def hall_counts(
    f: Figures,
    choices: Chosen,
    site: Values,
    *,
    pods: int,
    nodes: int,
    infra_racks: int,
) -> Values:
    """Return the counts of one hall; its share of the power is its share of the servers."""
    share = nodes / float(site["nodes"])
    mw, it_mw = float(site["facility_mw"]) * share, float(site["it_mw"]) * share
    racks = ceil(nodes / f["nodes_per_rack"]) + infra_racks
    heat_kw, spare = it_mw * 1000, int(f["spare_units"])
    air_kw = heat_kw - nodes * f["node_kw"] * liquid_share(f, choices)
    chillers = units(heat_kw, f["chiller_kw"], spare)
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
        "crahs_in_hall": units(air_kw, f["crah_kw"], spare),
        "chillers_in_hall": chillers,
        "towers_in_hall": chillers,
        "pumps_in_hall": chillers + spare,
        "floor_m2_in_hall": racks * f["floor_m2_per_rack"],
    }


def pod_counts(
    f: Figures,
    choices: Chosen,
    site: Values,
    fabric: Fabric,
    *,
    pod: int,
) -> Values:
    """Return the counts of one pod (from 0); the last pod may be smaller."""
    nodes, leaf = fabric.pods[pod], fabric.leaves[pod]
    racks = ceil(nodes / f["nodes_per_rack"])
    liquid_kw = nodes * f["node_kw"] * liquid_share(f, choices)
    upward = round(fabric.leaf_spine_links * leaf / fabric.leaf) if fabric.leaf else 0
    return {
        "nodes_in_pod": nodes,
        "gpus_in_pod": nodes * int(site["gpus_per_node"]),
        "racks_in_pod": racks,
        "leaf_in_pod": leaf,
        "leaf_spine_links_in_pod": upward,
        "pdus_in_pod": int(f["rack_feeds"]) * racks,
        "rpps_in_pod": 2 * ceil(racks / f["racks_per_rpp"]),
        "in_row_coolers_in_pod": ceil(racks / 2),
        "sensors_in_pod": int(racks * f["sensors_per_rack"]),
        "cdus_in_pod": units(liquid_kw, f["cdu_kw"], int(f["spare_units"])),
        "blanking_panels_in_pod": max(0, int(racks * f["rack_u"] - nodes * f["node_u"])),
    }
