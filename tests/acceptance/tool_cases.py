"""What every tool's captured output says: files handed over, design values, and the metrics that are read from them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, NamedTuple

from tests.acceptance import hand_written, handing
from tests.acceptance.handing import FIXTURES, Raw, entry

TOOLS = FIXTURES / "tools"

LINKS = [
    ["leaf1 1", "gpu1 1"], ["leaf1 2", "gpu2 1"], ["leaf1 3", "gpu3 1"], ["leaf1 4", "gpu4 1"],
    ["leaf2 1", "gpu5 1"], ["leaf2 2", "gpu6 1"], ["leaf2 3", "gpu7 1"], ["leaf2 4", "gpu8 1"],
    ["leaf1 5", "spine1 1"], ["leaf1 6", "spine2 1"], ["leaf2 5", "spine1 2"], ["leaf2 6", "spine2 2"],
]  # fmt: skip
"""The cable schedule that the simulated fabric was made from."""

PINNED = json.dumps(handing.PINNED)


class Case(NamedTuple):
    """Outputs by name (a file, or text where it is none of ours), and every metric's value; None: not measured."""

    output: str
    file: str
    values: Mapping[str, Decimal | bool | int | str | None]
    beside: Mapping[str, str] = {}
    design: Mapping[str, Any] = {}
    rc: int = 0

    @property
    def text(self) -> str:
        """Return what the tool printed."""
        return (TOOLS / self.file).read_text()

    def raw(self, text: str | None = None) -> Raw:
        """Hand the outputs over, with another text in place of the tool's own."""
        return {
            **{name: entry(beside) for name, beside in self.beside.items()},
            self.output: entry(self.text if text is None else text, rc=self.rc, tool=self.output),
        }


PLAN = {"planned_links": json.dumps(LINKS)}
ENDS = {"planned_ends": json.dumps({"accv1": ["leaf1", "accv0"], "accv2": ["leaf2", "swp1"]})}
SENSORS = {
    "planned_sensors": json.dumps({"devices": ["cdu-1", "crah-1", "mgmt", "node-01"], "sensors": ["node-01 Inlet"]})
}
POWERED = {"planned_power": json.dumps({"strips": ["pdu-a", "pdu-b"], "servers": ["node-01"]})}
FOUR_GPUS = {"nvidia_smi": hand_written.nvidia_smi(*[("6", "16x")] * 4)}
BEFORE = {"perfquery_before": (TOOLS / "perfquery_before.txt").read_text()}

CASES = (
    Case("burn_in", "burn_in.json", {
        "burn_in.clean_h": Decimal("1.5"), "burn_in.gpus_min": 8, "burn_in.gpu_power_min": "687.4",
        "burn_in.gpu_clock_share_min": "0.742", "burn_in.temperature_max": 83,
    }),
    Case("nvidia_smi", "nvidia_smi_a100.xml", {
        "gpu.dbe": 0, "gpu.ecc_corrected": 0, "gpu.ecc_enabled": True, "gpu.row_remaps_failed": None,
        "gpu.rows_remapped": None, "gpu.retired_pages": None, "gpu.slowed": 0, "gpu.hw_slowdown_s": None,
        "gpu.temperature_max": 27, "gpu.memory_temperature_max": 44, "gpu.pcie_replays": 0, "gpu.fabric_not_ready": None,
    }),
    Case("nvidia_smi", "nvidia_smi_a5000.xml", {
        "gpu.dbe": None, "gpu.ecc_corrected": None, "gpu.ecc_enabled": False, "gpu.row_remaps_failed": 0,
        "gpu.rows_remapped": 0, "gpu.slowed": 0, "gpu.hw_slowdown_s": 0, "gpu.temperature_max": 13,
        "gpu.memory_temperature_max": None,
    }),
    Case("nvidia_smi", "nvidia_smi_h100_idle.xml", {
        "gpu.dbe": 0, "gpu.ecc_corrected": 0, "gpu.ecc_enabled": True, "gpu.row_remaps_failed": 0, "gpu.rows_remapped": 0,
        "gpu.retired_pages": None, "gpu.slowed": 0, "gpu.hw_slowdown_s": 0,
    }),
    Case("nvidia_smi", "nvidia_smi_h100_loaded.xml", {  # at 698 W its power limit holds its clock back, which is no fault
        "gpu.dbe": 0, "gpu.slowed": 0, "gpu.hw_slowdown_s": 0, "gpu.temperature_max": 77, "gpu.memory_temperature_max": 73,
    }),
    Case("nvidia_topo", "nvidia_topo.txt", {"gpudirect.affinity_mismatches": 1, "gpu.nvlinks_min": 18}),
    Case("nvlink_status", "nvlink_status.txt", {"nvlink.links_down": 2}, beside=FOUR_GPUS),
    Case("nvlink_domain", "nvlink_domain.json", {"nvlink.domain_gpus_min": 1}, design={"domain_gpus": 8, "gpus_in_pod": 16}),
    Case("imex", "imex.json", {"imex.nodes_not_ready": 1}),
    Case("imex", "imex_up.json", {"imex.nodes_not_ready": 0}, design={"domain_gpus": 72, "gpus_in_pod": 8, "gpus_per_node": 4}),
    Case("imex", "imex_up.json", {"imex.nodes_not_ready": 16}, design={"domain_gpus": 72, "gpus_in_pod": 72, "gpus_per_node": 4}),
    Case("kernel_log", "xid.txt", {"gpu.xid_events": 3, "gpu.xid_hardware_events": 2}),
    Case("dcgm_diag", "dcgm_diag_4.json", {"dcgm.failed_tests": 1, "dcgm.warnings": 0, "dcgm.skipped_tests": 1}, rc=226),
    Case("dcgm_diag", "dcgm_diag_3.json", {"dcgm.failed_tests": None, "dcgm.skipped_tests": None}),
    Case("gpu_burn", "gpu_burn.txt", {
        "gpu_burn.faulty": 0, "gemm.tflops": "316.88", "gpu_burn.temperature_max": 68,
    }),
    Case("hpl", "hpl.txt", {"hpl.tflops": "0.006156", "hpl.residual_failures": 0}),
    Case("hpl_mxp", "hpl_mxp.txt", {"hpl_mxp.pflops": "1.234"}),
    Case("stream", "stream.txt", {"memory.triad_gb_s": "390.5224"}),
    Case("stream", "stream_hpcc.txt", {"memory.triad_gb_s": "60.2292"}),
    Case("nccl_all_reduce", "nccl_all_reduce.txt", {
        "nccl.allreduce_busbw_node": "95.94", "nccl.allreduce_pod_line_share": "95.9",
        "nccl.allreduce_full_line_share": "95.9", "nccl.wrong_results": 0,
        "nccl.sizes_measured": 6, "nccl.ranks": 2,
    }, design={"rails": 4, "link_gb_s": 200}),
    Case("osu_bw", "osu_bw.txt", {"mpi.bandwidth": "24582.36"}),
    Case("osu_latency", "osu_latency.txt", {"mpi.latency": "1.55"}),
    Case("osu_allreduce", "osu_allreduce.txt", {"mpi.allreduce_latency_8b": "6.18", "mpi.allreduce_latency_1mib": "318.40"}),
    Case("ib_write_bw", "ib_write_bw.txt", {"rdma.write_bw_min_gbit": "391.55", "gpudirect.write_bw_min_gbit": "391.55"}),
    Case("ib_write_bw", "ib_write_bw_100g.txt", {"rdma.write_bw_min_gbit": "98.03"}),
    Case("ib_write_bw", "ib_write_bw_mb.txt", {"rdma.write_bw_min_gbit": None}),
    Case("ib_send_bw", "ib_write_bw.txt", {"rdma.send_bw_gbit": "391.55"}),
    Case("ib_read_bw", "ib_write_bw.txt", {"rdma.read_bw_gbit": "391.55"}),
    Case("pair_tests", "pair_tests.json", {
        "fabric.pair_culprits": 1, "tcp.pair_slowest_gbit": "0.00471", "rdma.pairs_tested_ratio": None, "rdma.write_bw_min_gbit": None,
    }),
    Case("pair_tests", "pair_tests_rdma.json", {
        "fabric.pair_culprits": 1, "tcp.pair_slowest_gbit": None, "rdma.pairs_tested_ratio": "0.75", "rdma.write_bw_min_gbit": None,
    }),
    Case("switch_firmware", "switch_firmware.json", {"switch.firmware_versions": 2, "switch.rollback_tested": False}),
    Case("switch_trays", "switch_trays.json", {"firmware.switch_tray_deviations": 1}),
    Case("power_shelves", "power_shelves.json", {"shelf.healthy_ratio": "0.928571", "busbar.voltage": "44.8"}),
    Case("segment_probe", "segment_probe.json", {
        "segments.leaks": 2, "segments.allowed_pairs_reachable_ratio": 0, "addresses.overlaps": 1,
    }),
    Case("fabric_faults", "fabric_faults.json", {
        "fault.scenarios_run_ratio": "0.25", "fault.jobs_lost_on_trunk_or_spine": 1, "fault.reroute_max_s": None, "fault.links_not_restored": 0,
    }),
    Case("ib_write_lat", "ib_write_lat.txt", {"rdma.write_latency_max_us": "1.41"}),
    Case("ib_read_lat", "ib_write_lat.txt", {"rdma.read_latency_us": "1.41"}),
    Case("ibdiagnet", "ibdiagnet.txt", {
        "fabric.errors": 15, "fabric.warnings": 19, "fabric.speed_width_faults": 15, "fabric.counter_faults": 0,
    }),
    Case("iblinkinfo", "iblinkinfo.txt", {"fabric.links_degraded": 24, "fabric.links_up": 12},
         beside={"ibnetdiscover": (TOOLS / "ibnetdiscover.txt").read_text()}),
    Case("ibnetdiscover", "ibnetdiscover.txt", {
        "topology.links_found_ratio": 1, "topology.mismatches": 0, "fabric.switches": 4,
    }, beside=PLAN),
    Case("ibstat", "ibstat.txt", {
        "rdma.port_active_ratio": "0.125", "rdma.port_rate_min_gbit": None,
    }, design={"rails": 8}),
    Case("ibstat", "ibstat.txt", {
        "rdma.port_active_ratio": 1, "rdma.port_rate_min_gbit": 10,
    }, design={"rails": 1}),
    Case("perfquery", "perfquery.txt", {
        "port.symbol_error_growth": 0, "port.link_down_growth": 0, "port.error_growth": 0,
    }, beside=BEFORE),
    Case("mlxlink", "mlxlink.jsonl", {
        "port.down": 0, "port.effective_errors": 2, "port.link_downs": 0, "port.raw_ber_max": "4E-9",
    }),
    Case("ethtool_stats", "ethtool_stats.txt", {"port.errors": 4}),
    Case("ethtool_stats", "ethtool_stats_virtio.txt", {"port.errors": 0}),
    Case("ethtool_module", "ethtool_module.txt", {"optic.receive_min_dbm": -6, "optic.temperature_max": "48.19"}),
    Case("lldp", "lldp.json", {"lldp.neighbours": 1, "lldp.mismatches": 1, "lldp.links_found_ratio": "0.5"}, beside=ENDS),
    Case("iperf3", "iperf3.json", {
        "tcp.received_gbit": "14.60", "storage.port_rate_ratio": "0.58", "tcp.retransmits": 6,
    }, design={"link_gb_s": 25}),
    Case("fio_read", "../fio_read.json", {
        "mount.read_gb_s": "0.47", "gds.read_gb_s": "0.47", "disk.read_kiops": "117.02",
        "disk.read_p99_us": 14,
    }),
    Case("fio_write", "../fio_write.json", {"mount.write_gb_s": "1.34", "disk.write_p99_us": 14}),
    Case("ior", "ior.txt", {"storage.read_gb_s": "64.21", "storage.write_gb_s": "39.96"}),
    Case("mdtest", "mdtest.txt", {"storage.file_creates_s": "47205.114", "storage.file_stats_s": "189633.771"}),
    Case("smartctl", "smartctl.jsonl", {
        "drive.failing": 0, "drive.media_errors": 8, "drive.wear_max": 3, "drive.temperature_max": 41,
    }),
    Case("smartctl", "smartctl_virtio.jsonl", {"drive.failing": None, "drive.media_errors": None}, rc=1),
    Case("nvme_list", "nvme_list.json", {
        "nvme.drives": 2, "nvme.capacity_min_tb": "3.840755982336", "nvme.firmware_versions": 1,
    }),
    Case("nvme_list", "nvme_list_nested.json", {"nvme.drives": 1, "nvme.firmware_versions": 1}),
    Case("dmidecode_memory", "dmidecode_memory.txt", {"memory.modules": 2, "memory.speed_min": 4400, "memory.module_sizes": 1}),
    Case("numactl", "numactl.txt", {"numa.nodes": 1, "numa.memory_imbalance": 0}),
    Case("edac", "edac.txt", {"memory.uncorrected": 0, "memory.corrected": 17}),
    Case("ipmi_sel", "ipmi_sel.txt", {"bmc.sel_faults": 2, "bmc.sel_entries": 4}),
    Case("ipmi_sel", "ipmi_sel_empty.txt", {"bmc.sel_faults": 0, "bmc.sel_entries": 0}),
    Case("ipmi_sensor", "ipmi_sensor.txt", {"bmc.sensors_critical": 1, "bmc.inlet_temperature": 23}),
    Case("redfish_system", "redfish_system.json", {
        "redfish.system_healthy": True, "redfish.powered_on": True, "redfish.post_completed": True,
        "inventory.serial_as_planned": True, "redfish.processors": 2, "redfish.memory_gib": 64,
    }, beside={"pinned": PINNED}),
    Case("redfish_firmware", "redfish_firmware.json", {
        "redfish.firmware_unversioned": 0, "firmware.baseline_deviations": 2,
    }, beside={"pinned": PINNED}),
    Case("redfish_bios", "redfish_bios.json", {"redfish.bios_deviations": 1}, beside={"pinned": PINNED}),
    Case("redfish_drives", "redfish_drives.json", {"redfish.drives": 2}),
    Case("redfish_volumes", "redfish_volumes.json", {"raid.boot_volume_optimal": True}),
    Case("redfish_thermal", "redfish_thermal.json", {"redfish.thermal_faults": 0, "redfish.inlet_temperature": 25}),
    Case("redfish_power", "redfish_power.json", {"redfish.supplies_ok": 1, "redfish.power_kw": "2.344"}),
    Case("redfish_log", "redfish_log.json", {"redfish.critical_events": 1}),
    Case("redfish_pcie", "redfish_pcie.json", {"redfish.pcie_degraded": 1}),
    Case("pmc", "pmc.txt", {"ptp.offset_abs_ms": "0.000881", "ptp.follows": True}),
    Case("pmc", "pmc_calibrating.txt", {"ptp.offset_abs_ms": None, "ptp.follows": False}),
    Case("prometheus_up", "prometheus_up.json", {"exporter.up_ratio": "0.5"}),
    Case("prometheus_dcgm_up", "prometheus_empty.json", {"dcgm.up_ratio": None}),
    Case("prometheus_dcgm_up", "prometheus_error.json", {"dcgm.up_ratio": None}),
    Case("prometheus_dcgm_up", "prometheus_up.json", {"dcgm.up_ratio": "0.5"}),
    Case("prometheus_thermal", "prometheus_thermal.json", {"thermal.sensors_seen_ratio": 1}, beside=SENSORS),
    Case("prometheus_thermal", "prometheus_thermal.json", {"thermal.sensors_seen_ratio": "0.044642"}, beside=SENSORS,
         design={"sensors": 108}),
    Case("prometheus_power_up", "prometheus_power_up.json", {"power.sources_answering_ratio": "0.666666"}, beside=POWERED),
    Case("prometheus_power_up", "prometheus_power_up.json", {"power.sources_answering_ratio": "0.117647"}, beside=POWERED,
         design={"racks": 8, "rack_feeds": 2}),
    Case("prometheus_gpu_series", "prometheus_gpu_series.json", {"gpu.series_present_ratio": "0.9375"},
         beside={"planned_series": "16"}),
    Case("prometheus_alerts", "prometheus_alerts.json", {"alerts.firing": 0}),
    Case("scontrol_show_node", "scontrol_show_node.txt", {"scheduler.nodes_available_ratio": 0}),
    Case("sinfo", "sinfo.json", {"scheduler.nodes_ready_ratio": 0}),
    Case("phase_currents", "phase_currents.json", {"phase.imbalance_max": "1.66"}),
    Case("power_meters", "power_meters.json", {"power.devices_polled_ratio": 1, "power.levels_differ_max": "0.88"}),
    Case("cold_aisle", "cold_aisle.json", {"aisle.temperature_max": "24.0", "aisle.temperature_min": "22.436434"}),
    Case("airflow", "airflow.json", {"airflow.reversed_fans": 0, "inlet.rise_over_supply": "1.50"}),
    Case("coolant", "coolant.json", {"coolant.above_dew_point": "20.51", "coolant.supply_max": "32.013126"}),
    Case("fans", "fans.json", {"fan.sequence_failures": 0}),
    Case("pumps", "pumps.json", {"pump.sequence_failures": 0}),
    Case("economisers", "economisers.json", {"economiser.changeover_failures": 0}),
    Case("sacct", "sacct.txt", {"scheduler.failed_jobs": 2, "scheduler.node_failures": 1}),
)  # fmt: skip
