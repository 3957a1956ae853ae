"""What changes with size: at 8, 64, 1,024, 16,384 and 100,000 GPUs a design needs things that a smaller one does not.

A design that lacks one gets a warning; what no figure shows is a note. The tiers are those of seed 002.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from steps.design.findings import Finding

TIERS: tuple[tuple[int, str], ...] = (
    (8, "one server: no fabric, no scheduler needed"),
    (64, "a fabric of 400 Gb/s class and tuned collectives"),
    (1024, "a batch scheduler with gang scheduling, monitoring, automatic restart from checkpoints"),
    (
        16384,
        "an infrastructure team, own diagnostics, checkpoint tiers, topology-aware placement, temperature monitoring",
    ),
    (
        100_000,
        "a site of its own: 100 MW and more, years of power procurement, liquid cooling, hot spares in every job",
    ),
)


def tier_of(gpus: int) -> tuple[int, str]:
    """Return the largest size of TIERS that a count reaches, and what it needs."""
    return [tier for tier in TIERS if gpus >= tier[0]][-1] if gpus >= TIERS[0][0] else TIERS[0]


def findings(
    f: Mapping[str, float], choices: Mapping[str, Any], *, gpus: int, tiers: int, facility_mw: float, hot_spares: int
) -> Iterator[Finding]:
    """Return what this size needs."""
    for size, needs in TIERS[1:]:
        if gpus >= size:
            yield Finding(
                f"size-{size}", "note", "scale", f"{gpus:,} GPUs: this size needs {needs}", "", {"gpus": gpus}
            )

    def lacks(name: str, says: str, remedy: str) -> Finding:
        return Finding(name, "warning", "scale", f"{gpus:,} GPUs: {says}", remedy, {"gpus": gpus})

    many = f["nodes"] > 1
    if many and gpus >= 64 and choices["fabric"] == "none" and choices["gpu_vendor"] in ("nvidia", "amd"):
        yield lacks("size-needs-fabric", "this size needs a compute fabric", "fabric: infiniband or roce")
    if many and gpus >= 64 and choices["fabric"] != "none" and f["link_gb_s"] * f["rails"] < 100 * f["gpus_per_node"]:
        each = f["link_gb_s"] * f["rails"] / f["gpus_per_node"]
        yield lacks(
            "size-needs-bandwidth", f"{each:g} Gb/s of fabric a GPU starves collectives", "200 to 400 Gb/s a GPU"
        )
    if gpus >= 1024 and choices["file_system"] in ("local", "none"):
        yield lacks(
            "size-needs-shared-storage",
            "this size needs a shared file system for checkpoints",
            "file_system: lustre, gpfs, weka or beegfs",
        )
    if (
        gpus >= 1024
        and choices["fabric"] != "none"
        and not choices["rail_optimised"]
        and choices["topology"] == "fat-tree"
    ):
        yield lacks("size-wants-rails", "without rails collectives cross the spines", "rail_optimised: true")
    if gpus >= 16384 and hot_spares == 0:
        yield lacks("size-needs-spares", "this size needs hot spares", "repair_hours and repair_share say how many")
    if gpus >= 100_000 and choices["cooling"] == "air":
        yield lacks("size-needs-liquid", "this size needs liquid cooling", "cooling: liquid or hybrid")
    if facility_mw > 50 and choices["facility"] == "existing":
        yield lacks(
            "size-needs-own-site",
            f"{facility_mw:.0f} MW are hardly to be had in a facility that exists",
            "facility: shell or greenfield, or proof in step 114",
        )
    if gpus >= 100_000 and tiers == 2:
        yield lacks("size-outgrows-two-tiers", "a two-tier fabric of this size leaves no room to grow", "tiers: 3")
