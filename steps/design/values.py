"""The design values that a formula may read: name, unit, level and meaning.

The level says where a value makes sense: a `site` value may be read anywhere, a `hall` value by
steps of a hall or pod, a `pod` value by steps of a pod only. Units are pint's names.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

Level = Literal["site", "hall", "pod"]


class DesignValue(NamedTuple):
    """One name a formula may read."""

    name: str
    unit: str
    level: Level
    meaning: str


_TABLE: tuple[tuple[str, str, Level, str], ...] = (
    # decisions: text values, unit "choice"
    ("facility", "choice", "site", "existing, shell or greenfield"),
    ("cooling", "choice", "site", "air, liquid or hybrid (liquid to the chip, air for the rest)"),
    ("rear_door", "choice", "site", "true where racks carry rear-door heat exchangers"),
    ("fabric", "choice", "site", "infiniband, roce or none (a single machine)"),
    ("storage_network", "choice", "site", "infiniband, ethernet or none"),
    ("file_system", "choice", "site", "lustre, gpfs, weka, beegfs, local or none"),
    ("home_folders", "choice", "site", "server or file-system"),
    ("gpu_form", "choice", "site", "sxm, pcie or none"),
    ("gpu_vendor", "choice", "site", "nvidia, amd, google or none"),
    ("build", "choice", "site", "oem (complete servers) or white-box (assembled here)"),
    ("server_form", "choice", "site", "node, or rack (a rack-scale system that arrives whole)"),
    ("burn_in", "choice", "site", "bench or in-place"),
    ("scheduler", "choice", "site", "slurm or kubernetes"),
    ("time_source", "choice", "site", "ntp or ptp"),
    ("topology", "choice", "site", "fat-tree or dragonfly"),
    ("rail_optimised", "choice", "site", "true where rail n of every server of a pod ends on one leaf switch"),
    ("power_redundancy", "choice", "site", "N, N+1 or 2N"),
    ("power_delivery", "choice", "site", "high, medium or low: voltage at which power reaches the site"),
    ("substation_owner", "choice", "site", "site or utility"),
    ("utility_service", "choice", "site", "new, upgrade or present"),
    ("energisation", "choice", "site", "whole, or staged (the utility's full capacity follows)"),
    ("generators", "choice", "site", "diesel, gas-turbine or none"),
    ("ride_through", "choice", "site", "ups, batteries or none (for servers)"),
    ("power_equipment", "choice", "site", "made-to-order or stock"),
    ("tiers", "count", "site", "switch tiers of the compute fabric"),
    # counts of the whole site
    ("nodes", "count", "site", "GPU servers"),
    ("rollout_rings", "count", "site", "rings of a roll-out that begins with one server and doubles until it has all"),
    ("gpus", "count", "site", "GPUs"),
    ("gpus_per_node", "count", "site", "GPUs in a server"),
    ("domain_gpus", "count", "site", "GPUs that reach each other without the fabric"),
    ("rails", "count", "site", "compute-fabric ports of a server"),
    ("nics_per_node", "count", "site", "NIC adapters in a server, storage and management included"),
    ("psus_per_node", "count", "site", "power supplies in a server"),
    ("nvme_per_node", "count", "site", "NVMe drives in a server"),
    ("dimms_per_node", "count", "site", "memory modules in a server"),
    ("cpus_per_node", "count", "site", "processors in a server"),
    ("fans_per_node", "count", "site", "fan modules in a server"),
    ("halls", "count", "site", "power and cooling blocks"),
    ("pods", "count", "site", "scalable units"),
    ("racks", "count", "site", "compute racks"),
    ("sensors", "count", "site", "temperature and humidity sensors of all compute racks"),
    ("nodes_per_rack", "count", "site", "servers in a full rack"),
    ("infra_racks", "count", "site", "racks of spine switches, storage and management"),
    ("leaf", "count", "site", "leaf switches"),
    ("spine", "count", "site", "spine switches"),
    ("core", "count", "site", "core switches, 0 with two tiers"),
    ("node_leaf_links", "count", "site", "cables from servers to leaf switches"),
    ("leaf_spine_links", "count", "site", "cables from leaf to spine switches"),
    ("spine_core_links", "count", "site", "cables from spine to core switches"),
    ("management_switches", "count", "site", "switches of the out-of-band network"),
    ("management_servers", "count", "site", "head, login, provisioning and monitoring servers"),
    ("storage_servers", "count", "site", "storage and metadata servers"),
    ("metadata_servers", "count", "site", "metadata servers of the file system"),
    ("wan_circuits", "count", "site", "uplinks to the outside, by separate routes"),
    ("test_benches", "count", "site", "servers that the site's benches test at once: bench places"),
    (
        "bench_servers",
        "count",
        "site",
        "servers that the benches burn in at a time: their places, or what their power carries",
    ),
    ("rack_feeds", "count", "site", "feeds, and rack PDUs, of a rack"),
    ("pdus", "count", "site", "rack PDUs of all pods"),
    ("cable_spares", "ratio", "site", "spare cables over cables"),
    ("crews", "count", "site", "crews this site has of the step's own crew role"),
    # power, heat, storage of the whole site
    ("node_kw", "kW", "site", "power of a server at full load"),
    ("rack_kw", "kW", "site", "power of a full compute rack"),
    ("it_mw", "MW", "site", "IT power: compute, fabric, storage, management"),
    ("facility_mw", "MW", "site", "IT power times PUE"),
    ("load_swing_mw", "MW", "site", "swing of the servers' power under a synchronous training load"),
    ("swing_limit_mw", "MW", "site", "swing that the utility accepts without smoothing"),
    ("pue", "ratio", "site", "facility power over IT power, design value"),
    ("storage_pb", "PB", "site", "usable capacity of shared storage"),
    ("storage_gb_s", "GB/s", "site", "read bandwidth of shared storage"),
    (
        "storage_write_gb_s",
        "GB/s",
        "site",
        "write bandwidth of shared storage: a checkpoint in its time, and the share of reading",
    ),
    ("checkpoint_tb", "TB", "site", "one checkpoint of the reference model"),
    ("link_gb_s", "Gbit/s", "site", "line rate of one compute-fabric port"),
    ("rdma_write_share", "ratio", "site", "share of a port's line rate that an RDMA write must reach"),
    ("rdma_latency_us", "us", "site", "most microseconds of an RDMA write between two ports"),
    ("allreduce_gb_s", "GB/s", "site", "least all-reduce bus bandwidth inside one server; 0 is none known"),
    ("gpu_tflops", "TFLOPS", "site", "dense BF16 peak of a GPU; 0 is none"),
    ("nvlink_gb_s", "GB/s", "site", "GPU-to-GPU bandwidth of a GPU inside its domain, both directions; 0 is none"),
    ("pcie_gt_s", "GT/s", "site", "rate of a PCI Express lane of a GPU"),
    ("rack_breaker_a", "A", "site", "three-phase breaker of one rack feed"),
    ("rack_feed_v", "V", "site", "line-to-line voltage of a rack feed"),
    ("primary_kv", "kV", "site", "medium voltage at the site boundary"),
    # units, so that a formula can turn a quantity into a count
    ("one_kw", "kW", "site", "1 kW"),
    ("one_mw", "MW", "site", "1 MW"),
    ("one_m", "m", "site", "1 m"),
    ("one_m2", "m**2", "site", "1 square metre"),
    ("one_pb", "PB", "site", "1 PB"),
    ("one_gb_s", "GB/s", "site", "1 GB/s"),
    # one hall
    ("hall_mw", "MW", "hall", "facility power of the hall"),
    ("hall_it_mw", "MW", "hall", "IT power of the hall"),
    ("pods_in_hall", "count", "hall", "pods in the hall"),
    ("nodes_in_hall", "count", "hall", "servers in the hall"),
    ("racks_in_hall", "count", "hall", "racks in the hall, infrastructure racks included"),
    ("hall_feeds", "count", "hall", "medium-voltage feeds"),
    ("transformers_in_hall", "count", "hall", "the site's power transformers, redundancy included"),
    ("transformer_mva_in_hall", "MVA", "hall", "rating of each power transformer"),
    ("distribution_transformers_in_hall", "count", "hall", "medium to low voltage transformers"),
    ("distribution_transformer_mva_in_hall", "MVA", "hall", "rating of each medium to low voltage transformer"),
    ("ups_load_mw_in_hall", "MW", "hall", "load behind the UPS"),
    ("ups_modules_in_hall", "count", "hall", "UPS modules, redundancy included"),
    ("generators_in_hall", "count", "hall", "standby diesel generators, redundancy included"),
    ("generator_mw_in_hall", "MW", "hall", "rating of each diesel generator"),
    ("gas_turbines_in_hall", "count", "hall", "gas turbines behind the meter, redundancy included"),
    ("battery_units_in_hall", "count", "hall", "battery containers, redundancy included"),
    ("transfer_switches_in_hall", "count", "hall", "automatic transfer switches"),
    ("busway_m_in_hall", "m", "hall", "busway run"),
    ("rpps_in_hall", "count", "hall", "remote power panels"),
    ("crahs_in_hall", "count", "hall", "room air handlers, redundancy included"),
    ("chillers_in_hall", "count", "hall", "chillers, redundancy included"),
    ("towers_in_hall", "count", "hall", "cooling towers or dry coolers, redundancy included"),
    ("pumps_in_hall", "count", "hall", "chilled-water pumps, redundancy included"),
    ("floor_m2_in_hall", "m**2", "hall", "white space"),
    # one pod
    ("nodes_in_pod", "count", "pod", "servers in the pod"),
    ("gpus_in_pod", "count", "pod", "GPUs in the pod"),
    ("racks_in_pod", "count", "pod", "compute racks in the pod"),
    ("leaf_in_pod", "count", "pod", "leaf switches serving the pod"),
    ("leaf_spine_links_in_pod", "count", "pod", "cables from the pod's leaf switches upward"),
    ("pdus_in_pod", "count", "pod", "rack PDUs in the pod"),
    ("rpps_in_pod", "count", "pod", "remote power panels feeding the pod"),
    ("in_row_coolers_in_pod", "count", "pod", "in-row cooling units"),
    ("sensors_in_pod", "count", "pod", "temperature and humidity sensors"),
    ("cdus_in_pod", "count", "pod", "coolant distribution units, redundancy included"),
    ("blanking_panels_in_pod", "count", "pod", "blanking panels"),
)

DESIGN_VALUES: dict[str, DesignValue] = {row[0]: DesignValue(*row) for row in _TABLE}
"""Every name a formula may read."""
