"""How often a run is interrupted, by what, and the spares that keep it whole.

Interruptions are taken as a Poisson process whose rate grows with the GPUs. The rate and the mix are those
of Llama 3.1 405B: 419 unexpected interruptions in 54 days on 16,384 H100 (Llama 3 report, table 5).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import ceil, exp, sqrt
from typing import NamedTuple

from steps.design.findings import Finding

MIX: dict[str, int] = {
    "faulty GPU": 148,
    "GPU HBM3 memory": 72,
    "software bug": 54,
    "network switch or cable": 35,
    "host maintenance": 32,
    "GPU SRAM memory": 19,
    "GPU system processor": 17,
    "NIC": 7,
    "NCCL watchdog timeout": 7,
    "silent data corruption": 6,
    "GPU thermal interface and sensor": 6,
    "SSD": 3,
    "power supply": 3,
    "server chassis": 2,
    "IO expansion board": 2,
    "dependency": 2,
    "CPU": 2,
    "system memory": 2,
}
"""Unexpected interruptions of the 54 days by cause (Llama 3 report, table 5); they sum to 419."""

SERVICE_LEVEL = 0.95
"""Chance that spares on the shelf last until they are replaced (assumption)."""


class Reliability(NamedTuple):
    """Rates of the whole site while all of it runs one job, and spares with the service level."""

    interruptions_per_day: float
    mtbf_h: float
    day_failure_probability: float
    servers_away: float
    hot_spares: int
    hot_spare_share: float
    spares: dict[str, int]
    mix_per_month: dict[str, float]


def interruptions_per_day(gpus: float, gpu_hours_per_interruption: float) -> float:
    """Return the interruptions a day of a job on all GPUs."""
    return gpus * 24 / gpu_hours_per_interruption


def mtbf_h(gpus: float, gpu_hours_per_interruption: float) -> float:
    """Return the mean time between interruptions, hours."""
    return gpu_hours_per_interruption / gpus


def probability_of_failure(gpus: float, hours: float, gpu_hours_per_interruption: float) -> float:
    """Return the probability of at least one interruption in a time."""
    return 1 - exp(-gpus * hours / gpu_hours_per_interruption)


def poisson_quantile(mean: float, probability: float) -> int:
    """Return the smallest count that a Poisson number stays at or under with a probability."""
    if mean > 500:  # the sum would lose its digits; the normal limit is within one there
        return ceil(mean + 1.645 * sqrt(mean))
    count, term = 0, exp(-mean)
    total = term
    while total < probability:
        count += 1
        term *= mean / count
        total += term
    return count


def spares(installed: float, share_a_year: float, resupply_weeks: float) -> int:
    """Return the parts to hold so that failures until resupply are covered at SERVICE_LEVEL."""
    return poisson_quantile(installed * share_a_year * resupply_weeks / 52, SERVICE_LEVEL)


def reliability_of(f: Mapping[str, float], *, links: int, drives: int) -> Reliability | None:
    """Return the rates and spares of a design; none where it has no accelerators."""
    gpus, per = f["nodes"] * f["gpus_per_node"], f["gpu_hours_per_interruption"]
    if gpus == 0:
        return None
    daily = interruptions_per_day(gpus, per)
    away = daily * f["repair_share"] * f["repair_hours"] / 24
    hot = poisson_quantile(away, SERVICE_LEVEL) if f["nodes"] > 1 else 0
    weeks = f["resupply_weeks"]
    return Reliability(
        interruptions_per_day=daily,
        mtbf_h=mtbf_h(gpus, per),
        day_failure_probability=probability_of_failure(gpus, 24, per),
        servers_away=away,
        hot_spares=hot,
        hot_spare_share=hot / f["nodes"],
        spares={
            "GPUs": spares(gpus, f["gpu_failures_year"], weeks),
            "power supplies": spares(f["nodes"] * f["psus_per_node"], f["psu_failures_year"], weeks),
            "drives": spares(f["nodes"] * f["nvme_per_node"] + drives, f["drive_failures_year"], weeks),
            "optical cables": spares(links, f["optic_failures_year"], weeks),
        },
        mix_per_month={cause: daily * 30.4 * count / sum(MIX.values()) for cause, count in MIX.items()},
    )


def findings(reliability: Reliability | None, restart_min: float) -> Iterator[Finding]:
    """Return a rate of interruption that recovery cannot follow."""
    if reliability and reliability.mtbf_h * 60 < 4 * restart_min:
        yield Finding(
            "interrupted-too-often",
            "warning",
            "reliability",
            f"a job on all GPUs is interrupted every {reliability.mtbf_h * 60:.0f} minutes and needs {restart_min:g} to restart",
            "hot spares in the job, elastic training, and a restart of few minutes",
            {"mtbf_min": reliability.mtbf_h * 60, "restart_min": restart_min},
        )
