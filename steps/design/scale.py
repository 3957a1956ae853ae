"""Needs that grow with size: at 8, 64, 1,024, 16,384 and 100,000 GPUs a design needs more than a smaller one.

A design that lacks one of them gets a warning. A need that no figure shows is a note. The tiers are those of a chapter on
training clusters (docs/reference/sources.md, text 002).
"""

from __future__ import annotations

from collections.abc import Iterator

from steps.design.figures import Chosen, Figures
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
    """Return the largest size of TIERS that a count reaches, and what it needs; the first for fewer GPUs."""
    reached = [tier for tier in TIERS if gpus >= tier[0]]
    return reached[-1] if reached else TIERS[0]


def findings(
    f: Figures,
    choices: Chosen,
    *,
    gpus: int,
    tiers: int,
    facility_mw: float,
    hot_spares: int,
) -> Iterator[Finding]:
    """Yield what a design of this size needs: a note for each tier, and a warning for what it lacks."""
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
    each = f["link_gb_s"] * f["rails"] / max(1, f["gpus_per_node"])
    if many and gpus >= 64 and choices["fabric"] != "none" and each < 100:
        yield lacks(
            "size-needs-bandwidth",
            f"{each:g} Gb/s of fabric for each GPU slows collectives down",
            "200 to 400 Gb/s for each GPU",
        )
    if gpus >= 1024 and choices["file_system"] in ("local", "none"):
        yield lacks(
            "size-needs-shared-storage",
            "this size needs a shared file system for checkpoints",
            "file_system: lustre, gpfs, weka, beegfs or glusterfs",
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
            f"an existing facility rarely has {facility_mw:.0f} MW",
            "facility: shell or greenfield, or proof in step 114",
        )
    if gpus >= 100_000 and tiers == 2:
        yield lacks("size-outgrows-two-tiers", "a two-tier fabric of this size leaves no room to grow", "tiers: 3")
