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
    ("burn_in", "choice", "site", "bench or in-place"),
    ("scheduler", "choice", "site", "slurm or kubernetes"),
    ("time_source", "choice", "site", "ntp or ptp"),
    ("topology", "choice", "site", "fat-tree or dragonfly"),
    ("rail_optimised", "choice", "site", "true where rail n of every server of a pod ends on one leaf switch"),
    ("power_redundancy", "choice", "site", "N, N+1 or 2N"),
    ("tiers", "count", "site", "switch tiers of the compute fabric"),
    # counts of the whole site
    ("nodes", "count", "site", "GPU servers"),
    ("gpus", "count", "site", "GPUs"),
    ("gpus_per_node", "count", "site", "GPUs in a server"),
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
    ("sensors", "count", "site", "temperature and humidity sensors of all racks"),
    ("nodes_per_rack", "count", "site", "servers in a full rack"),
    ("infra_racks", "count", "site", "racks of spine switches, storage and management"),
    ("infra_pdus", "count", "site", "rack PDUs of those racks"),
    ("leaf", "count", "site", "leaf switches"),
    ("spine", "count", "site", "spine switches"),
    ("core", "count", "site", "core switches, 0 with two tiers"),
    ("node_leaf_links", "count", "site", "cables from servers to leaf switches"),
    ("leaf_spine_links", "count", "site", "cables from leaf to spine switches"),
    ("spine_core_links", "count", "site", "cables from spine to core switches"),
    ("storage_leaf", "count", "site", "leaf switches of the storage network, in the pods"),
    ("storage_spine", "count", "site", "switches of the storage network in the infrastructure racks"),
    ("in_band_switches", "count", "site", "switches of the in-band management network"),
    ("out_of_band_switches", "count", "site", "switches of the out-of-band management network"),
    ("fabric_managers", "count", "site", "fabric managers or controllers"),
    ("border_routers", "count", "site", "border routers and firewalls"),
    ("server_cables", "count", "site", "compute cables of servers and fabric managers, in the cable schedule"),
    ("trunk_cables", "count", "site", "compute cables between switches, in the cable schedule"),
    ("storage_cables", "count", "site", "cables of the storage network, in the cable schedule"),
    ("management_cables", "count", "site", "cables of both management networks, in the cable schedule"),
    ("server_transceivers", "count", "site", "transceivers at servers and appliances, all networks"),
    ("switch_transceivers", "count", "site", "transceivers at switches, all networks"),
    ("management_switches", "count", "site", "switches of the in-band and the out-of-band network"),
    ("management_servers", "count", "site", "head, login, provisioning and monitoring servers"),
    ("storage_servers", "count", "site", "storage servers, without those for metadata"),
    ("metadata_servers", "count", "site", "metadata servers of the file system"),
    ("wan_circuits", "count", "site", "uplinks to the outside, by separate routes"),
    ("rack_feeds", "count", "site", "feeds, and rack PDUs, of a rack"),
    ("cable_spares", "ratio", "site", "spare cables over cables"),
    ("switch_spares", "ratio", "site", "spare switches over switches"),
    ("spare_gpus", "count", "site", "GPUs on the shelf"),
    ("spare_supplies", "count", "site", "power supplies on the shelf"),
    ("spare_drives", "count", "site", "drives of servers on the shelf"),
    ("spare_storage_drives", "count", "site", "drives of shared storage on the shelf"),
    ("spare_nics", "count", "site", "network cards on the shelf"),
    ("spare_modules", "count", "site", "memory modules on the shelf"),
    ("crews", "count", "site", "crews this site has of the step's own crew role"),
    # power, heat, storage of the whole site
    ("node_kw", "kW", "site", "power of a server at full load"),
    ("rack_kw", "kW", "site", "power of a full compute rack"),
    ("it_mw", "MW", "site", "IT power: compute, fabric, storage, management"),
    ("facility_mw", "MW", "site", "IT power times PUE"),
    ("pue", "ratio", "site", "facility power over IT power, design value"),
    ("storage_pb", "PB", "site", "usable capacity of shared storage"),
    ("storage_gb_s", "GB/s", "site", "read bandwidth of shared storage"),
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
    ("hall_chilled_mw", "MW", "hall", "heat of the hall that chillers remove"),
    ("hall_warm_mw", "MW", "hall", "heat of the hall that warm water takes outdoors without a chiller"),
    ("pods_in_hall", "count", "hall", "pods in the hall"),
    ("nodes_in_hall", "count", "hall", "servers in the hall"),
    ("racks_in_hall", "count", "hall", "racks in the hall, infrastructure racks included"),
    ("hall_feeds", "count", "hall", "medium-voltage feeds"),
    ("transformers_in_hall", "count", "hall", "power transformers, redundancy included"),
    ("distribution_transformers_in_hall", "count", "hall", "medium to low voltage transformers"),
    ("ups_modules_in_hall", "count", "hall", "UPS modules, redundancy included"),
    ("generators_in_hall", "count", "hall", "standby generators, redundancy included"),
    ("transfer_switches_in_hall", "count", "hall", "automatic transfer switches"),
    ("busway_m_in_hall", "m", "hall", "busway run"),
    ("rpps_in_hall", "count", "hall", "remote power panels"),
    ("crahs_in_hall", "count", "hall", "room air handlers, redundancy included"),
    ("in_row_coolers_in_hall", "count", "hall", "in-row coolers, redundancy included; 0 where racks need none"),
    ("chillers_in_hall", "count", "hall", "chillers, redundancy included"),
    ("towers_in_hall", "count", "hall", "cooling towers of the chillers, redundancy included"),
    ("dry_coolers_in_hall", "count", "hall", "dry coolers of the warm-water loop, redundancy included"),
    ("pumps_in_hall", "count", "hall", "pumps of chilled and of warm water, redundancy included"),
    ("floor_m2_in_hall", "m**2", "hall", "white space"),
    ("sensors_in_hall", "count", "hall", "temperature and humidity sensors of the hall's racks"),
    # one pod
    ("nodes_in_pod", "count", "pod", "servers in the pod"),
    ("gpus_in_pod", "count", "pod", "GPUs in the pod"),
    ("racks_in_pod", "count", "pod", "compute racks in the pod"),
    ("leaf_in_pod", "count", "pod", "leaf switches serving the pod"),
    ("leaf_spine_links_in_pod", "count", "pod", "cables from the pod's leaf switches upward"),
    ("storage_leaf_in_pod", "count", "pod", "leaf switches of the storage network in the pod"),
    ("management_switches_in_pod", "count", "pod", "switches of both management networks in the pod"),
    ("service_cables_in_pod", "count", "pod", "cables of the pod's devices to the storage and management networks"),
    ("service_uplinks_in_pod", "count", "pod", "cables upward from the pod's switches of these networks"),
    ("pdus_in_pod", "count", "pod", "rack PDUs in the pod"),
    ("rpps_in_pod", "count", "pod", "remote power panels feeding the pod"),
    ("sensors_in_pod", "count", "pod", "temperature and humidity sensors"),
    ("cdus_in_pod", "count", "pod", "coolant distribution units, redundancy included"),
    ("blanking_panels_in_pod", "count", "pod", "blanking panels"),
)

DESIGN_VALUES: dict[str, DesignValue] = {row[0]: DesignValue(*row) for row in _TABLE}
"""Every name a formula may read."""
