"""Why a metric fails, likeliest first: what to look at before anything is replaced.

Each entry names its source: trade practice, or a maker's document. What a site has found itself comes first.
"""

from __future__ import annotations

from typing import NamedTuple


class Cause(NamedTuple):
    """A likely cause, what to do about it, and where that comes from."""

    cause: str
    remedy: str
    source: str

    def __str__(self) -> str:
        """Return both in one line."""
        return f"{self.cause}: {self.remedy}"


TRADE = "assumption: trade practice"
NCCL = "NVIDIA staff in nccl-tests and nccl issues"
RETIREMENT = "NVIDIA row remapping guide"
XID = "NVIDIA Xid catalogue"
GPUDIRECT = "NVIDIA GPUDirect RDMA guide"
FABRIC = "NVIDIA ibdiagnet and cable guides"

CAUSES: dict[str, tuple[Cause, ...]] = {
    "gpu.pcie_width_min": (
        Cause("riser or module not fully seated", "power off, reseat it, check the connector", TRADE),
        Cause("bent or dirty contact", "inspect, clean, swap riser with a good server", TRADE),
        Cause("slot split in the firmware's settings", "compare BIOS attributes with the baseline", TRADE),
    ),
    "gpu.pcie_speed_min": (
        Cause("link stepped down while idle", "read it under load", "PCI Express active state power management"),
        Cause("riser or retimer limits the rate", "reseat it, update the retimer's firmware", TRADE),
    ),
    "gpu.count": (
        Cause("a GPU has fallen off the bus", "look for Xid 79, power off and on, reseat", XID),
        Cause("driver does not know the card", "compare its version with the baseline", TRADE),
    ),
    "gpu.dbe": (
        Cause("a broken memory row", "reset the GPU so that the row is remapped, run the diagnostic again", RETIREMENT),
        Cause("errors come back after remapping", "replace the GPU", RETIREMENT),
    ),
    "gpu.ecc_corrected": (
        Cause("a memory row wears out", "watch the count, remap at the next reset", RETIREMENT),
        Cause("memory runs hot", "compare memory temperature with the fleet's", TRADE),
    ),
    "gpu.row_remaps_failed": (Cause("no spare rows are left in a bank", "replace the GPU", RETIREMENT),),
    "gpu.xid_events": (Cause("see the number's meaning", "the Xid table says what it asks for", XID),),
    "gpu.hw_slowdown_s": (
        Cause("heat", "check airflow or coolant, thermal paste, inlet temperature", TRADE),
        Cause("power brake", "check supplies, feeds and the rack's power cap", TRADE),
    ),
    "gpu.temperature_max": (
        Cause("airflow is short", "blanking panels, fans, filters, containment", TRADE),
        Cause("poor contact of heat sink or cold plate", "remount with new paste", TRADE),
    ),
    "gpu.nvlinks_min": (
        Cause("an NVLink is down", "look for Xid 74, reset all GPUs of the server together", XID),
        Cause("fabric manager is not running", "start it, in the driver's own version", "NVIDIA Fabric Manager guide"),
    ),
    "gpu.fabric_not_ready": (
        Cause("fabric manager is not running", "start it, in the driver's own version", "NVIDIA Fabric Manager guide"),
    ),
    "gpudirect.affinity_mismatches": (
        Cause("card in another GPU's slot", "compare slots with the rail map", TRADE),
        Cause("switch partitioned otherwise", "compare the PCI Express switch's firmware settings", TRADE),
    ),
    "gpudirect.write_bw_min_gbit": (
        Cause("access control services are on", "switch them off on bare metal", GPUDIRECT),
        Cause("GPU and card do not share a switch", "pick the card on the GPU's own switch", GPUDIRECT),
        Cause("peer memory module is not loaded", "load nvidia-peermem, or use dma-buf", GPUDIRECT),
    ),
    "nccl.allreduce_busbw_node": (
        Cause("one GPU is slow", "compare clocks, temperature and link width of the eight", TRADE),
        Cause("NVLink SHARP is off", "check the fabric manager and NCCL_NVLS_ENABLE", NCCL),
        Cause("messages too small", "measure at 8 GiB or more", NCCL),
    ),
    "nccl.allreduce_pod_line_share": (
        Cause("one slow rail", "halve the servers until the slow pair is left; swap cable or optic", NCCL),
        Cause("a rail runs at half speed", "look at port speed and width of every card", FABRIC),
        Cause("no GPUDirect", "NCCL_DEBUG=INFO must say GDRDMA", NCCL),
        Cause("adaptive routing is off", "compare the fabric manager's settings", TRADE),
    ),
    "nccl.wrong_results": (
        Cause("a GPU computes wrong", "run the diagnostic on each, take the server out", TRADE),
        Cause("a link corrupts data", "look at NVLink and port error counters", TRADE),
    ),
    "rdma.write_bw_min_gbit": (
        Cause("cable or optic", "look at bit error rate and lane power, swap it", FABRIC),
        Cause("card in a slot of half width", "look at lanes and GT/s of the card", TRADE),
        Cause("maximum read request or relaxed ordering", "compare the card's options with the baseline", TRADE),
    ),
    "rdma.write_latency_max_us": (
        Cause("processor in a power-saving state", "performance profile in the firmware", TRADE),
        Cause("a longer path than planned", "compare the topology with the cable schedule", TRADE),
    ),
    "link.up_ratio": (
        Cause("cable not seated or in the wrong port", "compare with the cable schedule, reseat", TRADE),
        Cause("optic dark or dirty", "read lane power, clean the end face", FABRIC),
    ),
    "link.speed_min_gbit": (
        Cause("cable or optic of a lower rate", "compare part numbers with the cable schedule", TRADE),
        Cause("port split or speed pinned", "compare the port's settings at both ends", TRADE),
    ),
    "port.symbol_error_growth": (
        Cause("dirty end face", "clean and inspect both ends", "IEC 61300-3-35"),
        Cause("cable or optic", "swap it; if the errors stay, swap the port", FABRIC),
    ),
    "port.link_down_growth": (
        Cause("cable or optic", "swap it; if the flaps stay, swap the port", FABRIC),
        Cause("firmware of module and port differ", "bring both to the pinned release", FABRIC),
    ),
    "fabric.pair_culprits": (
        Cause("a cable or optic of the link that is named", "swap the cable with a neighbour's, see whether the fault follows", TRADE),
        Cause("the server or switch that is named", "run the tests that the note names: they tell it from its links", TRADE),
    ),
    "port.error_growth": (Cause("cable or optic", "clean, then swap it; then swap the port", FABRIC),),
    "topology.mismatches": (
        Cause("two cables exchanged", "move them; the note names both ends", TRADE),
        Cause("a label on the wrong cable", "scan both ends again", TRADE),
    ),
    "memory.uncorrected": (Cause("memory module", "swap it with its neighbour, see whether the fault follows", TRADE),),
    "memory.total_gib": (Cause("a module is not seen", "reseat it, look for training errors in the event log", TRADE),),
    "memory.triad_gb_s": (
        Cause("channels unevenly filled", "compare the slots with the board's manual", TRADE),
        Cause("memory runs below its rate", "compare configured with rated speed", TRADE),
    ),
    "hpl.tflops": (
        Cause("one GPU or socket is throttled", "compare clocks and temperatures under load", TRADE),
        Cause("a power cap is set", "compare limits with the baseline", TRADE),
    ),
    "gemm.tflops": (
        Cause("the GPU is throttled", "compare clocks, power limit and temperature with the fleet's", TRADE),
    ),
    "disk.nvme": (Cause("a drive is not seated or has failed", "reseat it, read its health", TRADE),),
    "disk.read_mb_s": (Cause("a link of half width, or a worn drive", "read lanes of the drive and its wear", TRADE),),
    "disk.write_mb_s": (Cause("write cache off, or a worn drive", "compare settings; read its wear", TRADE),),
    "kernel.hardware_errors": (
        Cause("the part named in the quoted line", "reseat, then swap it", TRADE),
    ),
    "time.offset_abs_ms": (Cause("no near source, or a network that delays one way", "compare sources of chronyc", TRADE),),
    "dcgm.failed_tests": (Cause("the part that the failed test exercises", "run that test alone, then swap the GPU", "NVIDIA DCGM user guide"),),
}  # fmt: skip
"""Causes by metric, likeliest first. Each of these metrics fails in one direction only."""


def likely_causes(metric: str) -> tuple[Cause, ...]:
    """Return the likely causes of a metric's failure, likeliest first; empty if none is known."""
    return CAUSES.get(metric, ())
