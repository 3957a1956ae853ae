"""Interruptions of a run: their rate, their causes, and the spares that they need.

Interruptions are a Poisson process whose rate grows with the number of GPUs. Rate and causes are those of Llama 3.1 405B: 419
unexpected interruptions in 54 days on 16,384 H100 (Llama 3 report, table 5).
"""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil, exp, sqrt
from typing import NamedTuple

from steps.design.figures import Figures
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
"""Unexpected interruptions of the 54 days by cause (Llama 3 report, table 5); the sum is 419."""

ALL_CAUSES = sum(MIX.values())

SERVICE_LEVEL = 0.95
"""Probability that the spares on the shelf last until they are replaced (assumption)."""


class Reliability(NamedTuple):
    """Rates while the whole site runs one job, and the spares at the service level."""

    interruptions_per_day: float
    mtbf_h: float
    day_failure_probability: float
    servers_away: float
    hot_spares: int
    hot_spare_share: float
    spares: dict[str, int]
    mix_per_month: dict[str, float]


def interruptions_per_day(gpus: float, gpu_hours_per_interruption: float) -> float:
    """Return the interruptions per day of a job on all GPUs."""
    return gpus * 24 / gpu_hours_per_interruption


def mtbf_h(gpus: float, gpu_hours_per_interruption: float) -> float:
    """Return the mean time between interruptions in hours."""
    return gpu_hours_per_interruption / gpus


def probability_of_failure(gpus: float, hours: float, gpu_hours_per_interruption: float) -> float:
    """Return the probability of at least one interruption in `hours`."""
    return 1 - exp(-gpus * hours / gpu_hours_per_interruption)


def poisson_quantile(mean: float, probability: float) -> int:
    """Return the smallest count that a Poisson number does not exceed with a probability."""
    if mean > 500:  # the sum would lose its digits; here the normal limit is right to within one
        return ceil(mean + 1.645 * sqrt(mean))
    count, term = 0, exp(-mean)
    total = term
    while total < probability:
        count += 1
        term *= mean / count
        total += term
    return count


def spares(installed: float, share_a_year: float, resupply_weeks: float) -> int:
    """Return the spares that cover the failures until resupply at SERVICE_LEVEL."""
    return poisson_quantile(installed * share_a_year * resupply_weeks / 52, SERVICE_LEVEL)


def reliability_of(f: Figures, *, links: int, drives: int) -> Reliability | None:
    """Return the rates and spares of a design; None if it has no accelerators."""
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
        mix_per_month={cause: daily * 30.4 * count / ALL_CAUSES for cause, count in MIX.items()},
    )


def findings(reliability: Reliability | None, restart_min: float) -> Iterator[Finding]:
    """Yield a warning if a job is interrupted about as often as it can restart."""
    if reliability and reliability.mtbf_h * 60 < 4 * restart_min:
        yield Finding(
            "interrupted-too-often",
            "warning",
            "reliability",
            f"a job on all GPUs is interrupted every {reliability.mtbf_h * 60:.0f} minutes and needs {restart_min:g} to restart",
            "hot spares in the job, elastic training, and a restart of few minutes",
            {"mtbf_min": reliability.mtbf_h * 60, "restart_min": restart_min},
        )
