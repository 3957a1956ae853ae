"""A fault for every criterion that software reads at a step it does or checks: what the tool then says, and the value that is read.

`test_red_cases` reads each through the step's own readers and judges it by the step's own criterion, which must not be met.
docs/generate.py makes the page of them. Faults of proofs are in `red_proofs`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from tests.acceptance import building_readings, hand_written, handing, soaks
from tests.acceptance.handing import FIXTURES, Raw, entry
from tests.acceptance.tool_cases import BEFORE, FOUR_GPUS, LINKS, PINNED, POWERED, TOOLS

CAPTURED = "captured output"
EDITED = "captured output, the fault written in"
WRITTEN = "written output"
AT_THE_BOUNDARY = "the proof, with written output of its tools"
DATABASE = "the proof, with a real Prometheus"
REAL = "the proof, with the real tools"
FILES = "the proof, over written files"

HOW = {
    CAPTURED: "what the real tool or a simulator printed, here or where it is published; what it is held against may be the case's own",
    EDITED: "what the real tool printed of a machine that is well, with the words of the fault in it",
    WRITTEN: "in the tool's documented form, where the hardware is missing",
    AT_THE_BOUNDARY: "the script of the playbook runs; the programs that it calls answer as written",
    DATABASE: "the script of the playbook asks a Prometheus that has scraped what the case says",
    REAL: "the script or role of the playbook runs with what it runs with on a host",
    FILES: "the judgement of the script, over files or messages that the case writes",
}
"""How faults are injected, and what that means."""

Value = Decimal | bool | None


class Red(NamedTuple):
    """A fault, how it is injected, the outputs that a playbook then hands over, and what is read. None: not measured."""

    fault: str
    how: str
    value: Decimal | bool | int | str | None
    outputs: Mapping[str, Any]
    design: Mapping[str, Any] = {}

    @property
    def read(self) -> Value:
        """Return the value that is read."""
        return self.value if isinstance(self.value, bool) or self.value is None else Decimal(self.value)

    def raw(self) -> Raw:
        """Return what the playbook hands over of a host that is well but for the fault."""
        raw = handing.whole()
        for name, said in self.outputs.items():
            raw[name] = said if isinstance(said, dict) else entry(said, tool=name)
        return raw


def captured(file: str, *changes: tuple[str, str]) -> str:
    """Return a captured output with these words changed; a word that is not there is a mistake of the case."""
    text = (FIXTURES / file).read_text() if (FIXTURES / file).exists() else (TOOLS / file).read_text()
    for before, after in changes:
        assert before in text, f"{file} has no {before!r}"
        text = text.replace(before, after)
    return text


def baseline(**stated: Any) -> str:
    """Return the baseline of a site with other values."""
    return json.dumps(handing.BASELINE | stated)


def links(*states: tuple[str, str], mtu: int = 9000) -> str:
    """Return `ip -j link` of ports with these states."""
    return json.dumps(
        [
            {"ifname": name, "flags": ["UP"], "operstate": state, "mtu": mtu, "link_type": "ether"}
            for name, state in states
        ]
    )


LOG = captured("kernel_log.txt")
RAILS = [f"ens{n}" for n in range(8)]
PORTS = json.dumps(RAILS)
PATHS = {name: [f"10.1.{n}.1"] for n, name in enumerate(RAILS)}
PROBED = [{"port": name, "peer": peer, "bytes": 1500 if name == "ens5" else 9000} for name, (peer,) in PATHS.items()]
FABRIC = {"fabric": "infiniband", "rails": 8}
ONE_DARK = links(*[(name, "DOWN" if name == "ens3" else "UP") for name in RAILS])
ALL_UP = links(*[(name, "UP") for name in RAILS])
SPEEDS = "".join(f"== {name}\n\tSpeed: {100000 if name == 'ens3' else 400000}Mb/s\n" for name in RAILS)
NARROW = hand_written.nvidia_smi(("5", "16x"), ("3", "8x"))
A_PROCESSOR = captured("lscpu.json")
SLOW_LINK = {"ib_write_bw": captured("ib_write_bw_100g.txt")}
CHRONY = hand_written.CHRONY_FOLLOWS

MACHINE: dict[str, Red] = {
    "boot.uptime_s": Red("the server restarted half a minute ago", WRITTEN, 30, {"uptime": "30.00 12.00\n"}),
    "kernel.hardware_errors": Red(
        "the kernel logs a machine check",
        WRITTEN,
        1,
        {"kernel_log": f"{LOG}mce: [Hardware Error]: Machine check events logged\n"},
    ),
    "kernel.oom_kills": Red(
        "the kernel ends a process for want of memory",
        WRITTEN,
        1,
        {"kernel_log": f"{LOG}Out of memory: Killed process 1 (a)\n"},
    ),
    "cpu.sockets": Red("a server of two processors shows one", CAPTURED, 1, {"lscpu": A_PROCESSOR}),
    "memory.total_gib": Red(
        "memory is missing", WRITTEN, "0.5", {"meminfo": "MemTotal:         524288 kB\nMemFree: 1 kB\n"}
    ),
    "disk.nvme": Red("no drive answers", CAPTURED, 0, {"lsblk": captured("lsblk.json")}),
    "disk.root_free_ratio": Red(
        "the root file system is nearly full", WRITTEN, "0.05", {"df_root": "   1B-blocks       Avail\n100 5\n"}
    ),
    "disk.read_mb_s": Red(
        "a drive reads slowly",
        WRITTEN,
        40,
        {"fio_read": '{"jobs": [{"error": 0, "read": {"io_bytes": 1, "bw_bytes": 40000000}}]}'},
    ),
    "disk.write_mb_s": Red(
        "a drive writes slowly",
        WRITTEN,
        20,
        {"fio_write": '{"jobs": [{"error": 0, "write": {"io_bytes": 1, "bw_bytes": 20000000}}]}'},
    ),
    "stress.cpu_failures": Red(
        "a processor calculates wrongly under load", WRITTEN, 3, {"stress_cpu": entry("failed: 3: cpu (3)", rc=2)}
    ),
    "stress.memory_failures": Red(
        "a memory cell loses a bit under load",
        WRITTEN,
        1,
        {"stress_memory": entry("failed: 1: vm (1)", rc=2)},
    ),
    "stress.cpu_ops_s": Red(
        "the load does no work",
        EDITED,
        0,
        {"stress_cpu": captured("stress_cpu.yaml", ("real-time: 2105.775330", "real-time: 0.000000"))},
    ),
    "firmware.components_unversioned": Red(
        "a controller tells no version of one component", WRITTEN, 1, {"firmware": "bios=1\nbmc=\n"}
    ),
    "firmware.bios_release_age_days": Red(
        "firmware of 2019", WRITTEN, 2557, {"dmi": "bios_date=03/15/2019\n"}
    ),
    "inventory.serial_recorded": Red(
        "the maker left a placeholder", WRITTEN, False, {"dmi": "product_serial=To Be Filled By O.E.M.\n"}
    ),
    "gpu.count": Red("seven of eight GPUs answer", WRITTEN, 7, {"nvidia_smi": hand_written.nvidia_smi(*[("5", "16x")] * 7)}),
    "gpu.pcie_width_min": Red("a GPU's link trained at half its width", WRITTEN, 8, {"nvidia_smi": NARROW}),
    "gpu.pcie_speed_min": Red("a GPU's link trained two generations lower", WRITTEN, 8, {"nvidia_smi": NARROW}),
    "gpu.driver_loaded": Red("the driver is not loaded", WRITTEN, False, {"nvidia_smi": entry("has failed", rc=9)}),
    "gpu.driver_version_matches": Red(
        "another driver than the pinned one",
        WRITTEN,
        False,
        {"nvidia_smi": hand_written.nvidia_smi(("5", "16x"), driver="535.54.03")},
    ),
    "os.release_matches_baseline": Red(
        "another release than the baseline's", CAPTURED, False, {"baseline": baseline(operating_system_baseline="Ubuntu 24.04")}
    ),
    "os.failed_units": Red("a service failed", WRITTEN, 1, {"systemctl_failed": hand_written.FAILED_UNITS}),
    "link.up_ratio": Red(
        "one of eight planned ports is dark", WRITTEN, "0.875", {"ip_link": ONE_DARK, "planned_ports": PORTS}, FABRIC
    ),
    "link.speed_min_gbit": Red(
        "one port came up at 100 Gbit/s",
        WRITTEN,
        100,
        {"ip_link": ALL_UP, "ethtool": SPEEDS, "planned_ports": PORTS},
        FABRIC,
    ),
    "path_mtu.min": Red(
        "ports and the default gateway carry 9000 bytes, a switch on one of eight paths 1500",
        WRITTEN,
        1500,
        {"ip_link": ALL_UP, "planned_ports": PORTS, "planned_paths": json.dumps(PATHS), "path_probe": json.dumps(PROBED)},
        FABRIC | {"fabric": "roce"},
    ),
    "ports.unexpected": Red(
        "a port listens that the policy does not name", CAPTURED, 1, {"baseline": baseline(listening_ports_policy=[])}
    ),
    "time.synchronised": Red(
        "the clock follows nobody", CAPTURED, False, {"chrony": captured("chrony_unsynchronised.txt")}
    ),
    "time.offset_abs_ms": Red(
        "the clock is a quarter of a second off", WRITTEN, 250, {"chrony": CHRONY.replace("-0.000250000", "-0.250000000")}
    ),
    "time.stratum": Red("eleven clocks away from its standard", WRITTEN, 12, {"chrony": CHRONY.replace("ntp.example,3,", "ntp.example,12,")}),
    "time.follows_ptp": Red("the clock follows a server, not the grandmaster", WRITTEN, False, {"chrony": CHRONY}),
    "container.runtime_supported": Red(
        "podman 3", WRITTEN, False, {"docker": "podman version 3.4.4"}
    ),
}  # fmt: skip
"""Faults of the machine itself, whatever its GPUs and fabric, by metric."""

SYMBOLS = captured("perfquery.txt", ("SymbolErrorCounter:..............0", "SymbolErrorCounter:..............5"))
NCCL = {"rails": 8, "link_gb_s": 400}


def soak() -> dict[str, str]:
    """Return what the recorder hands over of 49 hours in which the load's unit runs, at rest, and five of eight GPUs are gone."""
    gpus = dict.fromkeys(["GPU-0", "GPU-1", "GPU-2"], soaks.RESTING)
    with TemporaryDirectory() as folder:
        return {"burn_in": soaks.handed_over(Path(folder), soaks.watched(0, 49, every_min=5, gpus=gpus))}


AT_REST = soak()
PINS = {"pinned": PINNED}

TOOLBOX: dict[str, Red] = {
    "dcgm.failed_tests": Red("a GPU fails a test of DCGM", WRITTEN, 1, {"dcgm_diag": entry(captured("dcgm_diag_4.json"), rc=226)}),
    "gpu.dbe": Red(
        "a double-bit error in a GPU's memory",
        EDITED,
        1,
        {"nvidia_smi": captured("nvidia_smi_a100.xml", ("<dram_uncorrectable>0<", "<dram_uncorrectable>1<"))},
    ),
    "gpu.xid_events": Red("three XIDs in the kernel log", CAPTURED, 3, {"kernel_log": captured("xid.txt")}),
    "gpu.hw_slowdown_s": Red(
        "a GPU was slowed by its hardware",
        EDITED,
        30,
        {"nvidia_smi": captured("nvidia_smi_a5000.xml", ("hw_power_brake>0 us", "hw_power_brake>30000000 us"))},
    ),
    "burn_in.clean_h": Red("an XID after three and a half hours", WRITTEN, "1.5", {"burn_in": captured("burn_in.json")}),
    "burn_in.gpus_min": Red("the load is said to run for 49 hours, and three of eight GPUs answer", EDITED, 3, AT_REST),
    "burn_in.gpu_power_min": Red("the load is said to run for 49 hours, and GPUs draw what they do at rest", EDITED, "74.45", AT_REST),
    "burn_in.gpu_clock_share_min": Red("the load is said to run for 49 hours, at the clock of rest", EDITED, "0.174", AT_REST),
    "firmware.baseline_deviations": Red("two components differ from the baseline", CAPTURED, 2, {"redfish_firmware": captured("redfish_firmware.json")} | PINS),
    "inventory.serial_as_planned": Red(
        "another server than the delivery note's", CAPTURED, False,
        {"pinned": json.dumps(handing.PINNED | {"serial_number": "SN-OTHER"})},
    ),
    "raid.boot_volume_optimal": Red(
        "a drive of the mirror failed", EDITED, False,
        {"redfish_volumes": captured("redfish_volumes.json", ('"Health": "OK"', '"Health": "Warning"'))},
    ),
    "redfish.post_completed": Red(
        "the self-test halts", EDITED, False,
        {"redfish_system": captured("redfish_system.json", ("OSRunning", "MemoryInitializationStarted"))},
    ),
    "redfish.critical_events": Red("a critical entry in the controller's log", CAPTURED, 1, {"redfish_log": captured("redfish_log.json")}),
    "redfish.bios_deviations": Red("a BIOS attribute differs", CAPTURED, 1, {"redfish_bios": captured("redfish_bios.json")} | PINS),
    "topology.mismatches": Red(
        "two cables in each other's ports", EDITED, 4,
        {"ibnetdiscover": captured("ibnetdiscover.txt"), "planned_links": json.dumps([["leaf1 1", "gpu2 1"], ["leaf1 2", "gpu1 1"], *LINKS[2:]])},
    ),
    "topology.links_found_ratio": Red(
        "a planned cable is not there", EDITED, "0.923076",
        {"ibnetdiscover": captured("ibnetdiscover.txt"), "planned_links": json.dumps([*LINKS, ["leaf1 9", "gpu9 1"]])},
    ),
    "port.link_down_growth": Red(
        "a link went down meanwhile", EDITED, 1,
        {"perfquery": captured("perfquery.txt", ("LinkDownedCounter:...............0", "LinkDownedCounter:...............1")), **BEFORE},
    ),
    "port.symbol_error_growth": Red("symbol errors grow", EDITED, 5, {"perfquery": SYMBOLS, **BEFORE}),
    "port.error_growth": Red("errors grow under load", EDITED, 5, {"perfquery": SYMBOLS, **BEFORE}),
    "nccl.allreduce_busbw_node": Red("collectives at a fifth of the server's rate", CAPTURED, "95.94", {"nccl_all_reduce": captured("nccl_all_reduce.txt")}, NCCL),
    "nccl.allreduce_pod_line_share": Red("collectives at a quarter of the line rate", CAPTURED, "23.9", {"nccl_all_reduce": captured("nccl_all_reduce.txt")}, NCCL),
    "nccl.allreduce_full_line_share": Red("collectives at a quarter of the line rate", CAPTURED, "23.9", {"nccl_all_reduce": captured("nccl_all_reduce.txt")}, NCCL),
    "nccl.wrong_results": Red(
        "sums came out wrong", EDITED, 4,
        {"nccl_all_reduce": captured("nccl_all_reduce.txt", ("95.75      0   2556.2", "95.75      4   2556.2"), ("values : 0 OK", "values : 4 FAILED"))},
    ),
    "rdma.write_bw_min_gbit": Red("a pair at 100 Gbit/s", CAPTURED, "98.03", SLOW_LINK),
    "gpudirect.write_bw_min_gbit": Red("GPU to GPU at 100 Gbit/s", CAPTURED, "98.03", SLOW_LINK),
    "fabric.pair_culprits": Red("a port that sends 5 Mbit/s at most", CAPTURED, 1, {"pair_tests": captured("pair_tests.json")}),
    "fault.scenarios_run_ratio": Red(
        "a spine that carried nothing before it was cut off, and no line for two kinds of fault", CAPTURED, "0.25",
        {"fabric_faults": captured("fabric_faults.json")},
    ),
    "fault.jobs_lost_on_trunk_or_spine": Red(
        "a trunk is cut while the router of the other spine is stopped", CAPTURED, 1, {"fabric_faults": captured("fabric_faults.json")},
    ),
    "fault.reroute_max_s": Red(
        "nothing passed until the cut trunk was back", CAPTURED, None, {"fabric_faults": captured("fabric_faults.json")},
    ),
    "fault.links_not_restored": Red(
        "a host is not answered from the moment a trunk was cut", EDITED, 1,
        {"fabric_faults": captured("fabric_faults.json", ('"silent_s": 10.81,\n     "silent_at_end_s": 0.05', '"silent_s": 10.81,\n     "silent_at_end_s": 10.81'))},
    ),
    "shelf.healthy_ratio": Red("a supply of a power shelf has lost its input", WRITTEN, "0.928571", {"power_shelves": captured("power_shelves.json")}),
    "busbar.voltage": Red("a power shelf's output is low", WRITTEN, "44.8", {"power_shelves": captured("power_shelves.json")}),
    "firmware.switch_tray_deviations": Red(
        "a component of an NVLink switch tray differs from the baseline", WRITTEN, 1, {"switch_trays": captured("switch_trays.json")},
    ),
    "nvlink.domain_gpus_min": Red(
        "a GPU of a rack is in another clique", WRITTEN, 1, {"nvlink_domain": captured("nvlink_domain.json")}, {"domain_gpus": 8, "gpus_in_pod": 16},
    ),
    "nvlink.links_down": Red("two links of a tray's GPUs are not trained", WRITTEN, 2, {"nvlink_status": captured("nvlink_status.txt")} | FOUR_GPUS),
    "imex.nodes_not_ready": Red("the memory service of a tray is gone", WRITTEN, 1, {"imex": captured("imex.json")}),
    "segments.leaks": Red("a server's port of the switch is in another VLAN", CAPTURED, 2, {"segment_probe": captured("segment_probe.json")}),
    "segments.allowed_pairs_reachable_ratio": Red(
        "the same port: nobody of its own segment answers", CAPTURED, 0, {"segment_probe": captured("segment_probe.json")},
    ),
    "addresses.overlaps": Red("another host has this one's address", CAPTURED, 1, {"segment_probe": captured("segment_probe.json")}),
    "switch.firmware_versions": Red(
        "one of two switches did not get the pinned release", CAPTURED, 2, {"switch_firmware": captured("switch_firmware.json")},
    ),
    "switch.rollback_tested": Red("nobody has rolled back from the pinned release", CAPTURED, False, {"switch_firmware": captured("switch_firmware.json")}),
    "rdma.pairs_tested_ratio": Red("a port that is down", EDITED, "0.75", {"pair_tests": captured("pair_tests_rdma.json")}),
    "rdma.write_latency_max_us": Red(
        "a path with a full queue", WRITTEN, "141.00", {"ib_write_lat": captured("ib_write_lat.txt", ("1.41  ", "141.00"))},
    ),
    "gpudirect.affinity_mismatches": Red("a GPU's network card hangs at another switch", CAPTURED, 1, {"nvidia_topo": captured("nvidia_topo.txt")}),
    "storage.port_rate_ratio": Red("storage's port at half its rate", CAPTURED, "0.58", {"iperf3": captured("iperf3.json")}, {"link_gb_s": 25}),
    "storage.read_gb_s": Red(
        "storage far below what was bought", WRITTEN, "12", {"ior": captured("ior.txt", ("61240.77 MiB/sec (64215.60", "11444.09 MiB/sec (12000.00"))},
    ),
    "mount.read_gb_s": Red("a client reads slowly", CAPTURED, "0.47", {"fio_read": captured("fio_read.json")}),
    "gds.read_gb_s": Red("reads go through the processor's memory", CAPTURED, "0.47", {"fio_read": captured("fio_read.json")}),
    "ptp.follows": Red("the clock is not locked to the grandmaster", CAPTURED, False, {"pmc": captured("pmc_calibrating.txt")}),
    "ptp.offset_abs_ms": Red("a clock that still calibrates", CAPTURED, None, {"pmc": captured("pmc_calibrating.txt")}),
    "storage.write_gb_s": Red(
        "a checkpoint is written far slower than planned", WRITTEN, "12", {"ior": captured("ior.txt", ("38111.20 MiB/sec (39962.49", "11444.09 MiB/sec (12000.00"))},
    ),
    "power.sources_answering_ratio": Red(
        "one of two power strips does not answer", CAPTURED, "0.666666",
        {"prometheus_power_up": captured("prometheus_power_up.json"), "planned_power": POWERED["planned_power"]}, {"racks": 1, "rack_feeds": 2},
    ),
    "exporter.up_ratio": Red("one of two exporters does not answer", CAPTURED, "0.5", {"prometheus_up": captured("prometheus_up.json")}),
    "dcgm.up_ratio": Red("one of two GPU exporters does not answer", CAPTURED, "0.5", {"prometheus_dcgm_up": captured("prometheus_up.json")}),
    "gpu.series_present_ratio": Red(
        "a GPU without one of its series", WRITTEN, "0.9375",
        {"prometheus_gpu_series": captured("prometheus_gpu_series.json"), "planned_series": "16"},
    ),
    "thermal.sensors_seen_ratio": Red(
        "one sensor of 108 is seen", WRITTEN, "0.009259",
        {
            "prometheus_thermal": '{"status":"success","data":{"resultType":"vector","result":[{"metric":{"instance":"rack-01"},"value":[1795264702.9,"1"]}]}}',
            "planned_sensors": '{"devices": [], "sensors": ["rack-01"]}',
        },
        {"sensors": 108},
    ),
    "phase.imbalance_max": Red(
        "one phase carries more than a third more", WRITTEN, "22.22", {"phase_currents": building_readings.phases(16, 22, 16)},
    ),
    "power.devices_polled_ratio": Red(
        "the meter of a row stands still", WRITTEN, "0.666666",
        {"power_meters": building_readings.meters(row=building_readings.trend("kW", 10))},
    ),
    "fan.sequence_failures": Red(
        "a fan keeps its speed while the demand doubles", WRITTEN, 2,
        {"fans": building_readings.group(fan=building_readings.trend("percent", 60))},
    ),
    "pump.sequence_failures": Red(
        "two pumps at a fixed speed", WRITTEN, 3,
        {"pumps": building_readings.group(a=building_readings.trend("percent", 70), b=building_readings.trend("percent", 70))},
    ),
    "economiser.changeover_failures": Red(
        "free cooling is off although it is cold outside", WRITTEN, 1, {"economisers": building_readings.closed_in_the_cold()},
    ),
    "aisle.temperature_max": Red("a cold aisle at 31 degC once", WRITTEN, 31, {"cold_aisle": building_readings.aisle(24, 31, 24)}),
    "aisle.temperature_min": Red("a cold aisle at 15 degC once", WRITTEN, 15, {"cold_aisle": building_readings.aisle(24, 15, 24)}),
    "airflow.reversed_fans": Red(
        "air leaves a server colder than it enters", WRITTEN, 1, {"airflow": building_readings.air(intake=30, exhaust=22)},
    ),
    "inlet.rise_over_supply": Red(
        "a server breathes from the hot aisle", WRITTEN, "16.00", {"airflow": building_readings.air(intake=38, exhaust=52)},
    ),
    "coolant.above_dew_point": Red("coolant a kelvin above the dew point", WRITTEN, "1.00", {"coolant": building_readings.coolant(16, 15)}),
    "coolant.supply_max": Red("coolant of 47 degC", WRITTEN, 47, {"coolant": building_readings.coolant(47, 12)}),
}  # fmt: skip
"""Faults that a tool of the toolbox shows, by metric."""
