"""Checkpoints: their size, the interval that loses the least time, tiers, and the cost of interruptions.

The interval is Young's sqrt(2 d M), where d is the pause of a checkpoint and M the mean time between interruptions (Young 1974).
Daly's higher-order form (Daly 2006) is worked out as well. They differ little while d is much smaller than M.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import sqrt
from typing import NamedTuple

from steps.design.figures import Chosen, Figures
from steps.design.findings import Finding

BYTES_PER_PARAM: dict[tuple[str, str], float] = {
    ("bf16", "adamw"): 2 + 4 + 4 + 4,
    ("bf16", "adamw-8bit"): 2 + 4 + 1 + 1,
    ("bf16", "adafactor"): 2 + 4,
    ("bf16", "sgd"): 2 + 4 + 4,
    ("fp8", "adamw"): 1 + 4 + 4 + 4,
    ("fp8", "adamw-8bit"): 1 + 4 + 1 + 1,
    ("fp8", "adafactor"): 1 + 4,
    ("fp8", "sgd"): 1 + 4 + 4,
    ("fp32", "adamw"): 4 + 4 + 4,
    ("fp32", "adamw-8bit"): 4 + 1 + 1,
    ("fp32", "adafactor"): 4,
    ("fp32", "sgd"): 4 + 4,
}
"""Bytes for each parameter in a checkpoint: weights, a 32-bit copy of narrower weights, moments of the optimizer."""


class Tier(NamedTuple):
    """One place where checkpoints are written."""

    name: str
    survives: str
    pause_s: float
    interval_min: float
    overhead: float


class Checkpoints(NamedTuple):
    """The plan for a job on the whole site; overhead and loss are shares of time."""

    bytes_per_param: float
    size_tb: float
    pause_s: float
    interval_min: float
    daly_min: float
    write_overhead: float
    lost_share: float
    effective_share: float
    lost_gpu_hours_day: float
    written_tb_day: float
    tiers: tuple[Tier, ...]


def size_tb(params_b: float, bytes_per_param: float) -> float:
    """Return the size of a checkpoint in TB."""
    return params_b * bytes_per_param / 1000


def young_interval_s(pause_s: float, mtbf_s: float) -> float:
    """Return Young's interval between checkpoints in seconds."""
    return sqrt(2 * pause_s * mtbf_s)


def daly_interval_s(pause_s: float, mtbf_s: float) -> float:
    """Return Daly's interval in seconds; for a pause of twice the MTBF or more it is the MTBF."""
    if pause_s >= 2 * mtbf_s:
        return mtbf_s
    ratio = pause_s / (2 * mtbf_s)
    higher_order = 1 + sqrt(ratio) / 3 + ratio / 9
    return sqrt(2 * pause_s * mtbf_s) * higher_order - pause_s


def lost_share(interval_s: float, restart_s: float, mtbf_s: float) -> float:
    """Return the share of time lost to interruptions, at most 1: each costs half an interval and a restart."""
    return min(1.0, (interval_s / 2 + restart_s) / mtbf_s)


def checkpoints_of(
    f: Figures,
    choices: Chosen,
    *,
    mtbf_h: float | None,
    write_gb_s: float,
) -> Checkpoints | None:
    """Return the checkpoint plan of a design; None if it has no accelerators."""
    each = BYTES_PER_PARAM[str(choices["precision"]), str(choices["optimizer"])]
    size = size_tb(f["model_params_b"], each)
    if mtbf_h is None:
        return None
    local_rate = f["nodes"] * f["nvme_write_gb_s"]
    pause = f["checkpoint_pause_s"] or f["checkpoint_overhead_s"] + size * 1000 / (write_gb_s or local_rate)
    mtbf_s = mtbf_h * 3600
    interval = young_interval_s(pause, mtbf_s)
    overhead = min(1.0, pause / interval)
    lost = lost_share(interval, f["restart_min"] * 60, mtbf_s)
    gpus = f["nodes"] * f["gpus_per_node"]
    wasted = gpus * 24 * min(1.0, overhead + lost)
    return Checkpoints(
        bytes_per_param=each,
        size_tb=size,
        pause_s=pause,
        interval_min=interval / 60,
        daly_min=daly_interval_s(pause, mtbf_s) / 60,
        write_overhead=overhead,
        lost_share=lost,
        effective_share=max(0.0, (1 - overhead) * (1 - lost)),
        lost_gpu_hours_day=wasted,
        written_tb_day=size * 86400 / interval,
        tiers=tuple(_tiers(f, size, pause, mtbf_s, local_rate, shared=write_gb_s > 0)),
    )


def _tiers(
    f: Figures,
    size: float,
    pause: float,
    mtbf_s: float,
    local_rate: float,
    *,
    shared: bool,
) -> Iterator[Tier]:
    """Yield the tiers: fast and frequent for a restart, slower and rarer for the loss of a server or of the site."""
    local = f["checkpoint_pause_s"] or f["checkpoint_overhead_s"] + size * 1000 / local_rate
    often = young_interval_s(local, mtbf_s)
    yield Tier("drives of the servers", "a crash of the job", local, often / 60, local / often)
    if shared:
        rarer = young_interval_s(pause, mtbf_s / max(f["repair_share"], 1e-9))
        yield Tier("shared storage", "the loss of a server", pause, rarer / 60, pause / rarer)
        yield Tier("object store elsewhere", "the loss of the site", 0.0, 24 * 60, 0.0)


def findings(checkpoints: Checkpoints | None) -> Iterator[Finding]:
    """Yield a warning if checkpoints take too large a share of the time."""
    if checkpoints and 1 - checkpoints.effective_share > 0.15:
        yield Finding(
            "time-lost-to-checkpoints",
            "warning",
            "checkpoints",
            f"{1 - checkpoints.effective_share:.0%} of the time goes to checkpoints and lost work "
            f"(pause {checkpoints.pause_s:.0f} s every {checkpoints.interval_min:.0f} min)",
            "asynchronous or local checkpoints (checkpoint_pause_s), more write bandwidth, a faster restart",
            {"pause_s": checkpoints.pause_s, "interval_min": checkpoints.interval_min},
        )
