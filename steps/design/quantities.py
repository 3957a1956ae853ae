"""From figures to counts: what a site, a hall and a pod hold.

Every function takes figures by name and returns counts; nothing is rounded down, and redundancy is one
unit more (N+1) unless a figure says otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil

from steps.design.fabric import Fabric

Values = dict[str, float | str | bool]


def site_counts(f: Mapping[str, float], fabric: Fabric) -> Values:
    """Give counts and powers of the whole site."""
    nodes = int(f["nodes"])
    racks = ceil(nodes / f["nodes_per_rack"])
    single = fabric.tiers == 0
    gb_s = f["storage_gb_s_per_node"] * nodes
    storage = 0 if single else max(4, ceil(gb_s / f["storage_gb_s_per_server"]) + 2)
    metadata = 0 if single else max(2, ceil(storage / 16))
    switches = fabric.leaf + fabric.spine + fabric.core
    it_kw = (
        nodes * f["node_kw"]
        + switches * f["switch_kw"]
        + (0 if single else f["management_servers"] * f["management_server_kw"])
        + storage * f["storage_server_kw"]
    )
    counts: Values = {
        "nodes": nodes,
        "gpus": nodes * int(f["gpus_per_node"]),
        "racks": racks,
        "pods": ceil(nodes / f["nodes_per_pod"]),
        "halls": int(f["halls"]),
        "infra_racks": 0 if single else 2 + ceil((fabric.spine + fabric.core) / 16) + ceil(storage / 10),
        "tiers": fabric.tiers,
        "leaf": fabric.leaf,
        "spine": fabric.spine,
        "core": fabric.core,
        "node_leaf_links": fabric.node_leaf_links,
        "leaf_spine_links": fabric.leaf_spine_links,
        "spine_core_links": fabric.spine_core_links,
        "management_switches": 1 if single else 2 + ceil(racks / 2),
        "management_servers": int(f["management_servers"]),
        "storage_servers": storage,
        "metadata_servers": metadata,
        "wan_circuits": int(f["wan_circuits"]),
        "node_kw": f["node_kw"],
        "rack_kw": f["node_kw"] * f["nodes_per_rack"],
        "it_mw": it_kw / 1000,
        "facility_mw": it_kw / 1000 * f["pue"],
        "pue": f["pue"],
        "storage_pb": f["storage_pb_per_node"] * nodes,
        "storage_gb_s": gb_s,
        "checkpoint_tb": f["checkpoint_tb"],
        "link_gb_s": f["link_gb_s"],
        "rack_breaker_a": f["rack_breaker_a"],
        "rack_feed_v": f["rack_feed_v"],
        "primary_kv": f["primary_kv"],
    }
    counts |= {name: int(f[name]) for name in _AS_GIVEN}
    counts |= dict.fromkeys(_UNITS, 1)
    return counts


_UNITS = ("one_kw", "one_mw", "one_m", "one_m2", "one_pb", "one_gb_s")
_AS_GIVEN = (
    "gpus_per_node",
    "rails",
    "nics_per_node",
    "psus_per_node",
    "nvme_per_node",
    "dimms_per_node",
    "cpus_per_node",
    "fans_per_node",
    "nodes_per_rack",
)


def hall_counts(f: Mapping[str, float], site: Values, *, pods: int, nodes: int, infra_racks: int) -> Values:
    """Give what one hall holds; its share of power follows its share of the servers."""
    share = nodes / float(site["nodes"])
    mw, it_mw = float(site["facility_mw"]) * share, float(site["it_mw"]) * share
    racks = ceil(nodes / f["nodes_per_rack"]) + infra_racks
    heat_kw = it_mw * 1000
    chillers = ceil(heat_kw / f["chiller_kw"]) + 1
    power_factor_margin = 1.25 / 0.9
    transformers = ceil(mw * power_factor_margin / f["transformer_mva"]) + 1
    generators = ceil(mw / f["generator_mw"]) + 1
    return {
        "hall_mw": mw,
        "hall_it_mw": it_mw,
        "pods_in_hall": pods,
        "nodes_in_hall": nodes,
        "racks_in_hall": racks,
        "hall_feeds": 2,
        "transformers_in_hall": transformers,
        "distribution_transformers_in_hall": ceil(mw * power_factor_margin / f["distribution_transformer_mva"]) + 1,
        "ups_modules_in_hall": ceil(it_mw / f["ups_module_mw"]) + 1,
        "generators_in_hall": generators,
        "transfer_switches_in_hall": generators,
        "busway_m_in_hall": ceil(racks * f["rack_pitch_m"] * 2),
        "rpps_in_hall": 2 * ceil(racks / f["racks_per_rpp"]),
        "crahs_in_hall": ceil(heat_kw / f["crah_kw"]) + 1,
        "chillers_in_hall": chillers,
        "towers_in_hall": chillers,
        "pumps_in_hall": chillers + 1,
        "floor_m2_in_hall": racks * f["floor_m2_per_rack"],
    }


def pod_counts(f: Mapping[str, float], site: Values, fabric: Fabric, *, nodes: int) -> Values:
    """Give what one pod holds; the last pod may be partial."""
    racks = ceil(nodes / f["nodes_per_rack"])
    liquid_kw = nodes * f["node_kw"] * f["liquid_share"]
    leaf = 0 if fabric.tiers == 0 else fabric.leaf_per_pod
    used_u = nodes * f["node_u"]
    return {
        "nodes_in_pod": nodes,
        "gpus_in_pod": nodes * int(site["gpus_per_node"]),
        "racks_in_pod": racks,
        "leaf_in_pod": leaf,
        "leaf_spine_links_in_pod": leaf * int(f["radix"]) // 2,
        "pdus_in_pod": 2 * racks,
        "rpps_in_pod": 2 * ceil(racks / f["racks_per_rpp"]),
        "in_row_coolers_in_pod": ceil(racks / 2),
        "sensors_in_pod": int(racks * f["sensors_per_rack"]),
        "cdus_in_pod": ceil(liquid_kw / f["cdu_kw"]) + 1,
        "blanking_panels_in_pod": int(racks * f["rack_u"] - used_u),
    }
